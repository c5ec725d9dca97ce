// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @known_sizes {
  func.func private @inputs() -> (tensor<4x5xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14], [15, 16, 17, 18, 19]]> : tensor<4x5xi32>
    return %x : tensor<4x5xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<4x5xi32>)
    %low = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
    %high = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
    %step = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %r = stablehlo.real_dynamic_slice %x, %low, %high, %step
      : (tensor<4x5xi32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi32>
    %r_expected = stablehlo.constant dense<[[5, 8], [15, 18]]> : tensor<2x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
    return
  }
}
