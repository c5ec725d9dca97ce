// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @specification_example {
  func.func private @inputs() -> (tensor<3x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<3x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x2xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
    %r_expected = stablehlo.constant dense<[[0, 0], [3, 4]]> : tensor<2x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
    return
  }
}

// -----

module @square {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 3, 3>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<5x7xi32>
    %r_expected = stablehlo.constant dense<[[15, 9, 4, -2, -6, -7, -6], [11, 17, 10, 2, 0, 0, 4], [-3, 9, 3, -9, -16, -18, -10], [-3, 3, 0, -9, -11, -15, -9], [3, 1, 3, 2, 1, -4, -1]]> : tensor<5x7xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5x7xi32>, tensor<5x7xi32>) -> ()
    return
  }
}

// -----

module @strides {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<3x3xi32>
    %r_expected = stablehlo.constant dense<[[12, -3, -8], [3, -3, 1], [-3, -5, -8]]> : tensor<3x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x3xi32>, tensor<3x3xi32>) -> ()
    return
  }
}

// -----

module @padding {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 3, 2>, padding = dense<[[1, 1], [0, 3]]> : tensor<2x2xi64>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<7x11xi32>
    %r_expected = stablehlo.constant dense<"0x080000000600000002000000FDFFFFFFFFFFFFFFFEFFFFFFFBFFFFFFFAFFFFFFFDFFFFFF00000000000000000D000000080000000300000002000000FDFFFFFFF9FFFFFFFDFFFFFFFDFFFFFFFDFFFFFF0000000000000000070000000B0000000A00000006000000FCFFFFFF000000000400000000000000000000000000000000000000FDFFFFFF040000000500000003000000F2FFFFFFF2FFFFFFFAFFFFFFF8FFFFFFFCFFFFFF0000000000000000FAFFFFFF0300000003000000FDFFFFFFF7FFFFFFF8FFFFFFF7FFFFFFF9FFFFFF0000000000000000000000000300000002000000FFFFFFFF0300000003000000FDFFFFFFFDFFFFFF010000000200000000000000000000000900000004000000000000000500000008000000050000000400000008000000060000000000000000000000"> : tensor<7x11xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7x11xi32>, tensor<7x11xi32>) -> ()
    return
  }
}

// -----

module @negative_padding {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, padding = dense<[[-1, 2], [1, -3]]> : tensor<2x2xi64>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<7x6xi32>
    %r_expected = stablehlo.constant dense<[[4, 9, 7, 5, 6, 3], [-3, 3, 6, 6, 5, -9], [-8, -8, 2, 4, -2, -12], [-2, -4, -1, -2, -3, -2], [5, 9, 4, 0, 5, 8], [3, 7, 3, 1, 6, 5], [0, 0, 0, 0, 0, 0]]> : tensor<7x6xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7x6xi32>, tensor<7x6xi32>) -> ()
    return
  }
}

// -----

module @window_dilation {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 3, 2>, window_dilations = array<i64: 2, 4>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[-1, -9, -11, -4, -8], [0, 5, 11, -2, 3], [5, -1, -5, 6, 3]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}

// -----

