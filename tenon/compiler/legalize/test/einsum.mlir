// RUN: tenon-opt %s --tenon-legalize | FileCheck %s

// CHECK-LABEL: func.func @matmul_transposed(
func.func @matmul_transposed(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[P:.*]] = stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0]
  // CHECK: stablehlo.transpose %[[P]], dims = [1, 0]
  %0 = stablehlo.einsum %x, %y, config = "ij,jk->ki" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A label that occurs only once is summed over first; `...` is a batch.
// CHECK-LABEL: func.func @batch_and_sum(
func.func @batch_and_sum(%x: tensor<5x2x3x7xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  // CHECK: stablehlo.reduce{{.*}} dimensions = [3]
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1]
  %0 = stablehlo.einsum %x, %y, config = "...ijz,...jk->...ik" : (tensor<5x2x3x7xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// Diagonals are not supported.
// CHECK-LABEL: func.func @diagonal(
func.func @diagonal(%x: tensor<3x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: stablehlo.einsum
  %0 = stablehlo.einsum %x, %y, config = "ii,i->i" : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<2x3x4xf32>) -> tensor<4x2xf32> {
  // CHECK: stablehlo.reduce{{.*}} dimensions = [1]
  // CHECK: stablehlo.transpose {{.*}} dims = [1, 0]
  %0 = stablehlo.unary_einsum %x, config = "abc->ca" : (tensor<2x3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @index_select(
func.func @index_select(%x: tensor<2x5x3x4xf32>, %i: tensor<2x6xi32>) -> tensor<2x5x6x4xf32> {
  // CHECK: "stablehlo.gather"
  // CHECK-SAME: offset_dims = [1, 3], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2
  // CHECK-SAME: slice_sizes = array<i64: 1, 5, 1, 4>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 2 : i64, batch_dims = 1 : i64}> : (tensor<2x5x3x4xf32>, tensor<2x6xi32>) -> tensor<2x5x6x4xf32>
  return %0 : tensor<2x5x6x4xf32>
}
