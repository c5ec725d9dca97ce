// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @outer {
  func.func private @inputs() -> (tensor<2x3xi32>, tensor<1x3xi32>, tensor<4x3xi32>) {
    %x0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    %x1 = stablehlo.constant dense<[[100, 101, 102]]> : tensor<1x3xi32>
    %x2 = stablehlo.constant dense<[[200, 201, 202], [203, 204, 205], [206, 207, 208], [209, 210, 211]]> : tensor<4x3xi32>
    return %x0, %x1, %x2 : tensor<2x3xi32>, tensor<1x3xi32>, tensor<4x3xi32>
  }
  func.func @main() {
    %x0, %x1, %x2 = call @inputs() : () -> (tensor<2x3xi32>, tensor<1x3xi32>, tensor<4x3xi32>)
    %r = stablehlo.concatenate %x0, %x1, %x2, dim = 0 : (tensor<2x3xi32>, tensor<1x3xi32>, tensor<4x3xi32>) -> tensor<7x3xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [100, 101, 102], [200, 201, 202], [203, 204, 205], [206, 207, 208], [209, 210, 211]]> : tensor<7x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7x3xi32>, tensor<7x3xi32>) -> ()
    return
  }
}

// -----

module @inner {
  func.func private @inputs() -> (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x5xi32>) {
    %x0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    %x1 = stablehlo.constant dense<[[100], [101]]> : tensor<2x1xi32>
    %x2 = stablehlo.constant dense<[[200, 201, 202, 203, 204], [205, 206, 207, 208, 209]]> : tensor<2x5xi32>
    return %x0, %x1, %x2 : tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x5xi32>
  }
  func.func @main() {
    %x0, %x1, %x2 = call @inputs() : () -> (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x5xi32>)
    %r = stablehlo.concatenate %x0, %x1, %x2, dim = 1 : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x5xi32>) -> tensor<2x9xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2, 100, 200, 201, 202, 203, 204], [3, 4, 5, 101, 205, 206, 207, 208, 209]]> : tensor<2x9xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x9xi32>, tensor<2x9xi32>) -> ()
    return
  }
}

// -----

module @single {
  func.func private @inputs() -> (tensor<2x3xi32>) {
    %x0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    return %x0 : tensor<2x3xi32>
  }
  func.func @main() {
    %x0 = call @inputs() : () -> (tensor<2x3xi32>)
    %r = stablehlo.concatenate %x0, dim = 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    return
  }
}

// -----

module @zero_extents {
  func.func private @inputs() -> (tensor<0x3xi32>, tensor<2x3xi32>, tensor<0x3xi32>) {
    %x0 = stablehlo.constant dense<> : tensor<0x3xi32>
    %x1 = stablehlo.constant dense<[[100, 101, 102], [103, 104, 105]]> : tensor<2x3xi32>
    %x2 = stablehlo.constant dense<> : tensor<0x3xi32>
    return %x0, %x1, %x2 : tensor<0x3xi32>, tensor<2x3xi32>, tensor<0x3xi32>
  }
  func.func @main() {
    %x0, %x1, %x2 = call @inputs() : () -> (tensor<0x3xi32>, tensor<2x3xi32>, tensor<0x3xi32>)
    %r = stablehlo.concatenate %x0, %x1, %x2, dim = 0 : (tensor<0x3xi32>, tensor<2x3xi32>, tensor<0x3xi32>) -> tensor<2x3xi32>
    %r_expected = stablehlo.constant dense<[[100, 101, 102], [103, 104, 105]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    return
  }
}

// -----

module @only_zero_extents {
  func.func private @inputs() -> (tensor<0xi32>, tensor<0xi32>) {
    %x0 = stablehlo.constant dense<> : tensor<0xi32>
    %x1 = stablehlo.constant dense<> : tensor<0xi32>
    return %x0, %x1 : tensor<0xi32>, tensor<0xi32>
  }
  func.func @main() {
    %x0, %x1 = call @inputs() : () -> (tensor<0xi32>, tensor<0xi32>)
    %r = stablehlo.concatenate %x0, %x1, dim = 0 : (tensor<0xi32>, tensor<0xi32>) -> tensor<0xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0xi32>, tensor<0xi32>) -> ()
    return
  }
}