module @base_dilation {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 3>, base_dilations = array<i64: 3, 2>, padding = dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<19x19xi32>
    %r_expected = stablehlo.constant dense<"0x030000000300000004000000010000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFEFFFFFFFAFFFFFFFCFFFFFFF8FFFFFFFCFFFFFFF8FFFFFFFCFFFFFFF9FFFFFFFDFFFFFFFDFFFFFF030000000300000004000000010000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFEFFFFFFFAFFFFFFFCFFFFFFF8FFFFFFFCFFFFFFF8FFFFFFFCFFFFFFF9FFFFFFFDFFFFFFFDFFFFFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000300000003000000040000000100000005000000040000000400000000000000010000000100000005000000040000000600000002000000030000000100000001000000000000000000000003000000030000000400000001000000050000000400000004000000000000000100000001000000050000000400000006000000020000000300000001000000010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100000001000000050000000400000002000000FEFFFFFF01000000030000000500000002000000FEFFFFFFFCFFFFFFFBFFFFFFFFFFFFFF02000000030000000300000000000000000000000100000001000000050000000400000002000000FEFFFFFF01000000030000000500000002000000FEFFFFFFFCFFFFFFFBFFFFFFFFFFFFFF020000000300000003000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FCFFFFFFFCFFFFFFFEFFFFFF020000000400000002000000050000000300000000000000FDFFFFFFF9FFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFFFCFFFFFFFCFFFFFF0000000000000000FCFFFFFFFCFFFFFFFEFFFFFF020000000400000002000000050000000300000000000000FDFFFFFFF9FFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFFFCFFFFFFFCFFFFFF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000FCFFFFFFFCFFFFFFFAFFFFFFFEFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFEFFFFFFFFFFFFFFFBFFFFFFFCFFFFFFF8FFFFFFFCFFFFFFF9FFFFFFFDFFFFFFF9FFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFAFFFFFFFEFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFEFFFFFFFFFFFFFFFBFFFFFFFCFFFFFFF8FFFFFFFCFFFFFFF9FFFFFFFDFFFFFFF9FFFFFFFCFFFFFFFCFFFFFF00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000020000000200000002000000000000000100000001000000FFFFFFFFFEFFFFFFFFFFFFFF01000000030000000200000001000000FFFFFFFFFFFFFFFF00000000040000000400000004000000020000000200000002000000000000000100000001000000FFFFFFFFFEFFFFFFFFFFFFFF01000000030000000200000001000000FFFFFFFFFFFFFFFF00000000040000000400000004000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000300000003000000070000000400000003000000FFFFFFFF01000000020000000600000004000000050000000100000004000000030000000500000002000000040000000200000002000000"> : tensor<19x19xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<19x19xi32>, tensor<19x19xi32>) -> ()
    return
  }
}

// -----

module @everything {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<3> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 2, 3>, window_dilations = array<i64: 3, 2>, padding = dense<[[2, 1], [-1, 4]]> : tensor<2x2xi64>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<7x24xi32>
    %r_expected = stablehlo.constant dense<"0x150000001500000015000000150000001500000015000000150000001500000015000000150000001500000015000000150000001500000015000000150000001500000015000000150000001500000015000000150000001500000015000000130000001200000013000000120000001000000012000000100000001000000010000000100000000E000000100000000E0000000E0000000E0000000E0000000E0000000E0000000E0000000F0000000E0000000F000000150000000F000000130000001600000013000000160000001200000016000000120000001300000012000000130000001600000013000000160000001400000016000000140000001300000014000000130000001200000013000000120000001500000012000000160000001000000016000000100000001500000010000000150000001400000015000000140000000E000000140000000E000000110000000E000000110000001500000011000000150000001200000015000000120000001500000012000000140000001400000014000000140000001500000014000000150000000F000000150000000F0000000E0000000F0000000E000000150000000E000000150000000E000000150000000E000000120000000E000000120000001500000012000000100000001200000010000000120000001100000012000000110000001100000011000000110000000E000000110000000E0000000E0000000E0000000E0000000F0000000E0000000F0000000E0000000F0000000E000000150000000E000000120000001300000012000000130000001000000013000000100000001300000010000000130000001400000013000000140000001100000014000000110000001200000011000000120000001600000012000000160000001500000016000000"> : tensor<7x24xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7x24xi32>, tensor<7x24xi32>) -> ()
    return
  }
}

// -----

