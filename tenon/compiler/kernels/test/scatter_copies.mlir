// RUN: tenon-compile %s -s program | FileCheck %s

// Many updates of few elements. The array and each of several copies receive a part of the updates.
// The copies start with the combiner's identity, and are added to the array at the end. The number
// of copies depends on shapes alone.
//
// CHECK-LABEL: tenon.kernel @scatter.1
// CHECK: tenon.parallel [8] grain 1
// CHECK: tenon.if
// CHECK-NEXT: tenon.for
// CHECK: stablehlo.constant dense<-0.000000e+00>
// CHECK: tenon.if
// CHECK-NEXT: tenon.map
// CHECK: tenon.for
// CHECK: tenon.if
// CHECK: tenon.parallel [1] grain 1
// CHECK: tenon.map
// CHECK-COUNT-7: stablehlo.add
// CHECK-NOT: stablehlo.add
// CHECK: tenon.store
func.func @main(%t: tensor<1000xf32>, %i: tensor<1000000x1xi32>, %u: tensor<1000000xf32>) -> (tensor<1000xf32>, tensor<1000xi32>, tensor<16x100xf32>) {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1000xf32>, tensor<1000000x1xi32>, tensor<1000000xf32>) -> tensor<1000xf32>
  // The last of several updates wins, so their order matters.
  //
  // CHECK-LABEL: tenon.kernel @scatter.2
  // CHECK: tenon.parallel [1] grain 1
  // CHECK-NOT: tenon.parallel
  %z = stablehlo.constant dense<0> : tensor<1000xi32>
  %n = stablehlo.iota dim = 0 : tensor<1000000xi32>
  %1 = "stablehlo.scatter"(%z, %i, %n) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<1000xi32>, tensor<1000000x1xi32>, tensor<1000000xi32>) -> tensor<1000xi32>
  // Batches are independent.
  //
  // CHECK-LABEL: tenon.kernel @scatter.3
  // CHECK: tenon.parallel [16] grain 1
  // CHECK-NOT: tenon.parallel
  %zb = stablehlo.constant dense<0.0> : tensor<16x100xf32>
  %ib = stablehlo.reshape %i : (tensor<1000000x1xi32>) -> tensor<16x62500x1xi32>
  %ub = stablehlo.reshape %u : (tensor<1000000xf32>) -> tensor<16x62500xf32>
  %2 = "stablehlo.scatter"(%zb, %ib, %ub) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x100xf32>, tensor<16x62500x1xi32>, tensor<16x62500xf32>) -> tensor<16x100xf32>
  return %0, %1, %2 : tensor<1000xf32>, tensor<1000xi32>, tensor<16x100xf32>
}
