// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @specification_example {
  func.func private @inputs() -> (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) {
    %x = stablehlo.constant dense<[[[[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [10, 11], [12, 13], [14, 15]], [[16, 17], [18, 19], [20, 21], [22, 23]]], [[[24, 25], [26, 27], [28, 29], [30, 31]], [[32, 33], [34, 35], [36, 37], [38, 39]], [[40, 41], [42, 43], [44, 45], [46, 47]]]]> : tensor<2x3x4x2xi32>
    %at = stablehlo.constant dense<[[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]], [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]]> : tensor<2x2x3x2xi64>
    return %x, %at : tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 1, 2, 2>} : (tensor<2x3x4x2xi32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xi32>
    %r_expected = stablehlo.constant dense<[[[[[0, 1], [2, 3]], [[2, 3], [4, 5]], [[12, 13], [14, 15]]], [[[32, 33], [34, 35]], [[34, 35], [36, 37]], [[40, 41], [42, 43]]]], [[[[0, 1], [2, 3]], [[2, 3], [4, 5]], [[12, 13], [14, 15]]], [[[32, 33], [34, 35]], [[34, 35], [36, 37]], [[40, 41], [42, 43]]]]]> : tensor<2x2x3x2x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2x3x2x2xi32>, tensor<2x2x3x2x2xi32>) -> ()
    return
  }
}

// -----

module @rows {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[3], [0], [3]]> : tensor<3x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<3x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<3x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
    %r_expected = stablehlo.constant dense<[[1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
}

// -----

module @columns {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[4], [1]]> : tensor<2x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 4, 1>} : (tensor<4x5xf32>, tensor<2x1xi32>) -> tensor<4x2xf32>
    %r_expected = stablehlo.constant dense<[[4.0e+00, 1.0e+00], [9.0e+00, 6.0e+00], [1.4e+01, 1.1e+01], [1.9e+01, 1.6e+01]]> : tensor<4x2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2xf32>, tensor<4x2xf32>) -> ()
    return
  }
}

// -----

module @elements {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x2xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[3, 4], [0, 2]]> : tensor<2x2xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x2xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x2xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 1>} : (tensor<4x5xf32>, tensor<2x2xi32>) -> tensor<2xf32>
    %r_expected = stablehlo.constant dense<[1.9e+01, 2.0e+00]> : tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return
  }
}

// -----

module @index_map_turned {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x2xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[4, 3], [2, 0]]> : tensor<2x2xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x2xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x2xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 1>} : (tensor<4x5xf32>, tensor<2x2xi32>) -> tensor<2xf32>
    %r_expected = stablehlo.constant dense<[1.9e+01, 2.0e+00]> : tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return
  }
}

// -----

module @clamped {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[9], [-9], [2]]> : tensor<3x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<3x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<3x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 3, 2>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x3x2xf32>
    %r_expected = stablehlo.constant dense<[[[5.0e+00, 6.0e+00], [1.0e+01, 1.1e+01], [1.5e+01, 1.6e+01]], [[0.0e+00, 1.0e+00], [5.0e+00, 6.0e+00], [1.0e+01, 1.1e+01]], [[5.0e+00, 6.0e+00], [1.0e+01, 1.1e+01], [1.5e+01, 1.6e+01]]]> : tensor<3x3x2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x3x2xf32>, tensor<3x3x2xf32>) -> ()
    return
  }
}

// -----

module @vector_first {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x3xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[1, 2, 3], [0, 4, 2]]> : tensor<2x3xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x3xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x3xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 0>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 1>} : (tensor<4x5xf32>, tensor<2x3xi32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[5.0e+00, 1.4e+01, 1.7e+01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @no_vector_dimension {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x2xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[1, 3], [0, 2]]> : tensor<2x2xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x2xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x2xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 2>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<2x2xi32>) -> tensor<2x2x5xf32>
    %r_expected = stablehlo.constant dense<[[[5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01]]]> : tensor<2x2x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2x5xf32>, tensor<2x2x5xf32>) -> ()
    return
  }
}