module @first_lane_before_the_start {
  func.func private @inputs() -> (tensor<3x6xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00, -2.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00]]> : tensor<3x6xf32>
    %start = stablehlo.constant dense<2.0e+00> : tensor<f32>
    return %x, %start : tensor<3x6xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<3x6xf32>, tensor<f32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {
      window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 3>, base_dilations = array<i64: 2, 3>, window_dilations = array<i64: 3, 2>, padding = dense<[[0, 2], [3, -2]]> : tensor<2x2xi64>} : (tensor<3x6xf32>, tensor<f32>) -> tensor<1x6xf32>
    %r_expected = stablehlo.constant dense<[[8.0e+00, 8.0e+00, 7.0e+00, 6.0e+00, 5.0e+00, 5.0e+00]]> : tensor<1x6xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x6xf32>, tensor<1x6xf32>) -> ()
    return
  }
}

// -----

module @whole {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<-100> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.maximum %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 7, 9>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<1x1xi32>
    %r_expected = stablehlo.constant dense<[[4]]> : tensor<1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x1xi32>, tensor<1x1xi32>) -> ()
    return
  }
}

// -----

module @larger_than_base {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 8, 2>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<0x8xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0x8xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x8xi32>, tensor<0x8xi32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x4xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<> : tensor<0x4xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<0x4xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<0x4xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<0x4xi32>, tensor<i32>) -> tensor<2x3xi32>
    %r_expected = stablehlo.constant dense<0> : tensor<2x3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
    return
  }
}

// -----

module @cumulative_sum {
  func.func private @inputs() -> (tensor<100xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<"0x00000000010000000200000003000000040000000500000006000000000000000100000002000000030000000400000005000000060000000000000001000000020000000300000004000000050000000600000000000000010000000200000003000000040000000500000006000000000000000100000002000000030000000400000005000000060000000000000001000000020000000300000004000000050000000600000000000000010000000200000003000000040000000500000006000000000000000100000002000000030000000400000005000000060000000000000001000000020000000300000004000000050000000600000000000000010000000200000003000000040000000500000006000000000000000100000002000000030000000400000005000000060000000000000001000000020000000300000004000000050000000600000000000000010000000200000003000000040000000500000006000000000000000100000002000000030000000400000005000000060000000000000001000000"> : tensor<100xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<100xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<100xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 100>, padding = dense<[[99, 0]]> : tensor<1x2xi64>} : (tensor<100xi32>, tensor<i32>) -> tensor<100xi32>
    %r_expected = stablehlo.constant dense<"0x000000000100000003000000060000000A0000000F000000150000001500000016000000180000001B0000001F000000240000002A0000002A0000002B0000002D0000003000000034000000390000003F0000003F000000400000004200000045000000490000004E000000540000005400000055000000570000005A0000005E0000006300000069000000690000006A0000006C0000006F00000073000000780000007E0000007E0000007F0000008100000084000000880000008D00000093000000930000009400000096000000990000009D000000A2000000A8000000A8000000A9000000AB000000AE000000B2000000B7000000BD000000BD000000BE000000C0000000C3000000C7000000CC000000D2000000D2000000D3000000D5000000D8000000DC000000E1000000E7000000E7000000E8000000EA000000ED000000F1000000F6000000FC000000FC000000FD000000FF00000002010000060100000B01000011010000110100001201000014010000170100001B01000020010000260100002601000027010000"> : tensor<100xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<100xi32>, tensor<100xi32>) -> ()
    return
  }
}

// -----

module @minimum {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<100> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.minimum %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<3x4xi32>
    %r_expected = stablehlo.constant dense<[[1, -2, -4, -4], [-4, -2, -4, -4], [-4, -2, -4, -4]]> : tensor<3x4xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
    return
  }
}

// -----

module @multiply {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %start = stablehlo.constant dense<1> : tensor<i32>
    return %x, %start : tensor<7x9xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<7x9xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.multiply %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 1, 3>} : (tensor<7x9xi32>, tensor<i32>) -> tensor<7x7xi32>
    %r_expected = stablehlo.constant dense<[[0, 0, 0, -16, -32, -64, -48], [12, 0, 0, 0, 8, 8, 0], [-8, -24, -12, -24, 8, 12, 0], [-16, 12, -18, 36, 36, 48, 0], [0, 0, 0, -4, -16, -48, -48], [0, 0, -2, -4, -2, 0, 0], [-12, -8, -8, 8, 12, 6, 12]]> : tensor<7x7xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7x7xi32>, tensor<7x7xi32>) -> ()
    return
  }
}

