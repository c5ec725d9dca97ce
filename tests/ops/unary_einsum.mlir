// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @transpose {
  func.func private @inputs() -> (tensor<2x3x4xf32>) {
    %x = stablehlo.constant dense<[[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]], [[0.0e+00, 1.0e+00, 2.0e+00, 1.0e+00], [1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00], [-1.0e+00, 2.0e+00, 1.0e+00, -2.0e+00]]]> : tensor<2x3x4xf32>
    return %x : tensor<2x3x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x3x4xf32>)
    %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ijk->kij"} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %r_expected = stablehlo.constant dense<[[[2.0e+00, -1.0e+00, -2.0e+00], [0.0e+00, 1.0e+00, -1.0e+00]], [[1.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 0.0e+00, 2.0e+00]], [[0.0e+00, -2.0e+00, 1.0e+00], [2.0e+00, 0.0e+00, 1.0e+00]], [[-1.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, -2.0e+00]]]> : tensor<4x2x3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> ()
    return
  }
}

// -----

module @sum {
  func.func private @inputs() -> (tensor<3x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    return %x : tensor<3x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3x4xf32>)
    %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->i"} : (tensor<3x4xf32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[2.0e+00, -7.0e+00, 3.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @sum_of_all {
  func.func private @inputs() -> (tensor<3x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    return %x : tensor<3x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3x4xf32>)
    %r = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->"} : (tensor<3x4xf32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-2.0e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
}
