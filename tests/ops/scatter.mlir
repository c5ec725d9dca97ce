// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @specification_example {
  func.func private @inputs() -> (tensor<2x3x4x2xi64>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xi64>) {
    %x = stablehlo.constant dense<[[[[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [10, 11], [12, 13], [14, 15]], [[16, 17], [18, 19], [20, 21], [22, 23]]], [[[24, 25], [26, 27], [28, 29], [30, 31]], [[32, 33], [34, 35], [36, 37], [38, 39]], [[40, 41], [42, 43], [44, 45], [46, 47]]]]> : tensor<2x3x4x2xi64>
    %at = stablehlo.constant dense<[[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]], [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]]> : tensor<2x2x3x2xi64>
    %u = stablehlo.constant dense<1> : tensor<2x2x3x2x2xi64>
    return %x, %at, %u : tensor<2x3x4x2xi64>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xi64>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<2x3x4x2xi64>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xi64>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i64>, %b0: tensor<i64>):
    %s = stablehlo.add %a0, %b0 : tensor<i64>
    stablehlo.return %s : tensor<i64>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>}
              : (tensor<2x3x4x2xi64>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xi64>) -> tensor<2x3x4x2xi64>
    %r_expected = stablehlo.constant dense<[[[[2, 3], [6, 7], [6, 7], [6, 7]], [[8, 9], [10, 11], [14, 15], [16, 17]], [[16, 17], [18, 19], [20, 21], [22, 23]]], [[[24, 25], [26, 27], [28, 29], [30, 31]], [[34, 35], [38, 39], [38, 39], [38, 39]], [[40, 41], [42, 43], [44, 45], [46, 47]]]]> : tensor<2x3x4x2xi64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3x4x2xi64>, tensor<2x3x4x2xi64>) -> ()
    return
  }
}

// -----