// -----

module @f32_maximum {
  func.func private @inputs() -> (tensor<1x8x8x3xf32>, tensor<f32>) {
    %x = stablehlo.constant dense<"0x000000400000803F00000000000080BF000080BF000000C0000000C0000000C0000000C0000000400000803F00000040000000000000803F000000400000803F0000803F000000000000000000000040000080BF000000400000803F000000C0000080BF0000004000000000000000C00000803F0000803F00000040000000C0000000C000000040000000C000000000000000C0000080BF000000000000000000000000000000C0000000C0000000C0000000C00000803F000000000000803F000080BF0000803F0000803F000080BF00000000000000400000004000000040000080BF0000803F000000400000803F000000400000803F0000803F000080BF00000040000000C0000000000000803F0000004000000000000080BF000080BF00000000000000000000803F00000040000000C00000004000000000000080BF0000803F00000000000080BF000080BF0000803F0000000000000000000080BF0000803F000080BF000080BF00000040000080BF000080BF0000803F0000803F000000C0000000C0000080BF00000040000000000000803F000080BF000080BF0000803F00000040000000C0000000C00000803F000080BF00000000000000C00000004000000000000000400000803F0000803F000080BF0000803F000000C0000000000000000000000040000000C000000040000000C00000803F0000000000000040000080BF000000400000803F00000040000000C00000803F00000040000000C0000080BF0000803F000000C0000000000000803F0000803F0000004000000000000000000000000000000040000000C000000000000000C000000000000000400000803F000080BF000000400000803F00000040000000C000000000000000400000803F00000000000000000000000000000000000080BF0000803F000000C000000000000080BF0000803F0000803F0000803F0000004000000040000000C0000000C0000000C00000803F00000040000000400000803F0000004000000040000000C0000000C000000040000000C0000000400000004000000040"> : tensor<1x8x8x3xf32>
    %start = stablehlo.constant dense<"0x000080FF"> : tensor<f32>
    return %x, %start : tensor<1x8x8x3xf32>, tensor<f32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<1x8x8x3xf32>, tensor<f32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.maximum %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {
      window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x4x4x3xf32>
    %r_expected = stablehlo.constant dense<"0x00000040000000400000803F000000400000803F000000400000803F0000803F0000004000000040000000400000803F000000400000803F0000004000000040000000400000803F00000040000000400000803F00000000000000400000004000000040000000400000004000000040000000400000004000000040000000400000803F000000400000803F00000040000000400000803F0000803F00000040000000400000004000000040000000400000803F000000400000004000000040"> : tensor<1x4x4x3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) -> ()
    return
  }
}

// -----

module @rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[3]], [[1]]]]], [[[[[0]], [[-2]]]]], [[[[[-2]], [[-4]]]]]]], [[[[[[[-4]], [[-4]]]]], [[[[[-3]], [[3]]]]], [[[[[1]], [[4]]]]]]]]]], [[[[[[[[[[0]], [[1]]]]], [[[[[4]], [[2]]]]], [[[[[1]], [[0]]]]]]], [[[[[[[1]], [[4]]]]], [[[[[-2]], [[3]]]]], [[[[[2]], [[-4]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 1, 2, 1, 1, 1, 1, 2, 1, 1, 2, 1, 1>} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi32>, tensor<i32>) -> tensor<1x1x1x1x2x1x2x1x1x1x1x1xi32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[9]]]]], [[[[[-1]]]]]]], [[[[[[[-2]]]]], [[[[[4]]]]]]]]]]]]> : tensor<1x1x1x1x2x1x2x1x1x1x1x1xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x1x1x1x2x1x2x1x1x1x1x1xi32>, tensor<1x1x1x1x2x1x2x1x1x1x1x1xi32>) -> ()
    return
  }
}

