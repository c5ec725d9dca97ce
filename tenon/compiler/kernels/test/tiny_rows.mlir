// Normalizes rows of three coordinates. A lane processes a row, and the sum of the row is not a
// loop.
// RUN: tenon-compile %s --stage=program | FileCheck %s

// CHECK: tenon.kernel
// CHECK: tenon.map
// CHECK-NOT: {{tenon.(reduce|local)}}
// CHECK-COUNT-3: tenon.load
// CHECK-NOT: {{tenon.(reduce|local|load)}}
// CHECK-COUNT-3: tenon.store
func.func public @main(%x: tensor<100x3xf32>) -> tensor<100x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<100x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<100xf32>) -> tensor<100x3xf32>
  %3 = stablehlo.divide %x, %2 : tensor<100x3xf32>
  return %3 : tensor<100x3xf32>
}
