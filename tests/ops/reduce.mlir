// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @dimensions_0 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    %r_expected = stablehlo.constant dense<[[0, 0, -2, -9, -7], [1, -4, -7, -3, 6], [6, 0, -4, 8, 3], [6, -4, 0, 5, 4]]> : tensor<4x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4x5xi32>, tensor<4x5xi32>) -> ()
    return
  }
}

// -----

module @dimensions_1 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[2, 2, -4, -3, 9], [4, -4, -8, 1, -4], [7, -6, -1, 3, 1]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @dimensions_2 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [2]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x4xi32>
    %r_expected = stablehlo.constant dense<[[0, -12, 10, 8], [-2, 3, -5, -7], [-16, 2, 8, 10]]> : tensor<3x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
    return
  }
}

// -----

module @dimensions_01 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<5xi32>
    %r_expected = stablehlo.constant dense<[13, -8, -13, 1, 6]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @dimensions_02 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0, 2]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<4xi32>
    %r_expected = stablehlo.constant dense<[-18, -7, 13, 11]> : tensor<4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    return
  }
}

// -----

module @dimensions_12 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1, 2]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<[6, -11, 4]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @dimensions_012 {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<-1> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @dimensions_none {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = []
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x4x5xi32>
    %r_expected = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4x5xi32>, tensor<3x4x5xi32>) -> ()
    return
  }
}

// -----

