// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @one_device {
  func.func private @inputs() -> (tensor<2x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    return %x : tensor<2x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x4xf32>)
    %r = "stablehlo.all_to_all"(%x)  {concat_dimension = 0 : i64, split_count = 1 : i64, split_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %r_expected = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    return
  }
}

// -----

module @channel {
  func.func private @inputs() -> (tensor<2x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    return %x : tensor<2x4xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x4xf32>)
    %r = "stablehlo.all_to_all"(%x)  {concat_dimension = 0 : i64, split_count = 1 : i64, split_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %r_expected = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00]]> : tensor<2x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    return
  }
}
