// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @inside {
  func.func private @inputs() -> (tensor<5x6xi32>, tensor<i64>, tensor<i64>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    %i0 = stablehlo.constant dense<1> : tensor<i64>
    %i1 = stablehlo.constant dense<2> : tensor<i64>
    return %x, %i0, %i1 : tensor<5x6xi32>, tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %x, %i0, %i1 = call @inputs() : () -> (tensor<5x6xi32>, tensor<i64>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2, 3] : (tensor<5x6xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
    %r_expected = stablehlo.constant dense<[[8, 9, 10], [14, 15, 16]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    return
  }
}

// -----

module @clamped_high {
  func.func private @inputs() -> (tensor<5x6xi32>, tensor<i64>, tensor<i64>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    %i0 = stablehlo.constant dense<9> : tensor<i64>
    %i1 = stablehlo.constant dense<5> : tensor<i64>
    return %x, %i0, %i1 : tensor<5x6xi32>, tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %x, %i0, %i1 = call @inputs() : () -> (tensor<5x6xi32>, tensor<i64>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2, 3] : (tensor<5x6xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
    %r_expected = stablehlo.constant dense<[[21, 22, 23], [27, 28, 29]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    return
  }
}

// -----

module @clamped_low {
  func.func private @inputs() -> (tensor<5x6xi32>, tensor<i64>, tensor<i64>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29]]> : tensor<5x6xi32>
    %i0 = stablehlo.constant dense<-3> : tensor<i64>
    %i1 = stablehlo.constant dense<-1> : tensor<i64>
    return %x, %i0, %i1 : tensor<5x6xi32>, tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %x, %i0, %i1 = call @inputs() : () -> (tensor<5x6xi32>, tensor<i64>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2, 3] : (tensor<5x6xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
    %r_expected = stablehlo.constant dense<[[0, 1, 2], [6, 7, 8]]> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    return
  }
}

// -----

module @all {
  func.func private @inputs() -> (tensor<3xi32>, tensor<i64>) {
    %x = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    %i0 = stablehlo.constant dense<2> : tensor<i64>
    return %x, %i0 : tensor<3xi32>, tensor<i64>
  }
  func.func @main() {
    %x, %i0 = call @inputs() : () -> (tensor<3xi32>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, sizes = [3] : (tensor<3xi32>, tensor<i64>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @nothing {
  func.func private @inputs() -> (tensor<5xi32>, tensor<i64>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
    %i0 = stablehlo.constant dense<2> : tensor<i64>
    return %x, %i0 : tensor<5xi32>, tensor<i64>
  }
  func.func @main() {
    %x, %i0 = call @inputs() : () -> (tensor<5xi32>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, sizes = [0] : (tensor<5xi32>, tensor<i64>) -> tensor<0xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0xi32>, tensor<0xi32>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<i32>) {
    %x = stablehlo.constant dense<0> : tensor<i32>
    return %x : tensor<i32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<i32>)
    %r = stablehlo.dynamic_slice %x, sizes = [] : (tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @one_element {
  func.func private @inputs() -> (tensor<4x4xi32>, tensor<i64>, tensor<i64>) {
    %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]> : tensor<4x4xi32>
    %i0 = stablehlo.constant dense<3> : tensor<i64>
    %i1 = stablehlo.constant dense<3> : tensor<i64>
    return %x, %i0, %i1 : tensor<4x4xi32>, tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %x, %i0, %i1 = call @inputs() : () -> (tensor<4x4xi32>, tensor<i64>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [1, 1] : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<1x1xi32>
    %r_expected = stablehlo.constant dense<[[15]]> : tensor<1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x1xi32>, tensor<1x1xi32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[0]], [[1]]]]], [[[[[2]], [[3]]]]], [[[[[4]], [[5]]]]]]], [[[[[[[6]], [[7]]]]], [[[[[8]], [[9]]]]], [[[[[10]], [[11]]]]]]]]]], [[[[[[[[[[12]], [[13]]]]], [[[[[14]], [[15]]]]], [[[[[16]], [[17]]]]]]], [[[[[[[18]], [[19]]]]], [[[[[20]], [[21]]]]], [[[[[22]], [[23]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %i0 = stablehlo.constant dense<0> : tensor<i64>
    %i1 = stablehlo.constant dense<1> : tensor<i64>
    %i2 = stablehlo.constant dense<0> : tensor<i64>
    %i3 = stablehlo.constant dense<0> : tensor<i64>
    %i4 = stablehlo.constant dense<0> : tensor<i64>
    %i5 = stablehlo.constant dense<0> : tensor<i64>
    %i6 = stablehlo.constant dense<2> : tensor<i64>
    %i7 = stablehlo.constant dense<0> : tensor<i64>
    %i8 = stablehlo.constant dense<0> : tensor<i64>
    %i9 = stablehlo.constant dense<0> : tensor<i64>
    %i10 = stablehlo.constant dense<0> : tensor<i64>
    %i11 = stablehlo.constant dense<0> : tensor<i64>
    return %x, %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9, %i10, %i11 : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %x, %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9, %i10, %i11 = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
    %r = stablehlo.dynamic_slice %x, %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9, %i10, %i11, sizes = [1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1] : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[14]]]]], [[[[[16]]]]]]]]]]]]> : tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>, tensor<1x1x1x1x1x1x2x1x1x1x1x1xi32>) -> ()
    return
  }
}

