// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @inner {
  func.func private @inputs() -> (tensor<2x5xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]> : tensor<2x5xi32>
    return %x : tensor<2x5xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x5xi32>)
    %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x5xi32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<5> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x5xi32>) {
    %x = stablehlo.constant dense<> : tensor<0x5xi32>
    return %x : tensor<0x5xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x5xi32>)
    %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<0x5xi32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}
