// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @known_sizes {
  func.func @main() {
    %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    %r = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x4xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    return
  }
}
