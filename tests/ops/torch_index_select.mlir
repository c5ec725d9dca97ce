// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @outer {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<3xi32>) {
    %x = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
    %at = stablehlo.constant dense<[1, 0, 1]> : tensor<3xi32>
    return %x, %at : tensor<2x3x4xf32>, tensor<3xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<3xi32>)
    %r = "stablehlo.torch_index_select"(%x, %at) {dim = 0 : i64, batch_dims = 0 : i64}
      : (tensor<2x3x4xf32>, tensor<3xi32>) -> tensor<3x3x4xf32>
    %r_expected = stablehlo.constant dense<"0x00004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B841000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B841"> : tensor<3x3x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x3x4xf32>, tensor<3x3x4xf32>) -> ()
    return
  }
}

// -----

module @inner {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<2xi32>) {
    %x = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
    %at = stablehlo.constant dense<[3, 0]> : tensor<2xi32>
    return %x, %at : tensor<2x3x4xf32>, tensor<2xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<2xi32>)
    %r = "stablehlo.torch_index_select"(%x, %at) {dim = 2 : i64, batch_dims = 0 : i64}
      : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<2x3x2xf32>
    %r_expected = stablehlo.constant dense<[[[3.0e+00, 0.0e+00], [7.0e+00, 4.0e+00], [1.1e+01, 8.0e+00]], [[1.5e+01, 1.2e+01], [1.9e+01, 1.6e+01], [2.3e+01, 2.0e+01]]]> : tensor<2x3x2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> ()
    return
  }
}

// -----

module @batched {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<2x2xi32>) {
    %x = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
    %at = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
    return %x, %at : tensor<2x3x4xf32>, tensor<2x2xi32>
  }
  func.func @main() {
    %x, %at = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<2x2xi32>)
    %r = "stablehlo.torch_index_select"(%x, %at) {dim = 1 : i64, batch_dims = 1 : i64}
      : (tensor<2x3x4xf32>, tensor<2x2xi32>) -> tensor<2x2x4xf32>
    %r_expected = stablehlo.constant dense<[[[8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00]], [[1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]]]> : tensor<2x2x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2x4xf32>, tensor<2x2x4xf32>) -> ()
    return
  }
}