module @duplicates_add {
  func.func private @inputs() -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %at = stablehlo.constant dense<[[3], [0], [3], [9], [-1], [3]]> : tensor<6x1xi32>
    %u = stablehlo.constant dense<[10, 20, 30, 40, 50, 60]> : tensor<6xi32>
    return %x, %at, %u : tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %s = stablehlo.add %a0, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[20, 1, 2, 103, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @duplicates_replace {
  func.func private @inputs() -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %at = stablehlo.constant dense<[[3], [0], [3], [9], [-1], [3]]> : tensor<6x1xi32>
    %u = stablehlo.constant dense<[10, 20, 30, 40, 50, 60]> : tensor<6xi32>
    return %x, %at, %u : tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %s = stablehlo.maximum %b0, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[20, 1, 2, 60, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @duplicates_multiply {
  func.func private @inputs() -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %at = stablehlo.constant dense<[[3], [0], [3], [9], [-1], [3]]> : tensor<6x1xi32>
    %u = stablehlo.constant dense<[10, 20, 30, 40, 50, 60]> : tensor<6xi32>
    return %x, %at, %u : tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %s = stablehlo.multiply %a0, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2, 54000, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @duplicates_minimum {
  func.func private @inputs() -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %at = stablehlo.constant dense<[[3], [0], [3], [9], [-1], [3]]> : tensor<6x1xi32>
    %u = stablehlo.constant dense<[10, 20, 30, 40, 50, 60]> : tensor<6xi32>
    return %x, %at, %u : tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %s = stablehlo.minimum %a0, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @duplicates_in_order {
  func.func private @inputs() -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %at = stablehlo.constant dense<[[3], [0], [3], [9], [-1], [3]]> : tensor<6x1xi32>
    %u = stablehlo.constant dense<[10, 20, 30, 40, 50, 60]> : tensor<6xi32>
    return %x, %at, %u : tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %d = stablehlo.add %a0, %a0 : tensor<i32>
    %s = stablehlo.add %d, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<5xi32>, tensor<6x1xi32>, tensor<6xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[20, 1, 2, 184, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @rows {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x5xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[3], [1]]> : tensor<2x1xi32>
    %u = stablehlo.constant dense<1.0e+00> : tensor<2x5xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x5xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x5xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x5xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01, 2.0e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @columns {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x4xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[3], [1]]> : tensor<2x1xi32>
    %u = stablehlo.constant dense<1.0e+00> : tensor<2x4xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x4xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x4xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}
              : (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 2.0e+00, 2.0e+00, 4.0e+00, 4.0e+00], [5.0e+00, 7.0e+00, 7.0e+00, 9.0e+00, 9.0e+00], [1.0e+01, 1.2e+01, 1.2e+01, 1.4e+01, 1.4e+01], [1.5e+01, 1.7e+01, 1.7e+01, 1.9e+01, 1.9e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @windows {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3x2xi32>, tensor<3x2x2xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[0, 1], [2, 3], [3, 3]]> : tensor<3x2xi32>
    %u = stablehlo.constant dense<[[[2.0e+00, 1.0e+00], [0.0e+00, -1.0e+00]], [[-1.0e+00, -2.0e+00], [-2.0e+00, -2.0e+00]], [[-2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00]]]> : tensor<3x2x2xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<3x2xi32>, tensor<3x2x2xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<3x2xi32>, tensor<3x2x2xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}
              : (tensor<4x5xf32>, tensor<3x2xi32>, tensor<3x2x2xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 3.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 6.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.2e+01, 1.2e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.6e+01, 1.7e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @windows_partly_outside {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x2xi32>, tensor<2x2x2xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[-1, 0], [3, 4]]> : tensor<2x2xi32>
    %u = stablehlo.constant dense<[[[2.0e+00, 1.0e+00], [0.0e+00, -1.0e+00]], [[-1.0e+00, -2.0e+00], [-2.0e+00, -2.0e+00]]]> : tensor<2x2x2xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<2x2xi32>, tensor<2x2x2xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x2xi32>, tensor<2x2x2xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.maximum %b0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}
              : (tensor<4x5xf32>, tensor<2x2xi32>, tensor<2x2x2xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @elements_turned {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x2xi32>, tensor<2xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[4, 3], [2, 0]]> : tensor<2x2xi32>
    %u = stablehlo.constant dense<[7.0e+00, 8.0e+00]> : tensor<2xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<2x2xi32>, tensor<2xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x2xi32>, tensor<2xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.maximum %b0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}
              : (tensor<4x5xf32>, tensor<2x2xi32>, tensor<2xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 8.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 7.0e+00]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @vector_first {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<2x3xi32>, tensor<3xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[1, 2, 3], [0, 4, 2]]> : tensor<2x3xi32>
    %u = stablehlo.constant dense<[7.0e+00, 8.0e+00, 9.0e+00]> : tensor<3xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<2x3xi32>, tensor<3xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<2x3xi32>, tensor<3xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}
              : (tensor<4x5xf32>, tensor<2x3xi32>, tensor<3xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [1.2e+01, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 2.2e+01], [1.5e+01, 1.6e+01, 2.6e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @no_updates {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<0x1xi32>, tensor<0x5xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<> : tensor<0x1xi32>
    %u = stablehlo.constant dense<> : tensor<0x5xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<0x1xi32>, tensor<0x5xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<0x1xi32>, tensor<0x5xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<4x5xf32>, tensor<0x1xi32>, tensor<0x5xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @single {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<1xi32>, tensor<5xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[2]> : tensor<1xi32>
    %u = stablehlo.constant dense<1.0e+00> : tensor<5xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<1xi32>, tensor<5xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<1xi32>, tensor<5xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}
              : (tensor<4x5xf32>, tensor<1xi32>, tensor<5xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @sorted_unique {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[0], [2], [3]]> : tensor<3x1xi32>
    %u = stablehlo.constant dense<1.0e+00> : tensor<3x5xf32>
    return %x, %at, %u : tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
    %s = stablehlo.add %a0, %b0 : tensor<f32>
    stablehlo.return %s : tensor<f32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = true}
              : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %r_expected = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01, 2.0e+01]]> : tensor<4x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xf32>, tensor<4x5xf32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>, tensor<3x1x1x1x2x1x1x1x2x1x1xi32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %at = stablehlo.constant dense<[[2, 1], [0, 0], [2, 1]]> : tensor<3x2xi32>
    %u = stablehlo.constant dense<[[[[[[[[[[[3]], [[1]]]]]], [[[[[[0]], [[-2]]]]]]]]]], [[[[[[[[[[-2]], [[-4]]]]]], [[[[[[-4]], [[-4]]]]]]]]]], [[[[[[[[[[-3]], [[3]]]]]], [[[[[[1]], [[4]]]]]]]]]]]> : tensor<3x1x1x1x2x1x1x1x2x1x1xi32>
    return %x, %at, %u : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>, tensor<3x1x1x1x2x1x1x1x2x1x1xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>, tensor<3x1x1x1x2x1x1x1x2x1x1xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %d = stablehlo.add %a0, %a0 : tensor<i32>
    %s = stablehlo.add %d, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], inserted_window_dims = [1, 6], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [6, 1], index_vector_dim = 1>}
              : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<3x2xi32>, tensor<3x1x1x1x2x1x1x1x2x1x1xi32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[-2]], [[-2]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[8]], [[10]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[67]], [[73]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[89]], [[92]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) -> ()
    return
  }
}

// -----

module @batched {
  func.func private @inputs() -> (tensor<3x4x2xi32>, tensor<3x2x1xi32>, tensor<3x2x2xi32>) {
    %x = stablehlo.constant dense<[[[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [10, 11], [12, 13], [14, 15]], [[16, 17], [18, 19], [20, 21], [22, 23]]]> : tensor<3x4x2xi32>
    %at = stablehlo.constant dense<[[[1], [1]], [[0], [3]], [[9], [2]]]> : tensor<3x2x1xi32>
    %u = stablehlo.constant dense<[[[3, 1], [0, -2]], [[-2, -4], [-4, -4]], [[-3, 3], [1, 4]]]> : tensor<3x2x2xi32>
    return %x, %at, %u : tensor<3x4x2xi32>, tensor<3x2x1xi32>, tensor<3x2x2xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<3x4x2xi32>, tensor<3x2x1xi32>, tensor<3x2x2xi32>)
            %r = "stablehlo.scatter"(%x, %at, %u) ({
      ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):
    %d = stablehlo.add %a0, %a0 : tensor<i32>
    %s = stablehlo.add %d, %b0 : tensor<i32>
    stablehlo.return %s : tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}
              : (tensor<3x4x2xi32>, tensor<3x2x1xi32>, tensor<3x2x2xi32>) -> tensor<3x4x2xi32>
    %r_expected = stablehlo.constant dense<[[[0, 1], [14, 12], [4, 5], [6, 7]], [[14, 14], [10, 11], [12, 13], [24, 26]], [[16, 17], [18, 19], [41, 46], [22, 23]]]> : tensor<3x4x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4x2xi32>, tensor<3x4x2xi32>) -> ()
    return
  }
}

// -----

module @two_operands {
  func.func private @inputs() -> (tensor<4xi32>, tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
    %y = stablehlo.constant dense<[0, 10, 20, 30]> : tensor<4xi32>
    %at = stablehlo.constant dense<[[1], [3], [1], [7]]> : tensor<4x1xi32>
    %u = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
    %v = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    return %x, %y, %at, %u, %v : tensor<4xi32>, tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xi32>
  }
  func.func @main() {
    %x, %y, %at, %u, %v = call @inputs() : () -> (tensor<4xi32>, tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xi32>)
            %r:2 = "stablehlo.scatter"(%x, %y, %at, %u, %v) ({
      ^bb0(%a0: tensor<i32>, %a1: tensor<i32>, %b0: tensor<i32>, %b1: tensor<i32>):
    %s = stablehlo.add %a0, %b1 : tensor<i32>
            %t = stablehlo.multiply %a1, %b0 : tensor<i32>
            stablehlo.return %s, %t : tensor<i32>, tensor<i32>
      }) {
              scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
                scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
              : (tensor<4xi32>, tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
            %q = stablehlo.add %r#0, %r#0 : tensor<4xi32>
            %s = stablehlo.add %r#1, %r#1 : tensor<4xi32>
    %q_expected = stablehlo.constant dense<[0, 10, 4, 10]> : tensor<4xi32>
    %s_expected = stablehlo.constant dense<[0, 700, 40, 360]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    return
  }
}
