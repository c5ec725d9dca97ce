// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @truncates_and_saturates {
  func.func private @inputs() -> (tensor<8xf32>) {
    %x = stablehlo.constant dense<"0x9A9939409A9939C0F9021550F90215D00000807F000080FF0000C07F00009643"> : tensor<8xf32>
    return %x : tensor<8xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<8xf32>)
    %r = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi8>
    %r_expected = stablehlo.constant dense<[2, -2, 127, -128, 127, -128, 0, 127]> : tensor<8xi8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<8xi8>, tensor<8xi8>) -> ()
    return
  }
}

// -----

module @rounds_to_even {
  func.func private @inputs() -> (tensor<3xi64>) {
    %x = stablehlo.constant dense<[16777217, 16777219, -16777217]> : tensor<3xi64>
    return %x : tensor<3xi64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xi64>)
    %r = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[1.6777216e+07, 1.677722e+07, -1.6777216e+07]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @real_part {
  func.func private @inputs() -> (tensor<2xcomplex<f32>>) {
    %x = stablehlo.constant dense<"0x0000C03F00000040000080C000004040"> : tensor<2xcomplex<f32>>
    return %x : tensor<2xcomplex<f32>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xcomplex<f32>>)
    %r = stablehlo.convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
    %r_expected = stablehlo.constant dense<[1.5e+00, -4.0e+00]> : tensor<2xf64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[3]], [[1]]]]], [[[[[0]], [[-2]]]]], [[[[[-2]], [[-4]]]]]]], [[[[[[[-4]], [[-4]]]]], [[[[[-3]], [[3]]]]], [[[[[1]], [[4]]]]]]]]]], [[[[[[[[[[0]], [[1]]]]], [[[[[4]], [[2]]]]], [[[[[1]], [[0]]]]]]], [[[[[[[1]], [[4]]]]], [[[[[-2]], [[3]]]]], [[[[[2]], [[-4]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>)
    %r = stablehlo.convert %x : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf64>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[3.0e+00]], [[1.0e+00]]]]], [[[[[0.0e+00]], [[-2.0e+00]]]]], [[[[[-2.0e+00]], [[-4.0e+00]]]]]]], [[[[[[[-4.0e+00]], [[-4.0e+00]]]]], [[[[[-3.0e+00]], [[3.0e+00]]]]], [[[[[1.0e+00]], [[4.0e+00]]]]]]]]]], [[[[[[[[[[0.0e+00]], [[1.0e+00]]]]], [[[[[4.0e+00]], [[2.0e+00]]]]], [[[[[1.0e+00]], [[0.0e+00]]]]]]], [[[[[[[1.0e+00]], [[4.0e+00]]]]], [[[[[-2.0e+00]], [[3.0e+00]]]]], [[[[[2.0e+00]], [[-4.0e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf64>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf64>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x4xi32>) {
    %x = stablehlo.constant dense<> : tensor<0x4xi32>
    return %x : tensor<0x4xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x4xi32>)
    %r = stablehlo.convert %x : (tensor<0x4xi32>) -> tensor<0x4xf64>
    %r_expected = stablehlo.constant dense<> : tensor<0x4xf64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x4xf64>, tensor<0x4xf64>) -> ()
    return
  }
}