// -----

module @index_ui8 {
  func.func private @inputs() -> (tensor<10xi32>, tensor<ui8>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    %i = stablehlo.constant dense<4> : tensor<ui8>
    return %x, %i : tensor<10xi32>, tensor<ui8>
  }
  func.func @main() {
    %x, %i = call @inputs() : () -> (tensor<10xi32>, tensor<ui8>)
    %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xi32>, tensor<ui8>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @index_i8 {
  func.func private @inputs() -> (tensor<10xi32>, tensor<i8>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    %i = stablehlo.constant dense<4> : tensor<i8>
    return %x, %i : tensor<10xi32>, tensor<i8>
  }
  func.func @main() {
    %x, %i = call @inputs() : () -> (tensor<10xi32>, tensor<i8>)
    %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xi32>, tensor<i8>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @index_ui32 {
  func.func private @inputs() -> (tensor<10xi32>, tensor<ui32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    %i = stablehlo.constant dense<4> : tensor<ui32>
    return %x, %i : tensor<10xi32>, tensor<ui32>
  }
  func.func @main() {
    %x, %i = call @inputs() : () -> (tensor<10xi32>, tensor<ui32>)
    %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xi32>, tensor<ui32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @index_ui64 {
  func.func private @inputs() -> (tensor<10xi32>, tensor<ui64>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    %i = stablehlo.constant dense<4> : tensor<ui64>
    return %x, %i : tensor<10xi32>, tensor<ui64>
  }
  func.func @main() {
    %x, %i = call @inputs() : () -> (tensor<10xi32>, tensor<ui64>)
    %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xi32>, tensor<ui64>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @index_i16 {
  func.func private @inputs() -> (tensor<10xi32>, tensor<i16>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    %i = stablehlo.constant dense<4> : tensor<i16>
    return %x, %i : tensor<10xi32>, tensor<i16>
  }
  func.func @main() {
    %x, %i = call @inputs() : () -> (tensor<10xi32>, tensor<i16>)
    %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xi32>, tensor<i16>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @large_unsigned_index {
  func.func private @inputs() -> (tensor<10xi32>, tensor<ui32>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>
    %i = stablehlo.constant dense<4294967295> : tensor<ui32>
    return %x, %i : tensor<10xi32>, tensor<ui32>
  }
  func.func @main() {
    %x, %i = call @inputs() : () -> (tensor<10xi32>, tensor<ui32>)
    %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xi32>, tensor<ui32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}
