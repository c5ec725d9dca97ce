// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @taken {
  func.func private @inputs() -> (tensor<i1>, tensor<3xf32>, tensor<3xf32>) {
    %p = stablehlo.constant dense<true> : tensor<i1>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %y = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00]> : tensor<3xf32>
    return %p, %x, %y : tensor<i1>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @main() {
    %p, %x, %y = call @inputs() : () -> (tensor<i1>, tensor<3xf32>, tensor<3xf32>)
    %a, %b = "stablehlo.if"(%p) ({
      %s = stablehlo.add %x, %y : tensor<3xf32>
      stablehlo.return %s, %x : tensor<3xf32>, tensor<3xf32>
    }, {
      %d = stablehlo.subtract %x, %y : tensor<3xf32>
      stablehlo.return %d, %y : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    %r = stablehlo.negate %a : tensor<3xf32>
    %q = stablehlo.negate %b : tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -1.0e+00]> : tensor<3xf32>
    %q_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @not_taken {
  func.func private @inputs() -> (tensor<i1>, tensor<3xf32>, tensor<3xf32>) {
    %p = stablehlo.constant dense<false> : tensor<i1>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    %y = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00]> : tensor<3xf32>
    return %p, %x, %y : tensor<i1>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @main() {
    %p, %x, %y = call @inputs() : () -> (tensor<i1>, tensor<3xf32>, tensor<3xf32>)
    %a, %b = "stablehlo.if"(%p) ({
      %s = stablehlo.add %x, %y : tensor<3xf32>
      stablehlo.return %s, %x : tensor<3xf32>, tensor<3xf32>
    }, {
      %d = stablehlo.subtract %x, %y : tensor<3xf32>
      stablehlo.return %d, %y : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    %r = stablehlo.negate %a : tensor<3xf32>
    %q = stablehlo.negate %b : tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, 1.0e+00]> : tensor<3xf32>
    %q_expected = stablehlo.constant dense<[-0.0e+00, -0.0e+00, -1.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @nested {
  func.func private @inputs() -> (tensor<i1>, tensor<i1>, tensor<3xf32>) {
    %p = stablehlo.constant dense<true> : tensor<i1>
    %q = stablehlo.constant dense<false> : tensor<i1>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %p, %q, %x : tensor<i1>, tensor<i1>, tensor<3xf32>
  }
  func.func @main() {
    %p, %q, %x = call @inputs() : () -> (tensor<i1>, tensor<i1>, tensor<3xf32>)
    %r = "stablehlo.if"(%p) ({
      %s = "stablehlo.if"(%q) ({
        stablehlo.return %x : tensor<3xf32>
      }, {
        %n = stablehlo.negate %x : tensor<3xf32>
        stablehlo.return %n : tensor<3xf32>
      }) : (tensor<i1>) -> tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      stablehlo.return %x : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @token_and_scalar {
  func.func private @inputs() -> (tensor<i1>) {
    %p = stablehlo.constant dense<false> : tensor<i1>
    return %p : tensor<i1>
  }
  func.func @main() {
    %p = call @inputs() : () -> (tensor<i1>)
    %t = stablehlo.create_token : !stablehlo.token
    %u, %r = "stablehlo.if"(%p) ({
      %a = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.return %t, %a : !stablehlo.token, tensor<i32>
    }, {
      %v = stablehlo.after_all %t, %t : !stablehlo.token
      %a = stablehlo.constant dense<2> : tensor<i32>
      stablehlo.return %v, %a : !stablehlo.token, tensor<i32>
    }) : (tensor<i1>) -> (!stablehlo.token, tensor<i32>)
    %r_expected = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}