// -----

module @rank_5 {
  func.func private @inputs() -> (tensor<2x3x2x4x2xi32>, tensor<i32>) {
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000"> : tensor<2x3x2x4x2xi32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    return %x, %start : tensor<2x3x2x4x2xi32>, tensor<i32>
  }
  func.func @main() {
    %x, %start = call @inputs() : () -> (tensor<2x3x2x4x2xi32>, tensor<i32>)
    %r = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {
      window_dimensions = array<i64: 1, 2, 2, 3, 1>} : (tensor<2x3x2x4x2xi32>, tensor<i32>) -> tensor<2x2x1x2x2xi32>
    %r_expected = stablehlo.constant dense<[[[[[0, 11], [5, -5]]], [[[-20, 4], [-10, -5]]]], [[[[10, 16], [15, 16]]], [[[4, 8], [-1, 8]]]]]> : tensor<2x2x1x2x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2x1x2x2xi32>, tensor<2x2x1x2x2xi32>) -> ()
    return
  }
}

// -----

module @two_operands {
  func.func private @inputs() -> (tensor<7x9xi32>, tensor<7x9xf32>, tensor<i32>, tensor<f32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2, -2, -4, -4, -4, -3], [3, 1, 4, 0, 1, 4, 2, 1, 0], [1, 4, -2, 3, 2, -4, -1, 3, 0], [-4, 2, 2, 3, -3, -4, 3, -4, 0], [-4, -2, 0, -1, -1, -4, -4, -3, -4], [2, 0, 1, -2, 1, 2, -1, 0, 4], [3, 4, -1, 2, 4, 1, 3, 2, 2]]> : tensor<7x9xi32>
    %y = stablehlo.constant dense<"0x00000000000000000000803F00000040000000C0000000C00000004000000040000080BF000080BF0000004000000000000080BF00000040000080BF000000000000803F00000000000000C0000000C0000000400000803F000000400000000000000040000080BF000000000000803F000000C0000080BF000000C00000000000000040000000C0000080BF0000000000000040000080BF00000000000080BF000000C00000803F000000C0000080BF0000000000000000000000C0000000400000803F00000040000000C00000803F000080BF0000000000000040000080BF0000803F000000C0000080BF000000400000000000000000000080BF"> : tensor<7x9xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %low = stablehlo.constant dense<"0x000080FF"> : tensor<f32>
    return %x, %y, %zero, %low : tensor<7x9xi32>, tensor<7x9xf32>, tensor<i32>, tensor<f32>
  }
  func.func @main() {
    %x, %y, %zero, %low = call @inputs() : () -> (tensor<7x9xi32>, tensor<7x9xf32>, tensor<i32>, tensor<f32>)
    %r:2 = "stablehlo.reduce_window"(%x, %y, %zero, %low) ({
      ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
        %s = stablehlo.add %a, %c : tensor<i32>
        %t = stablehlo.maximum %b, %d : tensor<f32>
        stablehlo.return %s, %t : tensor<i32>, tensor<f32>
    }) {window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>,
        padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}
      : (tensor<7x9xi32>, tensor<7x9xf32>, tensor<i32>, tensor<f32>) -> (tensor<3x5xi32>, tensor<3x5xf32>)
    %p = stablehlo.negate %r#0 : tensor<3x5xi32>
    %q = stablehlo.negate %r#1 : tensor<3x5xf32>
    %p_expected = stablehlo.constant dense<[[-8, -2, 1, 5, 3], [-7, -10, 4, -4, 0], [6, -3, 9, 9, 0]]> : tensor<3x5xi32>
    %q_expected = stablehlo.constant dense<[[-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, -0.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, -0.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -1.0e+00, -0.0e+00]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_eq(%p, %p_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
}
