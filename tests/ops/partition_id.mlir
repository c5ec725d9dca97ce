// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @one_device {
  func.func @main() {
    %r = stablehlo.partition_id : tensor<ui32>
    %r_expected = stablehlo.constant dense<0> : tensor<ui32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<ui32>, tensor<ui32>) -> ()
    return
  }
}
