// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @inside {
  func.func private @inputs() -> (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    %u = stablehlo.constant dense<[[3, -4, -3], [-2, -3, 3]]> : tensor<2x3xi32>
    %i0 = stablehlo.constant dense<1> : tensor<i32>
    %i1 = stablehlo.constant dense<2> : tensor<i32>
    return %x, %u, %i0, %i1 : tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %u, %i0, %i1 = call @inputs() : () -> (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<5x6xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 3, -4, -3, 11], [12, 13, -2, -3, 3, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x6xi32>, tensor<5x6xi32>) -> ()
    return
  }
}

// -----

module @clamped_high {
  func.func private @inputs() -> (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    %u = stablehlo.constant dense<[[3, -4, -3], [-2, -3, 3]]> : tensor<2x3xi32>
    %i0 = stablehlo.constant dense<9> : tensor<i32>
    %i1 = stablehlo.constant dense<5> : tensor<i32>
    return %x, %u, %i0, %i1 : tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %u, %i0, %i1 = call @inputs() : () -> (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<5x6xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 3, -4, -3], [24, 25, 26, -2, -3, 3]]> : tensor<5x6xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x6xi32>, tensor<5x6xi32>) -> ()
    return
  }
}

// -----

module @clamped_low {
  func.func private @inputs() -> (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    %u = stablehlo.constant dense<[[3, -4, -3], [-2, -3, 3]]> : tensor<2x3xi32>
    %i0 = stablehlo.constant dense<-3> : tensor<i32>
    %i1 = stablehlo.constant dense<-1> : tensor<i32>
    return %x, %u, %i0, %i1 : tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %u, %i0, %i1 = call @inputs() : () -> (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<5x6xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<5x6xi32>
    %r_expected = stablehlo.constant dense<[[3, -4, -3, 3, 4, 5], [-2, -3, 3, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x6xi32>, tensor<5x6xi32>) -> ()
    return
  }
}

// -----

module @all {
  func.func private @inputs() -> (tensor<3xi32>, tensor<3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    %u = stablehlo.constant dense<[3, -4, -3]> : tensor<3xi32>
    %i0 = stablehlo.constant dense<2> : tensor<i32>
    return %x, %u, %i0 : tensor<3xi32>, tensor<3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %u, %i0 = call @inputs() : () -> (tensor<3xi32>, tensor<3xi32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u, %i0 : (tensor<3xi32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[3, -4, -3]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @nothing {
  func.func private @inputs() -> (tensor<5xi32>, tensor<0xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %u = stablehlo.constant dense<> : tensor<0xi32>
    %i0 = stablehlo.constant dense<2> : tensor<i32>
    return %x, %u, %i0 : tensor<5xi32>, tensor<0xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %u, %i0 = call @inputs() : () -> (tensor<5xi32>, tensor<0xi32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u, %i0 : (tensor<5xi32>, tensor<0xi32>, tensor<i32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<0> : tensor<i32>
    %u = stablehlo.constant dense<3> : tensor<i32>
    return %x, %u : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %u = call @inputs() : () -> (tensor<i32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %u = stablehlo.constant dense<[[[[[[[[[[[[3]]]]], [[[[[-4]]]]]]]]]]]]> : tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %i1 = stablehlo.constant dense<1> : tensor<i32>
    %i2 = stablehlo.constant dense<0> : tensor<i32>
    %i3 = stablehlo.constant dense<0> : tensor<i32>
    %i4 = stablehlo.constant dense<0> : tensor<i32>
    %i5 = stablehlo.constant dense<0> : tensor<i32>
    %i6 = stablehlo.constant dense<2> : tensor<i32>
    %i7 = stablehlo.constant dense<0> : tensor<i32>
    %i8 = stablehlo.constant dense<0> : tensor<i32>
    %i9 = stablehlo.constant dense<0> : tensor<i32>
    %i10 = stablehlo.constant dense<0> : tensor<i32>
    %i11 = stablehlo.constant dense<0> : tensor<i32>
    return %x, %u, %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9, %i10, %i11 : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %u, %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9, %i10, %i11 = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %r = stablehlo.dynamic_update_slice %x, %u, %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9, %i10, %i11 : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[3]], [[15]]]]], [[[[[-4]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>) -> ()
    return
  }
}
