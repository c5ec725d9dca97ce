// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @split {
  func.func private @inputs() -> (tensor<12xi32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : tensor<12xi32>
    return %x : tensor<12xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<12xi32>)
    %r = stablehlo.reshape %x : (tensor<12xi32>) -> tensor<3x4xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
    return
  }
}

// -----

module @merge {
  func.func private @inputs() -> (tensor<3x4xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
    return %x : tensor<3x4xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3x4xi32>)
    %r = stablehlo.reshape %x : (tensor<3x4xi32>) -> tensor<12xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : tensor<12xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<12xi32>, tensor<12xi32>) -> ()
    return
  }
}

// -----

module @regroup {
  func.func private @inputs() -> (tensor<4x6xi32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23]]> : tensor<4x6xi32>
    return %x : tensor<4x6xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<4x6xi32>)
    %r = stablehlo.reshape %x : (tensor<4x6xi32>) -> tensor<2x3x4xi32>
    %r_expected = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3x4xi32>, tensor<2x3x4xi32>) -> ()
    return
  }
}

// -----

module @to_scalar {
  func.func private @inputs() -> (tensor<1x1xi32>) {
    %x = stablehlo.constant dense<[[0]]> : tensor<1x1xi32>
    return %x : tensor<1x1xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x1xi32>)
    %r = stablehlo.reshape %x : (tensor<1x1xi32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @from_scalar {
  func.func private @inputs() -> (tensor<i32>) {
    %x = stablehlo.constant dense<0> : tensor<i32>
    return %x : tensor<i32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<i32>)
    %r = stablehlo.reshape %x : (tensor<i32>) -> tensor<1xi32>
    %r_expected = stablehlo.constant dense<[0]> : tensor<1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1xi32>, tensor<1xi32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x3xi32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xi32>
    return %x : tensor<0x3xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xi32>)
    %r = stablehlo.reshape %x : (tensor<0x3xi32>) -> tensor<2x0x5xi32>
    %r_expected = stablehlo.constant dense<> : tensor<2x0x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x0x5xi32>, tensor<2x0x5xi32>) -> ()
    return
  }
}

// -----

module @to_rank_12 {
  func.func private @inputs() -> (tensor<2x6x4xi32>) {
    %x = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]], [[24, 25, 26, 27], [28, 29, 30, 31], [32, 33, 34, 35], [36, 37, 38, 39], [40, 41, 42, 43], [44, 45, 46, 47]]]> : tensor<2x6x4xi32>
    return %x : tensor<2x6x4xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x6x4xi32>)
    %r = stablehlo.reshape %x : (tensor<2x6x4xi32>) -> tensor<1x2x1x3x2x1x1x2x1x1x2x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[0], [1]]]], [[[[2], [3]]]]]]], [[[[[[[4], [5]]]], [[[[6], [7]]]]]]]], [[[[[[[[8], [9]]]], [[[[10], [11]]]]]]], [[[[[[[12], [13]]]], [[[[14], [15]]]]]]]], [[[[[[[[16], [17]]]], [[[[18], [19]]]]]]], [[[[[[[20], [21]]]], [[[[22], [23]]]]]]]]]], [[[[[[[[[[24], [25]]]], [[[[26], [27]]]]]]], [[[[[[[28], [29]]]], [[[[30], [31]]]]]]]], [[[[[[[[32], [33]]]], [[[[34], [35]]]]]]], [[[[[[[36], [37]]]], [[[[38], [39]]]]]]]], [[[[[[[[40], [41]]]], [[[[42], [43]]]]]]], [[[[[[[44], [45]]]], [[[[46], [47]]]]]]]]]]]]> : tensor<1x2x1x3x2x1x1x2x1x1x2x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x3x2x1x1x2x1x1x2x1xi32>, tensor<1x2x1x3x2x1x1x2x1x1x2x1xi32>) -> ()
    return
  }
}

// -----

module @unit_dimensions {
  func.func private @inputs() -> (tensor<1x5x1xi32>) {
    %x = stablehlo.constant dense<[[[0], [1], [2], [3], [4]]]> : tensor<1x5x1xi32>
    return %x : tensor<1x5x1xi32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x5x1xi32>)
    %r = stablehlo.reshape %x : (tensor<1x5x1xi32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}
