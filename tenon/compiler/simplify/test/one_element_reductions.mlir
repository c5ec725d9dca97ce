// A reduction over dimensions of one element combines it with the initial value, in this order (0
// plus -0 is 0). Not if there are more elements, or more ops in the combiner.
// RUN: tenon-compile %s -s simplify | FileCheck %s

// CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG: %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<1x8xf32>) -> tensor<8xf32>
// CHECK-DAG: %[[SUM:.*]] = stablehlo.add %[[ZERO]], %[[X]] : tensor<8xf32>
// CHECK-DAG: %[[I:.*]] = stablehlo.broadcast_in_dim %arg2
// CHECK-DAG: %[[Y:.*]] = stablehlo.reshape %arg1
// CHECK-DAG: %[[DIFFERENCE:.*]] = stablehlo.subtract %[[I]], %[[Y]] : tensor<8x3xi32>
// CHECK: stablehlo.reduce(%arg3
// CHECK: stablehlo.reduce(%arg0
// CHECK: return %[[SUM]], %[[DIFFERENCE]]
func.func @main(%x: tensor<1x8xf32>, %y: tensor<8x1x3x1xi32>, %i: tensor<i32>, %z: tensor<2x8xf32>) -> (tensor<8xf32>, tensor<8x3xi32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
  %d = stablehlo.reduce(%y init: %i) across dimensions = [1, 3] : (tensor<8x1x3x1xi32>, tensor<i32>) -> tensor<8x3xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %0 = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }
  %t = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<8xf32>
  %u = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %0 = stablehlo.multiply %b, %b : tensor<f32>
    %1 = stablehlo.add %a, %0 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %s, %d, %t, %u : tensor<8xf32>, tensor<8x3xi32>, tensor<8xf32>, tensor<8xf32>
}
