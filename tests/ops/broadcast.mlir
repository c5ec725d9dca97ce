// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @to_rank_4 {
  func.func private @inputs() -> (tensor<2x3xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    return %x : tensor<2x3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x3xi32>)
    %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 3, 2>} : (tensor<2x3xi32>) -> tensor<3x2x2x3xi32>
    %r_expected = stablehlo.constant dense<[[[[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]], [[[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]], [[[0, 1, 2], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]]]> : tensor<3x2x2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2x2x3xi32>, tensor<3x2x2x3xi32>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<i32>) {
    %x = stablehlo.constant dense<5> : tensor<i32>
    return %x : tensor<i32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<i32>)
    %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 3>} : (tensor<i32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<5> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @no_sizes {
  func.func private @inputs() -> (tensor<3xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    return %x : tensor<3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xi32>)
    %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64>} : (tensor<3xi32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<3xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    return %x : tensor<3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xi32>)
    %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 0, 2>} : (tensor<3xi32>) -> tensor<0x2x3xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0x2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x2x3xi32>, tensor<0x2x3xi32>) -> ()
    return
  }
}
