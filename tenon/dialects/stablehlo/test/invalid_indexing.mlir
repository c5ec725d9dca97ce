// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of the ops that read or write parts of tensors.
// Each case is named after the constraint of the specification that it violates.

func.func @concatenate_c2(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) {
  // expected-error @below {{differ outside dimension 1}}
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @concatenate_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{dimension = 2 is not in the range}}
  %0 = stablehlo.concatenate %x, %x, dim = 2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @concatenate_c6(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [4, 12]}}
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x11xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{edge_padding_low has 1 elements, expected 2}}
  %0 = stablehlo.pad %x, %s, low = [0], high = [0, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{has an element less than 0}}
  %0 = stablehlo.pad %x, %s, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @pad_c4(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{does not have the inferred shape [4, 11]}}
  %0 = stablehlo.pad %x, %s, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{gives a size out of range}}
  %0 = stablehlo.pad %x, %s, low = [-5, 0], high = [0, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<0x6xf32>
  return
}

// -----

func.func @pad_overflow(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{gives a size out of range}}
  %0 = stablehlo.pad %x, %s, low = [9223372036854775807, 0], high = [0, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{start_indices has 1 elements, expected 2}}
  %0 = stablehlo.slice %x [0:4] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{range 0:5 does not fit}}
  %0 = stablehlo.slice %x [0:5, 0:6] : (tensor<4x6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @slice_c4(%x: tensor<4x6xf32>) {
  // expected-error @below {{has an element less than 1}}
  %0 = stablehlo.slice %x [0:4, 0:6:0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_c5(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [4, 2]}}
  %0 = stablehlo.slice %x [0:4, 0:6:4] : (tensor<4x6xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @dynamic_slice_c2(%x: tensor<4x6xf32>, %i: tensor<i32>) {
  // expected-error @below {{start_indices has 1 elements, expected 2}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2, 2] : (tensor<4x6xf32>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_c3(%x: tensor<4x6xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error @below {{start_indices have different types}}
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_c4(%x: tensor<4x6xf32>, %i: tensor<i32>) {
  // expected-error @below {{do not fit into operand type}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 7] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @dynamic_update_slice_c1(%x: tensor<4x6xf32>, %i: tensor<i32>) {
  // expected-error @below {{types of operand}}
  %0 = stablehlo.dynamic_update_slice %x, %x, %i, %i : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @dynamic_update_slice_c6(%x: tensor<4x6xf32>, %u: tensor<5x6xf32>, %i: tensor<i32>) {
  // expected-error @below {{does not fit into operand type}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @real_dynamic_slice(%x: tensor<4x6xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{start_indices has 3 elements, expected 2}}
  %0 = stablehlo.real_dynamic_slice %x, %i, %i, %i : (tensor<4x6xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{have 1 elements together}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{index_vector_dim = 3 is not in the range [0, 2]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{start_index_map has 2 elements}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c5(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{has an element outside the range [0, 2)}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c8(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{collapsed_slice_dims = [2] has an element outside}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c9(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{has slice size 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c19(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{start_index_map = [5] has an element outside}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [5], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c20(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{slice_sizes has 1 elements, expected 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @gather_c21(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{do not fit into operand type}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @gather_c22(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) {
  // expected-error @below {{does not have the inferred shape [3, 5]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @scatter_c2(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  // expected-error @below {{have 1 elements together}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x7xf32>) {
  // expected-error @below {{does not fit into the largest shape [3, 6]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x7xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c5(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  // expected-error @below {{has 4 operands}}
  %0 = "stablehlo.scatter"(%x, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c6(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf64>) {
  // expected-error @below {{element types of input}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c8(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  // expected-error @below {{update_window_dims = [2] has an element outside}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c21(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  // expected-error @below {{scatter_dims_to_operand_dims = [7] has an element outside}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [7], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @scatter_c23(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  // expected-error @below {{update_computation argument 1}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @torch_index_select(%x: tensor<4x6xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{batch_dims = 2 exceeds}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 2 : i64, dim = 1 : i64}> : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  return
}
