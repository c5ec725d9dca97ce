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
    %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
    %r = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<3x2xi32>
    %r_expected = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2xi32>, tensor<3x2xi32>) -> ()
    return
  }
}
