// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @total_order_eq {
  func.func private @inputs() -> (tensor<64xf32>, tensor<64xf32>) {
    %x = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000080000000800000008000000080000000800000008000000080000000800000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000807F0000807F0000807F0000807F0000807F0000807F0000807F0000807F000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF"> : tensor<64xf32>
    %y = stablehlo.constant dense<"0x00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF"> : tensor<64xf32>
    return %x, %y : tensor<64xf32>, tensor<64xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf32>, tensor<64xf32>)
    %r = stablehlo.compare EQ, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, true]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @total_order_ne {
  func.func private @inputs() -> (tensor<64xf32>, tensor<64xf32>) {
    %x = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000080000000800000008000000080000000800000008000000080000000800000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000807F0000807F0000807F0000807F0000807F0000807F0000807F0000807F000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF"> : tensor<64xf32>
    %y = stablehlo.constant dense<"0x00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF"> : tensor<64xf32>
    return %x, %y : tensor<64xf32>, tensor<64xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf32>, tensor<64xf32>)
    %r = stablehlo.compare NE, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @total_order_lt {
  func.func private @inputs() -> (tensor<64xf32>, tensor<64xf32>) {
    %x = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000080000000800000008000000080000000800000008000000080000000800000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000807F0000807F0000807F0000807F0000807F0000807F0000807F0000807F000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF"> : tensor<64xf32>
    %y = stablehlo.constant dense<"0x00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF"> : tensor<64xf32>
    return %x, %y : tensor<64xf32>, tensor<64xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf32>, tensor<64xf32>)
    %r = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[false, false, true, false, true, false, true, false, true, false, true, false, true, false, true, false, false, false, false, false, true, false, true, false, true, true, true, false, true, false, true, false, false, false, false, false, false, false, true, false, true, true, true, true, true, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, true, false]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @total_order_le {
  func.func private @inputs() -> (tensor<64xf32>, tensor<64xf32>) {
    %x = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000080000000800000008000000080000000800000008000000080000000800000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000807F0000807F0000807F0000807F0000807F0000807F0000807F0000807F000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF"> : tensor<64xf32>
    %y = stablehlo.constant dense<"0x00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF"> : tensor<64xf32>
    return %x, %y : tensor<64xf32>, tensor<64xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf32>, tensor<64xf32>)
    %r = stablehlo.compare LE, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[true, false, true, false, true, false, true, false, true, true, true, false, true, false, true, false, false, false, true, false, true, false, true, false, true, true, true, true, true, false, true, false, false, false, false, false, true, false, true, false, true, true, true, true, true, true, true, false, false, false, false, false, false, false, true, false, true, true, true, true, true, true, true, true]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @total_order_gt {
  func.func private @inputs() -> (tensor<64xf32>, tensor<64xf32>) {
    %x = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000080000000800000008000000080000000800000008000000080000000800000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000807F0000807F0000807F0000807F0000807F0000807F0000807F0000807F000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF"> : tensor<64xf32>
    %y = stablehlo.constant dense<"0x00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF"> : tensor<64xf32>
    return %x, %y : tensor<64xf32>, tensor<64xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf32>, tensor<64xf32>)
    %r = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[false, true, false, true, false, true, false, true, false, false, false, true, false, true, false, true, true, true, false, true, false, true, false, true, false, false, false, false, false, true, false, true, true, true, true, true, false, true, false, true, false, false, false, false, false, false, false, true, true, true, true, true, true, true, false, true, false, false, false, false, false, false, false, false]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @total_order_ge {
  func.func private @inputs() -> (tensor<64xf32>, tensor<64xf32>) {
    %x = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000080000000800000008000000080000000800000008000000080000000800000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F000080BF000080BF000080BF000080BF000080BF000080BF000080BF000080BF0000807F0000807F0000807F0000807F0000807F0000807F0000807F0000807F000080FF000080FF000080FF000080FF000080FF000080FF000080FF000080FF0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C07F0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF0000C0FF"> : tensor<64xf32>
    %y = stablehlo.constant dense<"0x00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF00000000000000800000803F000080BF0000807F000080FF0000C07F0000C0FF"> : tensor<64xf32>
    return %x, %y : tensor<64xf32>, tensor<64xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf32>, tensor<64xf32>)
    %r = stablehlo.compare GE, %x, %y, TOTALORDER : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[true, true, false, true, false, true, false, true, false, true, false, true, false, true, false, true, true, true, true, true, false, true, false, true, false, false, false, true, false, true, false, true, true, true, true, true, true, true, false, true, false, false, false, false, false, true, false, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, true]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @rank_0 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<3> : tensor<i32>
    %y = stablehlo.constant dense<0> : tensor<i32>
    return %x, %y : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>)
    %r = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @rank_2 {
  func.func private @inputs() -> (tensor<0x2xi32>, tensor<0x2xi32>) {
    %x = stablehlo.constant dense<> : tensor<0x2xi32>
    %y = stablehlo.constant dense<> : tensor<0x2xi32>
    return %x, %y : tensor<0x2xi32>, tensor<0x2xi32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<0x2xi32>, tensor<0x2xi32>)
    %r = stablehlo.compare LT, %x, %y, SIGNED : (tensor<0x2xi32>, tensor<0x2xi32>) -> tensor<0x2xi1>
    %r_expected = stablehlo.constant dense<> : tensor<0x2xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x2xi1>, tensor<0x2xi1>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[3]], [[1]]]]], [[[[[0]], [[-2]]]]], [[[[[-2]], [[-4]]]]]]], [[[[[[[-4]], [[-4]]]]], [[[[[-3]], [[3]]]]], [[[[[1]], [[4]]]]]]]]]], [[[[[[[[[[0]], [[1]]]]], [[[[[4]], [[2]]]]], [[[[[1]], [[0]]]]]]], [[[[[[[1]], [[4]]]]], [[[[[-2]], [[3]]]]], [[[[[2]], [[-4]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %y = stablehlo.constant dense<[[[[[[[[[[[[0]], [[0]]]]], [[[[[2]], [[4]]]]], [[[[[-4]], [[-3]]]]]]], [[[[[[[3]], [[4]]]]], [[[[[-2]], [[-2]]]]], [[[[[3]], [[-1]]]]]]]]]], [[[[[[[[[[-2]], [[3]]]]], [[[[[-2]], [[-1]]]]], [[[[[1]], [[0]]]]]]], [[[[[[[-4]], [[-4]]]]], [[[[[3]], [[2]]]]], [[[[[3]], [[0]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    return %x, %y : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>)
    %r = stablehlo.compare LT, %x, %y, SIGNED : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[false]], [[false]]]]], [[[[[true]], [[true]]]]], [[[[[false]], [[true]]]]]]], [[[[[[[true]], [[true]]]]], [[[[[true]], [[false]]]]], [[[[[true]], [[false]]]]]]]]]], [[[[[[[[[[false]], [[true]]]]], [[[[[false]], [[false]]]]], [[[[[false]], [[false]]]]]]], [[[[[[[false]], [[false]]]]], [[[[[true]], [[false]]]]], [[[[[true]], [[true]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>) -> ()
    return
  }
}

// -----

module @unsigned {
  func.func private @inputs() -> (tensor<2xui32>, tensor<2xui32>) {
    %x = stablehlo.constant dense<[1, 4294967295]> : tensor<2xui32>
    %y = stablehlo.constant dense<[4294967295, 1]> : tensor<2xui32>
    return %x, %y : tensor<2xui32>, tensor<2xui32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<2xui32>, tensor<2xui32>)
    %r = stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi1>
    %r_expected = stablehlo.constant dense<[false, true]> : tensor<2xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xi1>, tensor<2xi1>) -> ()
    return
  }
}
