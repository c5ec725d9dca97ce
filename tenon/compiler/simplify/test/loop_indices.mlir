// RUN: tenon-compile %s -s simplify | FileCheck %s

// Scatter indices that depend on an invariant array are hoisted. Those computed from constants
// alone stay in the loop, where they become part of its kernel.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK: stablehlo.select
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.iota
// CHECK: "stablehlo.gather"
// CHECK: "stablehlo.scatter"
func.func @main(%x: tensor<64xf32>, %i: tensor<64x1xi32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<64x1xi32>
  %size = stablehlo.constant dense<64> : tensor<64x1xi32>
  %0:2 = stablehlo.while(%n = %zero, %y = %x) : tensor<i32>, tensor<64xf32>
  cond {
    %1 = stablehlo.compare LT, %n, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.compare LT, %i, %zeros : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x1xi1>
    %2 = stablehlo.add %i, %size : tensor<64x1xi32>
    %3 = stablehlo.select %1, %2, %i : tensor<64x1xi1>, tensor<64x1xi32>
    %4 = stablehlo.iota dim = 0 : tensor<64x1xi32>
    %5 = stablehlo.multiply %4, %4 : tensor<64x1xi32>
    %6 = "stablehlo.gather"(%y, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<64xf32>, tensor<64x1xi32>) -> tensor<64xf32>
    %7 = "stablehlo.scatter"(%y, %3, %6) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<64xf32>, tensor<64x1xi32>, tensor<64xf32>) -> tensor<64xf32>
    %8 = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %8, %7 : tensor<i32>, tensor<64xf32>
  }
  return %0#1 : tensor<64xf32>
}
