// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @to_itself {
  func.func private @inputs() -> (tensor<2x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    return %x : tensor<2x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x4xf32>)
    %r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %r_expected = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    return
  }
}

// -----

module @to_nobody {
  func.func private @inputs() -> (tensor<2x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    return %x : tensor<2x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x4xf32>)
    %r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %r_expected = stablehlo.constant dense<0.0e+00> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    return
  }
}
