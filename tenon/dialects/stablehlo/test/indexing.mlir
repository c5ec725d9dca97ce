// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Ops that read or write parts of tensors.

// CHECK-LABEL: func.func @slices(
func.func @slices(%x: tensor<4x6xf32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.concatenate %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.pad %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x12xf32>
  %1 = stablehlo.pad %x, %s, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x12xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.slice %{{[^ ,:()]+}} [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.slice %x [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_slice %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %3 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_update_slice %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %4 = stablehlo.dynamic_update_slice %x, %3, %i, %i : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.slice %{{[^ ,:()]+}} [] : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_slice %{{[^ ,:()]+}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %6 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%x: tensor<?x6xf32>, %s: tensor<f32>, %v: tensor<2xi32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_pad %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<?x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_pad %x, %s, %v, %v, %v : (tensor<?x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.real_dynamic_slice %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.real_dynamic_slice %x, %v, %v, %v : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.dynamic_gather"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  %2 = "stablehlo.dynamic_gather"(%x, %v, %v) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  return
}

// CHECK-LABEL: func.func @gather(
func.func @gather(%x: tensor<5x4x6xf32>, %i: tensor<5x3x1xi32>) -> tensor<5x3x6xf32> {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.gather"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<5x4x6xf32>, tensor<5x3x1xi32>) -> tensor<5x3x6xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<5x4x6xf32>, tensor<5x3x1xi32>) -> tensor<5x3x6xf32>
  return %0 : tensor<5x3x6xf32>
}

// CHECK-LABEL: func.func @scatter(
func.func @scatter(%x: tensor<4x6xf32>, %i: tensor<3xi64>, %u: tensor<3x6xf32>) -> tensor<4x6xf32> {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.scatter"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK: %{{[^ ,:()]+}} = stablehlo.add %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : tensor<f32>
    %1 = stablehlo.add %a, %b : tensor<f32>
    // CHECK: stablehlo.return %{{[^ ,:()]+}} : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3xi64>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @torch_index_select(
func.func @torch_index_select(%x: tensor<5x4x6xf32>, %i: tensor<5x2xi32>) -> tensor<5x2x6xf32> {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.torch_index_select"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<5x4x6xf32>, tensor<5x2xi32>) -> tensor<5x2x6xf32>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<5x4x6xf32>, tensor<5x2xi32>) -> tensor<5x2x6xf32>
  return %0 : tensor<5x2x6xf32>
}
