// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @known_sizes {
  func.func private @inputs() -> (tensor<2x3xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    return %x : tensor<2x3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x3xi32>)
    %shape = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi32>
    %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %shape) {broadcast_dimensions = array<i64: 1, 2>,
      known_nonexpanding_dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<4x2x3xi32>
    %r_expected = stablehlo.constant dense<[[[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]]> : tensor<4x2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2x3xi32>, tensor<4x2x3xi32>) -> ()
    return
  }
}
