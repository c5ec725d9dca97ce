// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @joined {
  func.func private @inputs() -> (tensor<3xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf32>)
    %a = stablehlo.create_token : !stablehlo.token
    %b = stablehlo.create_token : !stablehlo.token
    %c = stablehlo.after_all %a, %b : !stablehlo.token
    %d = "stablehlo.after_all"() : () -> !stablehlo.token
    %e = stablehlo.after_all %c, %d, %a : !stablehlo.token
    %r = stablehlo.negate %x : tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}
