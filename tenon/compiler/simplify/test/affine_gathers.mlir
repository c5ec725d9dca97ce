// Gathers by constant indices of one distance are slices.
// RUN: tenon-compile %s -s simplify | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<6x31x5xui8>) -> (tensor<6x10x5xui8>, tensor<6x31x3xui8>, tensor<2x6x5xui8>, tensor<1x31x5xui8>,
    tensor<6x3x5xui8>, tensor<6x3x5xui8>, tensor<6x2x5xui8>, tensor<6x2x5xui8>) {
  // CHECK-DAG: stablehlo.slice %arg0 [0:6, 0:28:3, 0:5]
  %c0 = stablehlo.constant dense<[0, 3, 6, 9, 12, 15, 18, 21, 24, 27]> : tensor<10xi32>
  %i0 = stablehlo.broadcast_in_dim %c0, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
  %0 = "stablehlo.gather"(%x, %i0) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 6, 1, 5>}> : (tensor<6x31x5xui8>, tensor<10x1xi32>) -> tensor<6x10x5xui8>

  // Backwards.
  // CHECK-DAG: %[[ODD:.*]] = stablehlo.slice %arg0 [0:6, 0:31, 0:5:2]
  // CHECK-DAG: stablehlo.reverse %[[ODD]], dims = [2]
  %i1 = stablehlo.constant dense<[4, 2, 0]> : tensor<3xi64>
  %1 = "stablehlo.gather"(%x, %i1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 6, 31, 1>}> : (tensor<6x31x5xui8>, tensor<3xi64>) -> tensor<6x31x3xui8>

  // To another place.
  // CHECK-DAG: %[[TWO:.*]] = stablehlo.slice %arg0 [0:6, 7:28:20, 0:5]
  // CHECK-DAG: stablehlo.transpose %[[TWO]], dims = [1, 0, 2]
  %i2 = stablehlo.constant dense<[[7], [27]]> : tensor<2x1xui8>
  %2 = "stablehlo.gather"(%x, %i2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 6, 1, 5>}> : (tensor<6x31x5xui8>, tensor<2x1xui8>) -> tensor<2x6x5xui8>

  // CHECK-DAG: stablehlo.slice %arg0 [5:6, 0:31, 0:5]
  %i3 = stablehlo.constant dense<5> : tensor<1xi32>
  %3 = "stablehlo.gather"(%x, %i3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 31, 5>}> : (tensor<6x31x5xui8>, tensor<1xi32>) -> tensor<1x31x5xui8>

  // Not: two distances, the same index again, indices that are clamped at either end.
  // CHECK-COUNT-4: "stablehlo.gather"(
  // CHECK-NOT: "stablehlo.gather"(
  %i4 = stablehlo.constant dense<[1, 2, 4]> : tensor<3xi32>
  %4 = "stablehlo.gather"(%x, %i4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 6, 1, 5>}> : (tensor<6x31x5xui8>, tensor<3xi32>) -> tensor<6x3x5xui8>
  %i5 = stablehlo.constant dense<[2, 2, 2]> : tensor<3xi32>
  %5 = "stablehlo.gather"(%x, %i5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 6, 1, 5>}> : (tensor<6x31x5xui8>, tensor<3xi32>) -> tensor<6x3x5xui8>
  %i6 = stablehlo.constant dense<[30, 31]> : tensor<2xi32>
  %6 = "stablehlo.gather"(%x, %i6) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 6, 1, 5>}> : (tensor<6x31x5xui8>, tensor<2xi32>) -> tensor<6x2x5xui8>
  %i7 = stablehlo.constant dense<[-1, 0]> : tensor<2xi32>
  %7 = "stablehlo.gather"(%x, %i7) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 6, 1, 5>}> : (tensor<6x31x5xui8>, tensor<2xi32>) -> tensor<6x2x5xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<6x10x5xui8>, tensor<6x31x3xui8>, tensor<2x6x5xui8>, tensor<1x31x5xui8>, tensor<6x3x5xui8>, tensor<6x3x5xui8>, tensor<6x2x5xui8>, tensor<6x2x5xui8>
}
