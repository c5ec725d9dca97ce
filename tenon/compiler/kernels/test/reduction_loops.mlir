// Reductions over short last dimensions are one loop with the dimensions before them. Dimensions of
// one element need no loop.
// RUN: tenon-compile %s -s program | FileCheck %s

// CHECK-LABEL: tenon.kernel @loop.0
// CHECK: tenon.reduce [60000]
// CHECK-LABEL: tenon.kernel @loop.1
// CHECK: tenon.reduce [24000]
// A dimension that is kept lies between those that are reduced.
// CHECK-LABEL: tenon.kernel @loop.2
// CHECK: tenon.reduce [30, 4]
// Rows that are long enough for vectors.
// CHECK-LABEL: tenon.kernel @loop.3
// CHECK: tenon.reduce [300, 16]
func.func @main(%w: tensor<500x2x30x2xf32>, %x: tensor<24000x1xf32>, %y: tensor<7x30x11x4xf32>,
                %z: tensor<5x300x16xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<7x11xf32>, tensor<5xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%w init: %c) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<500x2x30x2xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<24000x1xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%y init: %c) applies stablehlo.add across dimensions = [1, 3] : (tensor<7x30x11x4xf32>, tensor<f32>) -> tensor<7x11xf32>
  %3 = stablehlo.reduce(%z init: %c) applies stablehlo.add across dimensions = [1, 2] : (tensor<5x300x16xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<7x11xf32>, tensor<5xf32>
}
