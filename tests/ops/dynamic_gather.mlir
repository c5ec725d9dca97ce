// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @known_sizes {
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3x1xi32>) {
    %x = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<4x5xf32>
    %at = stablehlo.constant dense<[[3], [0], [3]]> : tensor<3x1xi32>
    return %x, %at : tensor<4x5xf32>, tensor<3x1xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<4x5xf32>, tensor<3x1xi32>)
    %sizes = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
    %r = "stablehlo.dynamic_gather"(%x, %at, %sizes) {
      dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
                indices_are_sorted = false} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
    %r_expected = stablehlo.constant dense<[[1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
}
