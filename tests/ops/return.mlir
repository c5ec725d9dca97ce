// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @values_and_captures {
  func.func private @inputs() -> (tensor<i1>, tensor<3xf32>) {
    %p = stablehlo.constant dense<true> : tensor<i1>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %p, %x : tensor<i1>, tensor<3xf32>
  }
  func.func @main() {
    %p, %x = call @inputs() : () -> (tensor<i1>, tensor<3xf32>)
    %a, %b, %c = "stablehlo.if"(%p) ({
      stablehlo.return %x, %p, %x : tensor<3xf32>, tensor<i1>, tensor<3xf32>
    }, {
      stablehlo.return %x, %p, %x : tensor<3xf32>, tensor<i1>, tensor<3xf32>
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<i1>, tensor<3xf32>)
    %r = stablehlo.add %a, %c : tensor<3xf32>
    %r_expected = stablehlo.constant dense<[4.0e+00, 2.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}