module @multiply {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<1> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.multiply across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[-24, -16, 0, 6, -96], [0, 0, -64, 0, -8], [-16, 0, 0, 96, -12]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @maximum {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<-100> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.maximum across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[3, 4, 0, 1, 4], [3, 3, 2, 3, 2], [4, 0, 2, 4, 3]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @minimum {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<100> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.minimum across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[-4, -4, -4, -3, -2], [-2, -4, -4, -4, -4], [-1, -4, -4, -3, -4]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @and {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<-1> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.and across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 4, 0]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @or {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.or across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[-1, -3, -4, -1, -1], [-1, -1, -2, -1, -1], [-1, -1, -1, -1, -1]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @xor {
  func.func private @inputs() -> (tensor<3x4x5xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]], [[-2, 3, 2, -4, -1], [3, 0, -4, 2, 2], [3, -3, -4, 3, -4], [0, -4, -2, 0, -1]], [[-1, -4, -4, -3, -4], [2, 0, 1, -2, 1], [2, -1, 0, 4, 3], [4, -1, 2, 4, 1]]]> : tensor<3x4x5xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x4x5xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x4x5xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.xor across dimensions = [1]
      : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[-4, -8, -4, 3, -3], [-2, 2, -4, -3, -2], [-5, -4, -1, 3, -1]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @start_counts_once {
  func.func private @inputs() -> (tensor<1000xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000FEFFFFFF02000000FCFFFFFF01000000FFFFFFFF04000000FDFFFFFF04000000FCFFFFFF010000000100000004000000FEFFFFFF040000000200000004000000FDFFFFFF0200000004000000FCFFFFFFFFFFFFFF01000000FCFFFFFF00000000010000000200000004000000FFFFFFFFFFFFFFFF0000000004000000FDFFFFFF00000000FCFFFFFFFFFFFFFF0400000001000000FFFFFFFF040000000100000004000000FCFFFFFF000000000300000002000000FFFFFFFF00000000FFFFFFFF00000000FEFFFFFF03000000FCFFFFFFFFFFFFFFFEFFFFFF0200000002000000020000000400000004000000FDFFFFFFFDFFFFFFFDFFFFFF020000000400000004000000020000000400000003000000FCFFFFFFFDFFFFFF03000000FCFFFFFF040000000300000004000000FFFFFFFFFDFFFFFF0000000004000000FFFFFFFF04000000FFFFFFFF03000000FEFFFFFF00000000FEFFFFFFFEFFFFFF0400000003000000FDFFFFFF0400000004000000FEFFFFFFFFFFFFFF0000000001000000FFFFFFFFFDFFFFFF0400000002000000FCFFFFFF0300000002000000FDFFFFFF0100000000000000FCFFFFFF0400000002000000FEFFFFFFFCFFFFFFFCFFFFFF02000000FDFFFFFF000000000400000004000000FEFFFFFFFCFFFFFF000000000300000001000000FCFFFFFF01000000FFFFFFFFFEFFFFFFFFFFFFFF0300000004000000FDFFFFFF0100000002000000FEFFFFFFFEFFFFFFFEFFFFFFFDFFFFFF03000000FDFFFFFFFEFFFFFFFDFFFFFFFDFFFFFF03000000FEFFFFFF030000000100000003000000000000000200000003000000FCFFFFFF0100000000000000FEFFFFFF00000000FFFFFFFF00000000030000000300000001000000020000000400000001000000FFFFFFFFFCFFFFFF00000000FEFFFFFF01000000FCFFFFFF0300000004000000FDFFFFFF03000000FFFFFFFFFCFFFFFF0400000004000000FCFFFFFF010000000300000003000000FFFFFFFF0300000003000000FDFFFFFFFCFFFFFFFCFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFEFFFFFF0100000000000000FEFFFFFF0400000002000000010000000400000003000000FDFFFFFFFCFFFFFF03000000FFFFFFFFFCFFFFFF00000000FFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFF0000000000000000040000000200000002000000FCFFFFFFFEFFFFFF04000000FEFFFFFF00000000030000000100000003000000FDFFFFFF0000000001000000FFFFFFFF010000000400000002000000FEFFFFFFFCFFFFFFFDFFFFFFFEFFFFFF03000000FEFFFFFF03000000FEFFFFFF02000000000000000400000001000000040000000400000002000000010000000300000004000000FEFFFFFF01000000FDFFFFFFFCFFFFFF02000000FCFFFFFF0200000003000000FDFFFFFF02000000FFFFFFFF04000000040000000100000001000000020000000100000002000000FDFFFFFF03000000000000000200000000000000FEFFFFFFFCFFFFFF0000000004000000FCFFFFFF0100000000000000FCFFFFFF00000000020000000200000004000000000000000100000004000000FEFFFFFF03000000FDFFFFFFFFFFFFFF0200000001000000FDFFFFFF010000000100000004000000010000000300000004000000FCFFFFFFFCFFFFFF00000000000000000000000002000000FEFFFFFFFDFFFFFF02000000FFFFFFFF04000000FCFFFFFF0200000002000000FEFFFFFFFCFFFFFFFEFFFFFFFFFFFFFF0400000003000000FEFFFFFF000000000100000004000000FDFFFFFF020000000400000004000000FEFFFFFFFDFFFFFF01000000FCFFFFFFFDFFFFFFFCFFFFFFFDFFFFFF0300000002000000010000000400000000000000FCFFFFFFFDFFFFFFFEFFFFFF02000000FFFFFFFFFEFFFFFFFDFFFFFF02000000FCFFFFFF0000000002000000000000000200000003000000FEFFFFFFFCFFFFFFFCFFFFFF01000000FEFFFFFFFDFFFFFF02000000030000000400000000000000000000000400000000000000FDFFFFFFFEFFFFFF04000000FCFFFFFF0300000001000000000000000300000003000000FFFFFFFF010000000200000001000000000000000400000003000000FCFFFFFF0000000003000000FCFFFFFFFFFFFFFF00000000FEFFFFFF0200000004000000FFFFFFFF03000000FDFFFFFF00000000FCFFFFFFFFFFFFFFFCFFFFFF0300000004000000FCFFFFFF0300000002000000FEFFFFFF03000000040000000300000002000000FEFFFFFF010000000300000002000000FEFFFFFFFFFFFFFFFFFFFFFF02000000FFFFFFFFFFFFFFFF0000000001000000FDFFFFFF04000000FFFFFFFFFDFFFFFFFCFFFFFFFFFFFFFF02000000FEFFFFFF03000000FDFFFFFFFDFFFFFFFFFFFFFF02000000FEFFFFFF03000000FCFFFFFF04000000FCFFFFFF03000000FCFFFFFFFFFFFFFFFEFFFFFF040000000100000004000000FFFFFFFF0000000000000000020000000000000004000000FDFFFFFF00000000FEFFFFFF03000000FDFFFFFF0200000004000000FEFFFFFFFEFFFFFF02000000010000000100000003000000FCFFFFFFFEFFFFFFFFFFFFFF04000000FCFFFFFF0000000000000000FCFFFFFFFFFFFFFF01000000FFFFFFFFFEFFFFFF0100000004000000FDFFFFFFFEFFFFFF04000000FEFFFFFF02000000FFFFFFFF030000000100000004000000010000000100000000000000FCFFFFFFFDFFFFFF020000000100000001000000FDFFFFFF030000000300000000000000FEFFFFFF030000000000000004000000FEFFFFFFFFFFFFFF03000000FDFFFFFFFEFFFFFFFFFFFFFF020000000200000003000000FFFFFFFF010000000100000002000000FDFFFFFFFEFFFFFF02000000FDFFFFFFFEFFFFFF04000000FDFFFFFF0400000003000000FDFFFFFF01000000FEFFFFFF00000000010000000400000004000000FCFFFFFFFDFFFFFF02000000FDFFFFFFFEFFFFFF01000000FDFFFFFF0400000002000000FEFFFFFFFFFFFFFF01000000FEFFFFFF0100000004000000FFFFFFFFFDFFFFFFFEFFFFFF0000000001000000FCFFFFFF01000000FDFFFFFF0100000003000000FDFFFFFF03000000FCFFFFFF0100000002000000FEFFFFFF0300000001000000FFFFFFFFFCFFFFFFFDFFFFFF02000000FFFFFFFF0200000004000000010000000200000001000000FEFFFFFFFCFFFFFF01000000FEFFFFFFFDFFFFFF0100000001000000FFFFFFFF01000000040000000200000004000000FCFFFFFFFDFFFFFFFFFFFFFF01000000020000000200000004000000FDFFFFFFFDFFFFFFFEFFFFFFFDFFFFFF02000000FFFFFFFF04000000FEFFFFFFFFFFFFFFFEFFFFFFFEFFFFFF0300000003000000FEFFFFFF01000000030000000000000004000000FEFFFFFFFEFFFFFFFCFFFFFF01000000FCFFFFFFFDFFFFFF01000000FFFFFFFFFDFFFFFF000000000400000004000000FCFFFFFF020000000000000000000000FFFFFFFF03000000FEFFFFFF0100000002000000FFFFFFFF01000000FDFFFFFF02000000FEFFFFFFFCFFFFFFFEFFFFFFFFFFFFFF010000000000000003000000FFFFFFFF03000000FCFFFFFFFEFFFFFFFDFFFFFFFFFFFFFF04000000FDFFFFFFFDFFFFFFFFFFFFFF03000000FCFFFFFF0300000003000000FFFFFFFFFCFFFFFF000000000200000003000000FDFFFFFF02000000000000000300000002000000020000000300000002000000FFFFFFFF040000000100000003000000FCFFFFFFFDFFFFFF000000000200000004000000FCFFFFFF03000000FFFFFFFF04000000FFFFFFFF04000000FDFFFFFFFFFFFFFF0400000004000000FCFFFFFFFDFFFFFFFCFFFFFF04000000FEFFFFFF000000000400000003000000FEFFFFFFFFFFFFFF0300000000000000FDFFFFFF0400000001000000020000000400000001000000020000000300000004000000000000000100000002000000040000000000000003000000FEFFFFFF03000000FDFFFFFF03000000FFFFFFFF01000000FDFFFFFFFFFFFFFFFCFFFFFF0000000004000000FEFFFFFFFEFFFFFF02000000FDFFFFFFFDFFFFFFFDFFFFFF010000000000000000000000FCFFFFFF02000000FEFFFFFF0200000003000000FCFFFFFFFEFFFFFF01000000FDFFFFFFFFFFFFFFFFFFFFFF010000000200000002000000FEFFFFFF0100000003000000020000000300000000000000010000000000000001000000FEFFFFFF00000000FEFFFFFF00000000020000000300000002000000FDFFFFFFFDFFFFFFFFFFFFFF04000000FCFFFFFF02000000FEFFFFFF00000000FCFFFFFF030000000300000000000000030000000000000002000000FEFFFFFFFEFFFFFFFDFFFFFF00000000020000000300000003000000FDFFFFFF02000000FEFFFFFFFFFFFFFFFFFFFFFF010000000100000001000000FCFFFFFF0400000003000000FFFFFFFF01000000FDFFFFFF01000000030000000400000004000000FCFFFFFFFCFFFFFF02000000FDFFFFFFFDFFFFFF01000000FCFFFFFF03000000FDFFFFFF0100000001000000FDFFFFFFFFFFFFFFFDFFFFFF0400000000000000FDFFFFFF0300000002000000FDFFFFFFFFFFFFFFFCFFFFFF0100000000000000FCFFFFFFFDFFFFFF00000000FCFFFFFF0200000002000000020000000300000003000000FFFFFFFF00000000FEFFFFFFFDFFFFFFFEFFFFFF02000000FFFFFFFF0400000001000000010000000000000003000000FFFFFFFF010000000100000003000000020000000100000001000000FCFFFFFFFFFFFFFFFEFFFFFF01000000FEFFFFFF0100000000000000FFFFFFFF00000000FEFFFFFFFDFFFFFF000000000400000001000000010000000100000003000000FFFFFFFFFFFFFFFF010000000100000004000000FDFFFFFFFFFFFFFFFDFFFFFF03000000"> : tensor<1000xi32>
    %start = stablehlo.constant dense<7> : tensor<i32>
    return %x, %start : tensor<1000xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<1000xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<1000xi32>, tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<155> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xi32>
    %start = stablehlo.constant dense<5> : tensor<i32>
    return %x, %start : tensor<0x3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<0x3xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<0x3xi32>, tensor<i32>) -> tensor<3xi32>
    %r_expected = stablehlo.constant dense<5> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @to_zero_extent {
  func.func private @inputs() -> (tensor<0x3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<0x3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<0x3xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1]
      : (tensor<0x3xi32>, tensor<i32>) -> tensor<0xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0xi32>, tensor<0xi32>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>) {
    %x = stablehlo.constant dense<3> : tensor<i32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<i32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = []
      : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r_expected = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<2x1x2x1x2x1x2x1x2x1x2x3xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000FEFFFFFF02000000FCFFFFFF01000000FFFFFFFF04000000FDFFFFFF04000000FCFFFFFF010000000100000004000000FEFFFFFF040000000200000004000000FDFFFFFF0200000004000000FCFFFFFFFFFFFFFF01000000FCFFFFFF00000000010000000200000004000000FFFFFFFFFFFFFFFF0000000004000000FDFFFFFF00000000FCFFFFFFFFFFFFFF0400000001000000FFFFFFFF040000000100000004000000FCFFFFFF000000000300000002000000FFFFFFFF00000000FFFFFFFF00000000FEFFFFFF03000000FCFFFFFFFFFFFFFFFEFFFFFF0200000002000000020000000400000004000000FDFFFFFFFDFFFFFFFDFFFFFF020000000400000004000000020000000400000003000000FCFFFFFFFDFFFFFF03000000FCFFFFFF040000000300000004000000"> : tensor<2x1x2x1x2x1x2x1x2x1x2x3xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<2x1x2x1x2x1x2x1x2x1x2x3xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<2x1x2x1x2x1x2x1x2x1x2x3xi32>, tensor<i32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0, 3, 6, 11]
      : (tensor<2x1x2x1x2x1x2x1x2x1x2x3xi32>, tensor<i32>) -> tensor<1x2x2x1x1x2x1x2xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[2, 0]], [[0, 0]]]]], [[[[[3, -10]], [[-12, 13]]]]]], [[[[[[7, 8]], [[9, 9]]]]], [[[[[7, 13]], [[2, 5]]]]]]]]> : tensor<1x2x2x1x1x2x1x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x2x1x1x2x1x2xi32>, tensor<1x2x2x1x1x2x1x2xi32>) -> ()
    return
  }
}

