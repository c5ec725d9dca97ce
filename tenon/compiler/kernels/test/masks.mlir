// RUN: tenon-compile %s -s program | FileCheck %s

// Elements outside a padded array are not read: the load is masked, and returns the padding where
// the mask is false.
//
// CHECK: tenon.kernel @loop.0
// CHECK-NEXT: ^bb0(%{{.*}}: memref<4x8xf32>, %[[PADDING:.*]]: tensor<f32>,
// CHECK: %[[IN:.*]] = arith.andi
// CHECK: %[[VALUE:.*]] = tenon.load %{{.*}}[%{{.*}}, %{{.*}}] if %[[IN]] else %[[PADDING]]
// CHECK-NEXT: tenon.store %[[VALUE]]
func.func @main(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<6x12xf32> {
  %0 = stablehlo.pad %x, %v, low = [1, 2], high = [1, 2], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x12xf32>
  return %0 : tensor<6x12xf32>
}
