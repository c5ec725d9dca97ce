// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @index_0 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<0> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @index_1 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<1> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[4.0e+00, 2.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @index_2 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<2> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @index_3 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<3> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @index_100 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<100> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @index_minus_1 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<-1> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @index_minus_2147483648 {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<-2147483648> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<3xf32>
    }, {
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }, {
      %s = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[-2.0e+00, -1.0e+00, -0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @one_branch {
  func.func private @inputs() -> (tensor<i32>, tensor<3xf32>) {
    %i = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00]> : tensor<3xf32>
    return %i, %x : tensor<i32>, tensor<3xf32>
  }
  func.func @main() {
    %i, %x = call @inputs() : () -> (tensor<i32>, tensor<3xf32>)
    %r = "stablehlo.case"(%i) ({
      %s = stablehlo.add %x, %x : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[4.0e+00, 2.0e+00, 0.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @in_a_loop {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    return %zero, %one, %three : tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %zero, %one, %three = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %zero) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %n, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = "stablehlo.case"(%n) ({
        %s = stablehlo.add %v, %three : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }, {
        %s = stablehlo.multiply %v, %three : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }, {
        %s = stablehlo.subtract %v, %one : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %m, %w : tensor<i32>, tensor<i32>
    }
    %r_expected = stablehlo.constant dense<8> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}
