// RUN: tenon-compile %s -s program | FileCheck %s

// What lies outside of a padded array is not read: the access is masked.
//
// CHECK: tenon.kernel @loop.0
// CHECK: %[[IN:.*]] = arith.andi
// CHECK: tenon.load %{{.*}}[%{{.*}}, %{{.*}}] if %[[IN]] else
// CHECK: stablehlo.select
// CHECK: tenon.store
func.func @main(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<6x12xf32> {
  %0 = stablehlo.pad %x, %v, low = [1, 2], high = [1, 2], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x12xf32>
  return %0 : tensor<6x12xf32>
}
