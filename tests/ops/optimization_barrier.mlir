// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @two_operands {
  func.func private @inputs() -> (tensor<3xf32>, tensor<i1>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %y = stablehlo.constant dense<true> : tensor<i1>
    return %x, %y : tensor<3xf32>, tensor<i1>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3xf32>, tensor<i1>)
    %r, %q = stablehlo.optimization_barrier %x, %y : tensor<3xf32>, tensor<i1>
    %r_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %q_expected = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @token {
  func.func private @inputs() -> (tensor<3xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf32>)
    %t = stablehlo.create_token : !stablehlo.token
    %r, %u = stablehlo.optimization_barrier %x, %t : tensor<3xf32>, !stablehlo.token
    %r_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @no_operands {
  func.func private @inputs() -> (tensor<3xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf32>)
    "stablehlo.optimization_barrier"() : () -> ()
    %r = stablehlo.negate %x : tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}
