// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// The first operand of an update is the old value. The result takes over its storage.

// CHECK-LABEL: func.func @update_slice(
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>, %[[U:.*]]: tensor<1x128xf32>, %[[I:.*]]: tensor<i32>
// CHECK: tenon.fusion update_slice(%[[X]],
// CHECK: stablehlo.dynamic_update_slice
// CHECK-NEXT: tenon.yield
func.func @update_slice(%x: tensor<64x128xf32>, %u: tensor<1x128xf32>, %i: tensor<i32>)
    -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %zero : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>, %{{.*}}: tensor<8x1xi32>, %{{.*}}: tensor<8xf32>
// CHECK: tenon.fusion scatter(%[[X]],
// CHECK: stablehlo.scatter
// CHECK: tenon.yield
func.func @scatter(%x: tensor<64xf32>, %i: tensor<8x1xi32>, %u: tensor<8xf32>)
    -> tensor<64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<64xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Each part of a concatenation is computed directly into the result.
// CHECK-LABEL: func.func @concatenate(
// CHECK-NEXT: %[[F:.*]] = tenon.fusion concatenate(
// CHECK: stablehlo.negate
// CHECK-NEXT: stablehlo.concatenate
// CHECK-NEXT: tenon.yield
// CHECK-NOT: tenon.fusion
// CHECK: return %[[F]]
func.func @concatenate(%x: tensor<64x8xf32>, %y: tensor<64x24xf32>) -> tensor<64x32xf32> {
  %0 = stablehlo.negate %x : tensor<64x8xf32>
  %1 = stablehlo.concatenate %0, %y, dim = 1 : (tensor<64x8xf32>, tensor<64x24xf32>) -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}

// Rows that are gathered and then scattered are moved directly.
// CHECK-LABEL: func.func @gather_and_scatter(
// CHECK-NEXT: %[[F:.*]] = tenon.fusion scatter(
// CHECK: stablehlo.gather
// CHECK: stablehlo.scatter
// CHECK-NOT: tenon.fusion
// CHECK: return %[[F]]
func.func @gather_and_scatter(%x: tensor<64x3xf32>, %y: tensor<64x3xf32>, %i: tensor<90x1xi32>, %j: tensor<90x1xi32>) -> tensor<64x3xf32> {
  %0 = "stablehlo.gather"(%y, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<64x3xf32>, tensor<90x1xi32>) -> tensor<90x3xf32>
  %1 = "stablehlo.scatter"(%x, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<64x3xf32>, tensor<90x1xi32>, tensor<90x3xf32>) -> tensor<64x3xf32>
  return %1 : tensor<64x3xf32>
}

// Not if they are gathered from the updated array, which an earlier update may have changed. And
// gathered indices are not fused, because each part of the target reads them again.
// CHECK-LABEL: func.func @gather_from_target(
// CHECK-NEXT: tenon.fusion loop
// CHECK: tenon.fusion scatter
// CHECK-NOT: stablehlo.gather
// CHECK: return
func.func @gather_from_target(%x: tensor<64x3xf32>, %i: tensor<90x1xi32>, %j: tensor<90x1xi32>) -> tensor<64x3xf32> {
  %0 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<64x3xf32>, tensor<90x1xi32>) -> tensor<90x3xf32>
  %1 = "stablehlo.scatter"(%x, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<64x3xf32>, tensor<90x1xi32>, tensor<90x3xf32>) -> tensor<64x3xf32>
  return %1 : tensor<64x3xf32>
}

// CHECK-LABEL: func.func @gather_indices(
// CHECK-NEXT: tenon.fusion loop
// CHECK: tenon.fusion scatter
// CHECK-NOT: stablehlo.gather
// CHECK: return
func.func @gather_indices(%x: tensor<64xf32>, %i: tensor<64x1xi32>, %j: tensor<90x1xi32>, %u: tensor<90xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.gather"(%i, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x1xi32>, tensor<90x1xi32>) -> tensor<90x1xi32>
  %1 = "stablehlo.scatter"(%x, %0, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<64xf32>, tensor<90x1xi32>, tensor<90xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
