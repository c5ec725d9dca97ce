// RUN: tenon-compile %s -s simplify | FileCheck %s

// Adjacent reversed dimensions are merged; others stay.
// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.reshape %arg0 : (tensor<6x5x4x3xf32>) -> tensor<6x20x3xf32>
// CHECK: stablehlo.reverse {{.*}}, dims = [1] : tensor<6x20x3xf32>
// CHECK: stablehlo.reshape {{.*}} -> tensor<6x5x4x3xf32>
// CHECK: stablehlo.reverse %arg0, dims = [0, 2] : tensor<6x5x4x3xf32>
func.func @main(%x: tensor<6x5x4x3xf32>) -> (tensor<6x5x4x3xf32>, tensor<6x5x4x3xf32>) {
  %0 = stablehlo.reverse %x, dims = [1, 2] : tensor<6x5x4x3xf32>
  %1 = stablehlo.reverse %x, dims = [0, 2] : tensor<6x5x4x3xf32>
  return %0, %1 : tensor<6x5x4x3xf32>, tensor<6x5x4x3xf32>
}
