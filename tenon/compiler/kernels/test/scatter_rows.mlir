// RUN: tenon-compile %s -s program | FileCheck %s

// Short rows are updated in pieces of whole registers: a masked store could not be forwarded to the
// next update of the same row.
//
// CHECK: tenon.kernel @scatter.0
// CHECK: tenon.if
// CHECK: tenon.map %c0 to %c4 {
// CHECK: tenon.store
// CHECK: tenon.map %c4 to %c6 {
// CHECK: tenon.store
// CHECK: tenon.map %c6 to %c7 {
// CHECK: tenon.store
func.func @main(%t: tensor<100x7xf32>, %i: tensor<40x1xi32>, %u: tensor<40x7xf32>) -> tensor<100x7xf32> {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x7xf32>, tensor<40x1xi32>, tensor<40x7xf32>) -> tensor<100x7xf32>
  return %0 : tensor<100x7xf32>
}
