// Lanes whose elements are neighbours in memory are stored together, and only those elements are
// written: rows of 15 bytes take two stores of 8, the second of which begins with the last byte of the
// first.
// RUN: tenon-compile %s --stage=llvm --cpu=x86-64-v3 | FileCheck %s

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: masked
// CHECK: %[[BASE:.*]] = mul i64 %{{.*}}, 30
// CHECK-NEXT: %[[FIRST:.*]] = getelementptr [1 x i8], ptr %{{.*}}, i64 %[[BASE]]
// CHECK-NEXT: shufflevector <32 x i8> %[[VALUE:.*]], <32 x i8> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
// CHECK-NEXT: store <8 x i8> %{{.*}}, ptr %[[FIRST]], align 1
// CHECK-NEXT: %[[SECOND:.*]] = getelementptr [1 x i8], ptr %[[FIRST]], i64 7
// CHECK-NEXT: shufflevector <32 x i8> %[[VALUE]], <32 x i8> poison, <8 x i32> <i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14>
// CHECK-NEXT: store <8 x i8> %{{.*}}, ptr %[[SECOND]], align 1
// CHECK-NEXT: getelementptr [1 x i8], ptr %[[FIRST]], i64 30
// CHECK: ret void
func.func @main(%x: tensor<64x15xui8>, %y: tensor<64x15xui8>) -> tensor<64x2x15xui8> {
  %a = stablehlo.add %x, %y : tensor<64x15xui8>
  %b = stablehlo.subtract %x, %y : tensor<64x15xui8>
  %c = stablehlo.reshape %a : (tensor<64x15xui8>) -> tensor<64x1x15xui8>
  %d = stablehlo.reshape %b : (tensor<64x15xui8>) -> tensor<64x1x15xui8>
  %e = stablehlo.concatenate %c, %d, dim = 1 : (tensor<64x1x15xui8>, tensor<64x1x15xui8>) -> tensor<64x2x15xui8>
  %f = stablehlo.not %e : tensor<64x2x15xui8>
  return %f : tensor<64x2x15xui8>
}