// -----

module @window_dimensions_around {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 2, 5>} : (tensor<4x5xf32>, tensor<2x1xi32>) -> tensor<2x2x5xf32>
    %r_expected = stablehlo.constant dense<[[[5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01]], [[1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]]> : tensor<2x2x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2x5xf32>, tensor<2x2x5xf32>) -> ()
    return
  }
}

// -----

module @no_starts {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<0x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<> : tensor<0x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<0x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<0x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<0x1xi32>) -> tensor<0x5xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x5xf32>, tensor<0x5xf32>) -> ()
    return
  }
}

// -----

module @empty_windows {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<2x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 0>} : (tensor<4x5xf32>, tensor<2x1xi32>) -> tensor<2x0xf32>
    %r_expected = stablehlo.constant dense<> : tensor<2x0xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x0xf32>, tensor<2x0xf32>) -> ()
    return
  }
}

// -----

module @single {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[2]> : tensor<1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<1xi32>) -> tensor<5xf32>
    %r_expected = stablehlo.constant dense<[1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xf32>, tensor<5xf32>) -> ()
    return
  }
}

// -----

module @unsigned_starts {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x1xui8>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[3], [200]]> : tensor<2x1xui8>
    return %x, %at : tensor<4x5xf32>, tensor<2x1xui8>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x1xui8>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<2x1xui8>) -> tensor<2x5xf32>
    %r_expected = stablehlo.constant dense<[[1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<2x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x5xf32>, tensor<2x5xf32>) -> ()
    return
  }
}

// -----

module @sorted_starts {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[0], [1], [3]]> : tensor<3x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<3x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<3x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = true,
      slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %at = stablehlo.constant dense<[[2, 1], [0, 0], [5, 1]]> : tensor<3x2xi32>
    return %x, %at : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], collapsed_slice_dims = [1, 6], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [6, 1], index_vector_dim = 1>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1>} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>) -> tensor<3x1x1x1x2x1x1x1x2x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[16]], [[17]]]]]], [[[[[[22]], [[23]]]]]]]]]], [[[[[[[[[[0]], [[1]]]]]], [[[[[[6]], [[7]]]]]]]]]], [[[[[[[[[[16]], [[17]]]]]], [[[[[[22]], [[23]]]]]]]]]]]> : tensor<3x1x1x1x2x1x1x1x2x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x1x1x1x2x1x1x1x2x1x1xi32>, tensor<3x1x1x1x2x1x1x1x2x1x1xi32>) -> ()
    return
  }
}

// -----

module @batched {
  func.func private @inputs() -> (tensor<3x5x4xi32>, tensor<3x2x1xi32>) {
    %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], [16, 17, 18, 19]], [[20, 21, 22, 23], [24, 25, 26, 27], [28, 29, 30, 31], [32, 33, 34, 35], [36, 37, 38, 39]], [[40, 41, 42, 43], [44, 45, 46, 47], [48, 49, 50, 51], [52, 53, 54, 55], [56, 57, 58, 59]]]> : tensor<3x5x4xi32>
    %at = stablehlo.constant dense<[[[1], [4]], [[0], [2]], [[3], [3]]]> : tensor<3x2x1xi32>
    return %x, %at : tensor<3x5x4xi32>, tensor<3x2x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<3x5x4xi32>, tensor<3x2x1xi32>)
    %r = "stablehlo.gather"(%x, %at) {
      dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      indices_are_sorted = false,
      slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x5x4xi32>, tensor<3x2x1xi32>) -> tensor<3x2x4xi32>
    %r_expected = stablehlo.constant dense<[[[4, 5, 6, 7], [16, 17, 18, 19]], [[20, 21, 22, 23], [28, 29, 30, 31]], [[52, 53, 54, 55], [52, 53, 54, 55]]]> : tensor<3x2x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x4xi32>, tensor<3x2x4xi32>) -> ()
    return
  }
}
