// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @edges {
  func.func private @inputs() -> (tensor<2x3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<2x3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<2x3xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [1, 0], high = [0, 2], interior = [0, 0]
      : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[-7, -7, -7, -7, -7], [0, 1, 2, -7, -7], [3, 4, 5, -7, -7]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @interior {
  func.func private @inputs() -> (tensor<3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<3xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [0], high = [0], interior = [2]
      : (tensor<3xi32>, tensor<i32>) -> tensor<7xi32>
    %r_expected = stablehlo.constant dense<[0, -7, -7, 1, -7, -7, 2]> : tensor<7xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xi32>, tensor<7xi32>) -> ()
    return
  }
}

// -----

module @cut {
  func.func private @inputs() -> (tensor<6xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<6xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<6xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [-2], high = [-1], interior = [0]
      : (tensor<6xi32>, tensor<i32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @cut_interior {
  func.func private @inputs() -> (tensor<3x4xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<3x4xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<3x4xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [-1, 2], high = [1, -4], interior = [1, 2]
      : (tensor<3x4xi32>, tensor<i32>) -> tensor<5x8xi32>
    %r_expected = stablehlo.constant dense<[[-7, -7, -7, -7, -7, -7, -7, -7], [-7, -7, 4, -7, -7, 5, -7, -7], [-7, -7, -7, -7, -7, -7, -7, -7], [-7, -7, 8, -7, -7, 9, -7, -7], [-7, -7, -7, -7, -7, -7, -7, -7]]> : tensor<5x8xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x8xi32>, tensor<5x8xi32>) -> ()
    return
  }
}

// -----

module @to_nothing {
  func.func private @inputs() -> (tensor<3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<3xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [-3], high = [0], interior = [0]
      : (tensor<3xi32>, tensor<i32>) -> tensor<0xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0xi32>, tensor<0xi32>) -> ()
    return
  }
}

// -----

module @from_nothing {
  func.func private @inputs() -> (tensor<0x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<> : tensor<0x2xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<0x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<0x2xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [2, 0], high = [1, 0], interior = [3, 0]
      : (tensor<0x2xi32>, tensor<i32>) -> tensor<3x2xi32>
    %r_expected = stablehlo.constant dense<-7> : tensor<3x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2xi32>, tensor<3x2xi32>) -> ()
    return
  }
}

// -----

module @nothing {
  func.func private @inputs() -> (tensor<3x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<3x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<3x2xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [0, 0], high = [0, 0], interior = [0, 0]
      : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>
    %r_expected = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x2xi32>, tensor<3x2xi32>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<i32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [], high = [], interior = []
      : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @last_inner_only {
  func.func private @inputs() -> (tensor<2x1xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<2x1xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<2x1xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [0, 0], high = [0, 3], interior = [0, 5]
      : (tensor<2x1xi32>, tensor<i32>) -> tensor<2x4xi32>
    %r_expected = stablehlo.constant dense<[[0, -7, -7, -7], [1, -7, -7, -7]]> : tensor<2x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %p = stablehlo.constant dense<-7> : tensor<i32>
    return %x, %p : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %p = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>)
    %r = stablehlo.pad %x, %p, low = [0, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], high = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
      : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>) -> tensor<2x1x2x1x2x1x5x1x1x2x1x1xi32>
    %r_expected = stablehlo.constant dense<"0xF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFF0C0000000D000000F9FFFFFFF9FFFFFF0E0000000F000000F9FFFFFFF9FFFFFF10000000110000001200000013000000F9FFFFFFF9FFFFFF1400000015000000F9FFFFFFF9FFFFFF1600000017000000F9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFFF9FFFFFF"> : tensor<2x1x2x1x2x1x5x1x1x2x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x1x2x1x2x1x5x1x1x2x1x1xi32>, tensor<2x1x2x1x2x1x5x1x1x2x1x1xi32>) -> ()
    return
  }
}
