// Lanes that are loaded one by one have constants in their addresses. LLVM's instruction selection
// takes quadratic time for a constant in each lane's index.
// RUN: tenon-compile %s --stage=llvm --cpu=x86-64-v3 | FileCheck %s

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK: %[[ROW:.*]] = sdiv exact i64 %{{.*}}, 7
// CHECK-NEXT: %[[INDEX:.*]] = mul i64 %[[ROW]], 105
// CHECK-NEXT: %[[FIRST:.*]] = getelementptr [4 x i8], ptr %{{.*}}, i64 %[[INDEX]]
// CHECK-NOT: add i64 %[[INDEX]]
// CHECK-COUNT-50: getelementptr [4 x i8], ptr %[[FIRST]], i64 {{[0-9]+$}}
// CHECK-NOT: add i64 %[[INDEX]]
// CHECK: ret void
func.func @main(%x: tensor<32x5x7x3xf32>) -> tensor<32x7xf32> {
  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.minimum across dimensions = [1, 3] : (tensor<32x5x7x3xf32>, tensor<f32>) -> tensor<32x7xf32>
  return %r : tensor<32x7xf32>
}
