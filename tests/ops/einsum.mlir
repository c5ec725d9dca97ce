// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @product {
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<4x5xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %y = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [1.0e+00, 1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00]]> : tensor<4x5xf32>
    return %x, %y : tensor<3x4xf32>, tensor<4x5xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x4xf32>, tensor<4x5xf32>)
    %r = "stablehlo.einsum"(%x, %y) {einsum_config = "ij,jk->ik"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %r_expected = stablehlo.constant dense<[[1.0e+00, -1.0e+00, -2.0e+00, -4.0e+00, -2.0e+00], [-2.0e+00, -3.0e+00, 4.0e+00, 3.0e+00, -1.1e+01], [-5.0e+00, -2.0e+00, -4.0e+00, -1.0e+00, 1.2e+01]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
}

// -----

module @batched {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<2x5x4xf32>) {
    %x = stablehlo.constant dense<[[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]], [[0.0e+00, 1.0e+00, 2.0e+00, 1.0e+00], [1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00], [-1.0e+00, 2.0e+00, 1.0e+00, -2.0e+00]]]> : tensor<2x3x4xf32>
    %y = stablehlo.constant dense<"0x000000400000803F00000000000080BF000080BF000000C0000000C0000000C0000000C0000000400000803F00000040000000000000803F000000400000803F0000803F000000000000000000000040000080BF000000400000803F000000C0000080BF0000004000000000000000C00000803F0000803F00000040000000C0000000C000000040000000C000000000000000C0000080BF0000000000000000"> : tensor<2x5x4xf32>
    return %x, %y : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<2x5x4xf32>)
    %r = "stablehlo.einsum"(%x, %y) {einsum_config = "bij,bkj->bik"} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
    %r_expected = stablehlo.constant dense<[[[6.0e+00, -2.0e+00, -4.0e+00, 0.0e+00, 0.0e+00], [-2.0e+00, 1.3e+01, -8.0e+00, -8.0e+00, -5.0e+00], [-4.0e+00, -8.0e+00, 1.3e+01, 6.0e+00, 2.0e+00]], [[2.0e+00, 0.0e+00, 3.0e+00, -2.0e+00, -1.0e+00], [-5.0e+00, -5.0e+00, -3.0e+00, -2.0e+00, -2.0e+00], [1.0e+01, 9.0e+00, 7.0e+00, 4.0e+00, 0.0e+00]]]> : tensor<2x3x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> ()
    return
  }
}

// -----

module @outer {
  func.func private @inputs() -> (tensor<3xf32>, tensor<4xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %y = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00]> : tensor<4xf32>
    return %x, %y : tensor<3xf32>, tensor<4xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3xf32>, tensor<4xf32>)
    %r = "stablehlo.einsum"(%x, %y) {einsum_config = "i,j->ij"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %r_expected = stablehlo.constant dense<[[4.0e+00, 2.0e+00, 0.0e+00, -2.0e+00], [2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    return
  }
}

// -----

module @turned_result {
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<4x5xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %y = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [1.0e+00, 1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00]]> : tensor<4x5xf32>
    return %x, %y : tensor<3x4xf32>, tensor<4x5xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x4xf32>, tensor<4x5xf32>)
    %r = "stablehlo.einsum"(%x, %y) {einsum_config = "ij,jk->ki"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
    %r_expected = stablehlo.constant dense<[[1.0e+00, -2.0e+00, -5.0e+00], [-1.0e+00, -3.0e+00, -2.0e+00], [-2.0e+00, 4.0e+00, -4.0e+00], [-4.0e+00, 3.0e+00, -1.0e+00], [-2.0e+00, -1.1e+01, 1.2e+01]]> : tensor<5x3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x3xf32>, tensor<5x3xf32>) -> ()
    return
  }
}
