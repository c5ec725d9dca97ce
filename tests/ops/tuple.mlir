// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @elements {
  func.func private @inputs() -> (tensor<3xf32>, tensor<2x2xi64>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %y = stablehlo.constant dense<[[0, 0], [2, 4]]> : tensor<2x2xi64>
    return %x, %y : tensor<3xf32>, tensor<2x2xi64>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3xf32>, tensor<2x2xi64>)
    %t = stablehlo.tuple %x, %y, %x : tuple<tensor<3xf32>, tensor<2x2xi64>, tensor<3xf32>>
    %r = stablehlo.get_tuple_element %t[2] : (tuple<tensor<3xf32>, tensor<2x2xi64>, tensor<3xf32>>) -> tensor<3xf32>
    %q = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<2x2xi64>, tensor<3xf32>>) -> tensor<2x2xi64>
    %r_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %q_expected = stablehlo.constant dense<[[0, 0], [2, 4]]> : tensor<2x2xi64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<2x2xi64>, tensor<2x2xi64>) -> ()
    return
  }
}

// -----

module @nested {
  func.func private @inputs() -> (tensor<3xf32>, tensor<2x2xi64>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %y = stablehlo.constant dense<[[0, 0], [2, 4]]> : tensor<2x2xi64>
    return %x, %y : tensor<3xf32>, tensor<2x2xi64>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3xf32>, tensor<2x2xi64>)
    %in = stablehlo.tuple %y, %x : tuple<tensor<2x2xi64>, tensor<3xf32>>
    %t = stablehlo.tuple %x, %in : tuple<tensor<3xf32>, tuple<tensor<2x2xi64>, tensor<3xf32>>>
    %out = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tuple<tensor<2x2xi64>, tensor<3xf32>>>) -> tuple<tensor<2x2xi64>, tensor<3xf32>>
    %r = stablehlo.get_tuple_element %out[0] : (tuple<tensor<2x2xi64>, tensor<3xf32>>) -> tensor<2x2xi64>
    %r_expected = stablehlo.constant dense<[[0, 0], [2, 4]]> : tensor<2x2xi64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xi64>, tensor<2x2xi64>) -> ()
    return
  }
}

// -----

module @empty_and_token {
  func.func private @inputs() -> (tensor<3xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf32>)
    %e = stablehlo.tuple : tuple<>
    %k = stablehlo.create_token : !stablehlo.token
    %t = stablehlo.tuple %e, %k, %x : tuple<tuple<>, !stablehlo.token, tensor<3xf32>>
    %r = stablehlo.get_tuple_element %t[2] : (tuple<tuple<>, !stablehlo.token, tensor<3xf32>>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}
