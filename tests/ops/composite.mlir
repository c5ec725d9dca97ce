// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @of_unknown_name {
  func.func private @inputs() -> (tensor<3xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf32>)
    %r = stablehlo.composite "tests.double_and_negate" %x {
      composite_attributes = {factor = 2 : i32}, decomposition = @decomposition, version = 3 : i32}
      : (tensor<3xf32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-4.0e+00, -2.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
  func.func private @decomposition(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    %1 = stablehlo.negate %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}

// -----

module @of_two_results {
  func.func private @inputs() -> (tensor<3xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf32>)
    %r, %q = stablehlo.composite "tests.pair" %x {decomposition = @decomposition}
      : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    %q_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
  func.func private @decomposition(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.composite "tests.inner" %x {decomposition = @inner} : (tensor<3xf32>) -> tensor<3xf32>
    return %0, %x : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @inner(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.negate %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
