// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Forms of attributes and types that the other tests do not cover.

// CHECK-LABEL: func.func @bounds(
// CHECK-SAME: tensor<?x?xf32, #stablehlo.bounds<4, ?>>
// CHECK-SAME: tensor<?xf32, #stablehlo.bounds<8>>
func.func @bounds(%x: tensor<?x?xf32, #stablehlo.type_extensions<bounds = [4, ?]>>,
                  %y: tensor<?xf32, #stablehlo.bounds<8>>) {
  return
}

// A body that `applies` can name keeps its location. A body of several ops is printed in full.
// CHECK-LABEL: func.func @not_applied(
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0]
// CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>)
// CHECK-NEXT: stablehlo.add %[[B]], %[[A]] : tensor<f32>
func.func @not_applied(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @attributes(
func.func @attributes() attributes {
  // CHECK-SAME: a = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_contracting_dimensions = [1]>
  a = #stablehlo.dot<rhs_contracting_dimensions = [1], lhs_batching_dimensions = [0]>,
  // CHECK-SAME: b = #stablehlo.conv<[b, f]x[i, o]->[f, b]>
  b = #stablehlo.conv<[b, f]x[i, o]->[f, b]>,
  // CHECK-SAME: c = #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 0
  c = #stablehlo.conv<raw input_batch_dimension = 7>,
  // CHECK-SAME: d = #stablehlo<rng_algorithm PHILOX>
  d = #stablehlo<rng_algorithm PHILOX>,
  // CHECK-SAME: e = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>
  e = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>,
  // CHECK-SAME: f = #stablehlo.result_accuracy<atol = 1.000000e-03, rtol = 2.500000e-01, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
  f = #stablehlo.result_accuracy<atol = 1.0e-3, rtol = 0.25, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>
} {
  return
}
