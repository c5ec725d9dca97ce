// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s

module @known_sizes {
  func.func private @inputs() -> (tensor<3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    %p = stablehlo.constant dense<-1> : tensor<i32>
    return %x, %p : tensor<3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<3xi32>, tensor<i32>)
    %low = stablehlo.constant dense<[-1]> : tensor<1xi64>
    %high = stablehlo.constant dense<[2]> : tensor<1xi64>
    %inside = stablehlo.constant dense<[1]> : tensor<1xi64>
    %r = stablehlo.dynamic_pad %x, %p, %low, %high, %inside
      : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xi32>
    %r_expected = stablehlo.constant dense<[-1, 1, -1, 2, -1, -1]> : tensor<6xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<6xi32>, tensor<6xi32>) -> ()
    return
  }
}