// -----

module @middle {
  func.func private @inputs() -> (tensor<2x1x3xi32>, tensor<2x2x3xi32>) {
    %x0 = stablehlo.constant dense<[[[0, 1, 2]], [[3, 4, 5]]]> : tensor<2x1x3xi32>
    %x1 = stablehlo.constant dense<[[[100, 101, 102], [103, 104, 105]], [[106, 107, 108], [109, 110, 111]]]> : tensor<2x2x3xi32>
    return %x0, %x1 : tensor<2x1x3xi32>, tensor<2x2x3xi32>
  }
  func.func @main() {
    %x0, %x1 = call @inputs() : () -> (tensor<2x1x3xi32>, tensor<2x2x3xi32>)
    %r = stablehlo.concatenate %x0, %x1, dim = 1 : (tensor<2x1x3xi32>, tensor<2x2x3xi32>) -> tensor<2x3x3xi32>
    %r_expected = stablehlo.constant dense<[[[0, 1, 2], [100, 101, 102], [103, 104, 105]], [[3, 4, 5], [106, 107, 108], [109, 110, 111]]]> : tensor<2x3x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> ()
    return
  }
}

// -----

module @nine_operands {
  func.func private @inputs() -> (tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>) {
    %x0 = stablehlo.constant dense<[0]> : tensor<1xi32>
    %x1 = stablehlo.constant dense<[100, 101]> : tensor<2xi32>
    %x2 = stablehlo.constant dense<[200, 201, 202]> : tensor<3xi32>
    %x3 = stablehlo.constant dense<[300]> : tensor<1xi32>
    %x4 = stablehlo.constant dense<[400, 401]> : tensor<2xi32>
    %x5 = stablehlo.constant dense<[500, 501, 502]> : tensor<3xi32>
    %x6 = stablehlo.constant dense<[600]> : tensor<1xi32>
    %x7 = stablehlo.constant dense<[700, 701]> : tensor<2xi32>
    %x8 = stablehlo.constant dense<[800, 801, 802]> : tensor<3xi32>
    return %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8 : tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>
  }
  func.func @main() {
    %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8 = call @inputs() : () -> (tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>)
    %r = stablehlo.concatenate %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, dim = 0 : (tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<1xi32>, tensor<2xi32>, tensor<3xi32>) -> tensor<18xi32>
    %r_expected = stablehlo.constant dense<[0, 100, 101, 200, 201, 202, 300, 400, 401, 500, 501, 502, 600, 700, 701, 800, 801, 802]> : tensor<18xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<18xi32>, tensor<18xi32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) {
    %x0 = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %x1 = stablehlo.constant dense<[[[[[[[[[[[[100]], [[101]]]]], [[[[[102]], [[103]]]]], [[[[[104]], [[105]]]]]]], [[[[[[[106]], [[107]]]]], [[[[[108]], [[109]]]]], [[[[[110]], [[111]]]]]]]]]], [[[[[[[[[[112]], [[113]]]]], [[[[[114]], [[115]]]]], [[[[[116]], [[117]]]]]]], [[[[[[[118]], [[119]]]]], [[[[[120]], [[121]]]]], [[[[[122]], [[123]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    return %x0, %x1 : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
  }
  func.func @main() {
    %x0, %x1 = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>)
    %r = stablehlo.concatenate %x0, %x1, dim = 6 : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) -> tensor<1x2x1x1x2x1x6x1x1x2x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]], [[[[[100]], [[101]]]]], [[[[[102]], [[103]]]]], [[[[[104]], [[105]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]], [[[[[106]], [[107]]]]], [[[[[108]], [[109]]]]], [[[[[110]], [[111]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]], [[[[[112]], [[113]]]]], [[[[[114]], [[115]]]]], [[[[[116]], [[117]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]], [[[[[118]], [[119]]]]], [[[[[120]], [[121]]]]], [[[[[122]], [[123]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x6x1x1x2x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x6x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x6x1x1x2x1x1xi32>) -> ()
    return
  }
}