// -----

module @length_1 {
  func.func private @inputs() -> (tensor<1xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<[0]> : tensor<1xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<1xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<1xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<1xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<0> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_2 {
  func.func private @inputs() -> (tensor<2xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<[0, 1]> : tensor<2xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<2xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<2xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<2xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<1> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_15 {
  func.func private @inputs() -> (tensor<15xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]> : tensor<15xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<15xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<15xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<15xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<105> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_16 {
  func.func private @inputs() -> (tensor<16xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<16xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<16xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<16xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<120> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_17 {
  func.func private @inputs() -> (tensor<17xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<17xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<17xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<17xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<17xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<-120> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_255 {
  func.func private @inputs() -> (tensor<255xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F3031323334"> : tensor<255xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<255xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<255xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<255xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<-42> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_4097 {
  func.func private @inputs() -> (tensor<4097xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738"> : tensor<4097xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<4097xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<4097xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<4097xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<76> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @length_9001 {
  func.func private @inputs() -> (tensor<9001xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F6061626364000102030405060708090A0B"> : tensor<9001xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<9001xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<9001xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<9001xi8>, tensor<i8>) -> tensor<i8>
    %r_expected = stablehlo.constant dense<-20> : tensor<i8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i8>, tensor<i8>) -> ()
    return
  }
}

// -----

module @tall {
  func.func private @inputs() -> (tensor<1000x3xi8>, tensor<i8>) {
    %x = stablehlo.constant dense<"0x000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203040506000102030405060001020304050600010203"> : tensor<1000x3xi8>
    %start = stablehlo.constant dense<0> : tensor<i8>
    return %x, %start : tensor<1000x3xi8>, tensor<i8>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<1000x3xi8>, tensor<i8>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [0]
      : (tensor<1000x3xi8>, tensor<i8>) -> tensor<3xi8>
    %r_expected = stablehlo.constant dense<[-73, -74, -75]> : tensor<3xi8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi8>, tensor<3xi8>) -> ()
    return
  }
}

// -----

module @f32_maximum_nan {
  func.func private @inputs() -> (tensor<2x3xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<"0x0000803F0000C07F00004040000080400000004000000000"> : tensor<2x3xf32>
    %start = stablehlo.constant dense<"0x000080FF"> : tensor<f32>
    return %x, %start : tensor<2x3xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<2x3xf32>, tensor<f32>)
    %r = stablehlo.reduce(%x init: %start) applies stablehlo.maximum across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %r_expected = stablehlo.constant dense<"0x0000C07F00008040"> : tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return
  }
}

// -----

module @argmax {
  func.func private @inputs() -> (tensor<5x7xf32>, tensor<5x7xi32>, tensor<f32>, tensor<i32>) {
    %x = stablehlo.constant dense<"0x000000400000803F00000000000080BF000080BF000000C0000000C0000000C0000000C0000000400000803F00000040000000000000803F000000400000803F0000803F000000000000000000000040000080BF000000400000803F000000C0000080BF0000004000000000000000C00000803F0000803F00000040000000C0000000C000000040000000C0"> : tensor<5x7xf32>
    %at = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6]]> : tensor<5x7xi32>
    %low = stablehlo.constant dense<"0x000080FF"> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    return %x, %at, %low, %zero : tensor<5x7xf32>, tensor<5x7xi32>, tensor<f32>, tensor<i32>
  }
  func.func @main() {
    %x, %at, %low, %zero = call @inputs() : () -> (tensor<5x7xf32>, tensor<5x7xi32>, tensor<f32>, tensor<i32>)
    %r:2 = stablehlo.reduce(%x init: %low), (%at init: %zero) across dimensions = [1]
      : (tensor<5x7xf32>, tensor<5x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
        %more = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %same = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %first = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %tie = stablehlo.and %same, %first : tensor<i1>
        %left = stablehlo.or %more, %tie : tensor<i1>
        %v = stablehlo.select %left, %a, %b : tensor<i1>, tensor<f32>
        %w = stablehlo.select %left, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %w : tensor<f32>, tensor<i32>
      }
    %value = stablehlo.add %r#0, %r#0 : tensor<5xf32>
    %where = stablehlo.add %r#1, %r#1 : tensor<5xi32>
    %value_expected = stablehlo.constant dense<4.0e+00> : tensor<5xf32>
    %where_expected = stablehlo.constant dense<[0, 4, 0, 0, 4]> : tensor<5xi32>
    stablehlo.custom_call @check.expect_eq(%value, %value_expected) {has_side_effect = true} : (tensor<5xf32>, tensor<5xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%where, %where_expected) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()
    return
  }
}

// -----

module @several_ops {
  func.func private @inputs() -> (tensor<4x33xui8>, tensor<ui8>) {
    %x = stablehlo.constant dense<"0xD6421B4C69D073175599D0BAFE30E10E8E4633A84E8F4226BF6EADABF16C38A2EFF7DEAE61640A2F55589482B1E4E0C6FA51E8EC397891B1B31B7A1AF53372E285AE7FD998A474689784C89778DC36707CE4709D13D4717F18B1A256C4850E374219800985B3947444E552D57162B1F9C9971BC4C9685C32FB2B7E2EC99A281C1805DBD5"> : tensor<4x33xui8>
    %zero = stablehlo.constant dense<0> : tensor<ui8>
    return %x, %zero : tensor<4x33xui8>, tensor<ui8>
  }
  func.func @main() {
    %x, %zero = call @inputs() : () -> (tensor<4x33xui8>, tensor<ui8>)
    %low = stablehlo.constant dense<15> : tensor<ui8>
    %r = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<4x33xui8>, tensor<ui8>) -> tensor<4xui8>
      reducer(%a: tensor<ui8>, %b: tensor<ui8>) {
        %o = stablehlo.or %a, %b : tensor<ui8>
        %e = stablehlo.xor %a, %b : tensor<ui8>
        %l = stablehlo.and %e, %low : tensor<ui8>
        %n = stablehlo.not %low : tensor<ui8>
        %h = stablehlo.and %o, %n : tensor<ui8>
        %s = stablehlo.or %l, %h : tensor<ui8>
        stablehlo.return %s : tensor<ui8>
      }
    %r_expected = stablehlo.constant dense<[240, 244, 250, 248]> : tensor<4xui8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4xui8>, tensor<4xui8>) -> ()
    return
  }
}

// -----

module @three_operands {
  func.func private @inputs() -> (tensor<4x6xi32>, tensor<4x6xf64>, tensor<4x6xi1>, tensor<i32>, tensor<f64>, tensor<i1>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4], [-4, -4, -3, 3, 1, 4], [0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4]]> : tensor<4x6xi32>
    %y = stablehlo.constant dense<[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, -2.0e+00, -2.0e+00], [2.0e+00, 2.0e+00, -1.0e+00, -1.0e+00, 2.0e+00, 0.0e+00], [-1.0e+00, 2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 0.0e+00], [-2.0e+00, -2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00, 0.0e+00]]> : tensor<4x6xf64>
    %z = stablehlo.constant dense<[[true, false, false, false, false, true], [false, false, false, true, true, true], [true, false, true, false, true, false], [false, true, false, true, false, false]]> : tensor<4x6xi1>
    %a = stablehlo.constant dense<0> : tensor<i32>
    %b = stablehlo.constant dense<"0x000000000000F0FF"> : tensor<f64>
    %c = stablehlo.constant dense<false> : tensor<i1>
    return %x, %y, %z, %a, %b, %c : tensor<4x6xi32>, tensor<4x6xf64>, tensor<4x6xi1>, tensor<i32>, tensor<f64>, tensor<i1>
  }
  func.func @main() {
    %x, %y, %z, %a, %b, %c = call @inputs() : () -> (tensor<4x6xi32>, tensor<4x6xf64>, tensor<4x6xi1>, tensor<i32>, tensor<f64>, tensor<i1>)
    %r:3 = stablehlo.reduce(%x init: %a), (%y init: %b), (%z init: %c) across dimensions = [0]
      : (tensor<4x6xi32>, tensor<4x6xf64>, tensor<4x6xi1>, tensor<i32>, tensor<f64>, tensor<i1>) -> (tensor<6xi32>, tensor<6xf64>, tensor<6xi1>)
      reducer(%i: tensor<i32>, %j: tensor<i32>) (%k: tensor<f64>, %l: tensor<f64>) (%m: tensor<i1>, %n: tensor<i1>) {
        %u = stablehlo.add %i, %j : tensor<i32>
        %v = stablehlo.maximum %k, %l : tensor<f64>
        %w = stablehlo.or %m, %n : tensor<i1>
        stablehlo.return %u, %v, %w : tensor<i32>, tensor<f64>, tensor<i1>
      }
    %p = stablehlo.negate %r#0 : tensor<6xi32>
    %q = stablehlo.negate %r#1 : tensor<6xf64>
    %s = stablehlo.not %r#2 : tensor<6xi1>
    %p_expected = stablehlo.constant dense<[0, -2, 1, -6, -2, 4]> : tensor<6xi32>
    %q_expected = stablehlo.constant dense<[-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, -0.0e+00]> : tensor<6xf64>
    %s_expected = stablehlo.constant dense<[false, false, false, false, false, false]> : tensor<6xi1>
    stablehlo.custom_call @check.expect_eq(%p, %p_expected) {has_side_effect = true} : (tensor<6xi32>, tensor<6xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<6xf64>, tensor<6xf64>) -> ()
    stablehlo.custom_call @check.expect_eq(%s, %s_expected) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    return
  }
}
