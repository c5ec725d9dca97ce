// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @trips_0_rank_0 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<0> : tensor<i32>
    %x = stablehlo.constant dense<3> : tensor<i32>
    %y = stablehlo.constant dense<0> : tensor<i32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<i32>
      stablehlo.return %m, %w : tensor<i32>, tensor<i32>
    }
    %r_expected = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @trips_0_rank_1 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<0> : tensor<i32>
    %x = stablehlo.constant dense<[3, 1, 0]> : tensor<3xi32>
    %y = stablehlo.constant dense<[0, 0, 2]> : tensor<3xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<3xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<3xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<3xi32>
    }
    %r_expected = stablehlo.constant dense<[3, 1, 0]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @trips_0_rank_2 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<0> : tensor<i32>
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000"> : tensor<9x13xi32>
    %y = stablehlo.constant dense<"0x00000000000000000200000004000000FCFFFFFFFDFFFFFF0300000004000000FEFFFFFFFEFFFFFF03000000FFFFFFFFFEFFFFFF03000000FEFFFFFFFFFFFFFF0100000000000000FCFFFFFFFCFFFFFF0300000002000000030000000000000003000000FEFFFFFF0000000003000000FDFFFFFFFEFFFFFFFDFFFFFF0000000004000000FDFFFFFFFFFFFFFFFFFFFFFF04000000FDFFFFFF00000000FEFFFFFFFCFFFFFF02000000FCFFFFFFFEFFFFFF0000000000000000FDFFFFFF040000000200000004000000FCFFFFFF02000000FEFFFFFF0000000004000000FEFFFFFF02000000FDFFFFFFFEFFFFFF04000000FFFFFFFF00000000FEFFFFFFFDFFFFFFFFFFFFFF010000000000000002000000FFFFFFFF010000000200000004000000FFFFFFFFFCFFFFFF02000000000000000300000000000000FFFFFFFFFCFFFFFF00000000010000000200000003000000FDFFFFFF0100000003000000FEFFFFFFFFFFFFFF03000000010000000000000002000000000000000400000002000000FCFFFFFFFDFFFFFF0000000003000000FCFFFFFF02000000020000000300000003000000FDFFFFFF0000000003000000FFFFFFFFFDFFFFFF00000000FCFFFFFFFDFFFFFF03000000020000000300000003000000"> : tensor<9x13xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<9x13xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<9x13xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<9x13xi32>
    }
    %r_expected = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000"> : tensor<9x13xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<9x13xi32>, tensor<9x13xi32>) -> ()
    return
  }
}

// -----

module @trips_1_rank_0 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<1> : tensor<i32>
    %x = stablehlo.constant dense<3> : tensor<i32>
    %y = stablehlo.constant dense<0> : tensor<i32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<i32>
      stablehlo.return %m, %w : tensor<i32>, tensor<i32>
    }
    %r_expected = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @trips_1_rank_1 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<1> : tensor<i32>
    %x = stablehlo.constant dense<[3, 1, 0]> : tensor<3xi32>
    %y = stablehlo.constant dense<[0, 0, 2]> : tensor<3xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<3xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<3xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<3xi32>
    }
    %r_expected = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @trips_1_rank_2 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<1> : tensor<i32>
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000"> : tensor<9x13xi32>
    %y = stablehlo.constant dense<"0x00000000000000000200000004000000FCFFFFFFFDFFFFFF0300000004000000FEFFFFFFFEFFFFFF03000000FFFFFFFFFEFFFFFF03000000FEFFFFFFFFFFFFFF0100000000000000FCFFFFFFFCFFFFFF0300000002000000030000000000000003000000FEFFFFFF0000000003000000FDFFFFFFFEFFFFFFFDFFFFFF0000000004000000FDFFFFFFFFFFFFFFFFFFFFFF04000000FDFFFFFF00000000FEFFFFFFFCFFFFFF02000000FCFFFFFFFEFFFFFF0000000000000000FDFFFFFF040000000200000004000000FCFFFFFF02000000FEFFFFFF0000000004000000FEFFFFFF02000000FDFFFFFFFEFFFFFF04000000FFFFFFFF00000000FEFFFFFFFDFFFFFFFFFFFFFF010000000000000002000000FFFFFFFF010000000200000004000000FFFFFFFFFCFFFFFF02000000000000000300000000000000FFFFFFFFFCFFFFFF00000000010000000200000003000000FDFFFFFF0100000003000000FEFFFFFFFFFFFFFF03000000010000000000000002000000000000000400000002000000FCFFFFFFFDFFFFFF0000000003000000FCFFFFFF02000000020000000300000003000000FDFFFFFF0000000003000000FFFFFFFFFDFFFFFF00000000FCFFFFFFFDFFFFFF03000000020000000300000003000000"> : tensor<9x13xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<9x13xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<9x13xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<9x13xi32>
    }
    %r_expected = stablehlo.constant dense<"0x03000000010000000200000002000000FAFFFFFFF9FFFFFFFFFFFFFF00000000FBFFFFFF010000000400000003000000FEFFFFFF0400000002000000010000000200000000000000FDFFFFFF00000000010000000500000005000000FCFFFFFF020000000100000000000000FFFFFFFFFFFFFFFF0000000000000000FDFFFFFF0000000000000000FBFFFFFFFFFFFFFF00000000FBFFFFFF00000000FDFFFFFFFBFFFFFFFEFFFFFFF8FFFFFFFBFFFFFFFCFFFFFF02000000FDFFFFFF050000000000000005000000FEFFFFFF01000000FEFFFFFF04000000070000000200000001000000FFFFFFFF0200000005000000020000000200000000000000FCFFFFFF02000000FEFFFFFF010000000400000002000000010000000100000002000000FEFFFFFFFCFFFFFF0400000004000000FFFFFFFF04000000FFFFFFFFFBFFFFFF02000000020000000000000001000000FFFFFFFF0200000003000000FDFFFFFF0100000002000000FFFFFFFF0400000000000000FEFFFFFF0600000003000000F8FFFFFFF9FFFFFFFFFFFFFF06000000FBFFFFFF0500000000000000010000000600000000000000FCFFFFFFFFFFFFFF01000000FCFFFFFF01000000F9FFFFFF0000000003000000060000000600000005000000"> : tensor<9x13xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<9x13xi32>, tensor<9x13xi32>) -> ()
    return
  }
}

// -----

module @trips_5_rank_0 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<3> : tensor<i32>
    %y = stablehlo.constant dense<0> : tensor<i32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<i32>
      stablehlo.return %m, %w : tensor<i32>, tensor<i32>
    }
    %r_expected = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @trips_5_rank_1 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<[3, 1, 0]> : tensor<3xi32>
    %y = stablehlo.constant dense<[0, 0, 2]> : tensor<3xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<3xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<3xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<3xi32>
    }
    %r_expected = stablehlo.constant dense<[3, 1, 10]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @trips_5_rank_2 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000"> : tensor<9x13xi32>
    %y = stablehlo.constant dense<"0x00000000000000000200000004000000FCFFFFFFFDFFFFFF0300000004000000FEFFFFFFFEFFFFFF03000000FFFFFFFFFEFFFFFF03000000FEFFFFFFFFFFFFFF0100000000000000FCFFFFFFFCFFFFFF0300000002000000030000000000000003000000FEFFFFFF0000000003000000FDFFFFFFFEFFFFFFFDFFFFFF0000000004000000FDFFFFFFFFFFFFFFFFFFFFFF04000000FDFFFFFF00000000FEFFFFFFFCFFFFFF02000000FCFFFFFFFEFFFFFF0000000000000000FDFFFFFF040000000200000004000000FCFFFFFF02000000FEFFFFFF0000000004000000FEFFFFFF02000000FDFFFFFFFEFFFFFF04000000FFFFFFFF00000000FEFFFFFFFDFFFFFFFFFFFFFF010000000000000002000000FFFFFFFF010000000200000004000000FFFFFFFFFCFFFFFF02000000000000000300000000000000FFFFFFFFFCFFFFFF00000000010000000200000003000000FDFFFFFF0100000003000000FEFFFFFFFFFFFFFF03000000010000000000000002000000000000000400000002000000FCFFFFFFFDFFFFFF0000000003000000FCFFFFFF02000000020000000300000003000000FDFFFFFF0000000003000000FFFFFFFFFDFFFFFF00000000FCFFFFFFFDFFFFFF03000000020000000300000003000000"> : tensor<9x13xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<9x13xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<9x13xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<9x13xi32>
    }
    %r_expected = stablehlo.constant dense<"0x03000000010000000A00000012000000EAFFFFFFEDFFFFFF0B00000010000000F3FFFFFFF9FFFFFF10000000FFFFFFFFF6FFFFFF10000000FAFFFFFFFDFFFFFF0600000000000000EDFFFFFFF0FFFFFF0D0000000D00000011000000FCFFFFFF0E000000F9FFFFFF000000000B000000F3FFFFFFF8FFFFFFF4FFFFFFFDFFFFFF10000000F4FFFFFFF7FFFFFFFBFFFFFF10000000EFFFFFFF00000000F5FFFFFFEBFFFFFF06000000E8FFFFFFF3FFFFFFFCFFFFFF02000000F1FFFFFF150000000800000015000000EEFFFFFF09000000F6FFFFFF0400000017000000FAFFFFFF09000000F3FFFFFFFAFFFFFF15000000FEFFFFFF02000000F8FFFFFFF0FFFFFFFEFFFFFF02000000010000000C000000FEFFFFFF050000000900000012000000FAFFFFFFECFFFFFF0C000000040000000B00000004000000FBFFFFFFEBFFFFFF0200000006000000080000000D000000F3FFFFFF060000000F000000F5FFFFFFFDFFFFFF0E000000030000000400000008000000FEFFFFFF160000000B000000E8FFFFFFEDFFFFFFFFFFFFFF12000000EBFFFFFF0D000000080000000D00000012000000F4FFFFFFFCFFFFFF0B000000FDFFFFFFF0FFFFFF01000000E9FFFFFFF4FFFFFF0F0000000E0000001200000011000000"> : tensor<9x13xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<9x13xi32>, tensor<9x13xi32>) -> ()
    return
  }
}

// -----

module @trips_1000_rank_0 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<1000> : tensor<i32>
    %x = stablehlo.constant dense<3> : tensor<i32>
    %y = stablehlo.constant dense<0> : tensor<i32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<i32>
      stablehlo.return %m, %w : tensor<i32>, tensor<i32>
    }
    %r_expected = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @trips_1000_rank_1 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<1000> : tensor<i32>
    %x = stablehlo.constant dense<[3, 1, 0]> : tensor<3xi32>
    %y = stablehlo.constant dense<[0, 0, 2]> : tensor<3xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xi32>, tensor<3xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<3xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<3xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<3xi32>
    }
    %r_expected = stablehlo.constant dense<[3, 1, 2000]> : tensor<3xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()
    return
  }
}

// -----

module @trips_1000_rank_2 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<1000> : tensor<i32>
    %x = stablehlo.constant dense<"0x030000000100000000000000FEFFFFFFFEFFFFFFFCFFFFFFFCFFFFFFFCFFFFFFFDFFFFFF0300000001000000040000000000000001000000040000000200000001000000000000000100000004000000FEFFFFFF0300000002000000FCFFFFFFFFFFFFFF0300000000000000FCFFFFFF020000000200000003000000FDFFFFFFFCFFFFFF03000000FCFFFFFF00000000FCFFFFFFFEFFFFFF00000000FFFFFFFFFFFFFFFFFCFFFFFFFCFFFFFFFDFFFFFFFCFFFFFF020000000000000001000000FEFFFFFF0100000002000000FFFFFFFF00000000040000000300000004000000FFFFFFFF020000000400000001000000030000000200000002000000FFFFFFFF03000000FDFFFFFF01000000020000000300000000000000FFFFFFFFFEFFFFFFFFFFFFFF000000000200000004000000FCFFFFFF0400000000000000FFFFFFFF0200000001000000FEFFFFFFFEFFFFFF020000000100000000000000FFFFFFFF02000000FFFFFFFFFEFFFFFF04000000FEFFFFFFFEFFFFFF0200000001000000FCFFFFFFFCFFFFFFFFFFFFFF03000000FFFFFFFF03000000FEFFFFFFFEFFFFFF0300000003000000FCFFFFFFFCFFFFFF02000000FFFFFFFF01000000FDFFFFFF0300000000000000040000000300000002000000"> : tensor<9x13xi32>
    %y = stablehlo.constant dense<"0x00000000000000000200000004000000FCFFFFFFFDFFFFFF0300000004000000FEFFFFFFFEFFFFFF03000000FFFFFFFFFEFFFFFF03000000FEFFFFFFFFFFFFFF0100000000000000FCFFFFFFFCFFFFFF0300000002000000030000000000000003000000FEFFFFFF0000000003000000FDFFFFFFFEFFFFFFFDFFFFFF0000000004000000FDFFFFFFFFFFFFFFFFFFFFFF04000000FDFFFFFF00000000FEFFFFFFFCFFFFFF02000000FCFFFFFFFEFFFFFF0000000000000000FDFFFFFF040000000200000004000000FCFFFFFF02000000FEFFFFFF0000000004000000FEFFFFFF02000000FDFFFFFFFEFFFFFF04000000FFFFFFFF00000000FEFFFFFFFDFFFFFFFFFFFFFF010000000000000002000000FFFFFFFF010000000200000004000000FFFFFFFFFCFFFFFF02000000000000000300000000000000FFFFFFFFFCFFFFFF00000000010000000200000003000000FDFFFFFF0100000003000000FEFFFFFFFFFFFFFF03000000010000000000000002000000000000000400000002000000FCFFFFFFFDFFFFFF0000000003000000FCFFFFFF02000000020000000300000003000000FDFFFFFF0000000003000000FFFFFFFFFDFFFFFF00000000FCFFFFFFFDFFFFFF03000000020000000300000003000000"> : tensor<9x13xi32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<9x13xi32>, tensor<9x13xi32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %x) : tensor<i32>, tensor<9x13xi32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.add %v, %y : tensor<9x13xi32>
      stablehlo.return %m, %w : tensor<i32>, tensor<9x13xi32>
    }
    %r_expected = stablehlo.constant dense<"0x0300000001000000D00700009E0F00005EF0FFFF44F4FFFFB40B00009C0F00002DF8FFFF33F8FFFFB90B00001CFCFFFF30F8FFFFB90B000034F8FFFF1AFCFFFFE90300000000000061F0FFFF64F0FFFFB60B0000D3070000BA0B0000FCFFFFFFB70B000033F8FFFF00000000B40B00004AF4FFFF32F8FFFF4BF4FFFFFDFFFFFF9C0F00004BF4FFFF14FCFFFF18FCFFFF9C0F000046F4FFFF000000002FF8FFFF5FF0FFFFCC0700005CF0FFFF2DF8FFFFFCFFFFFF0200000048F4FFFFA10F0000CE070000A10F000062F0FFFFCF07000030F8FFFF04000000A30F000034F8FFFFCF0700004AF4FFFF34F8FFFFA10F00001BFCFFFF0200000032F8FFFF47F4FFFF1BFCFFFFE503000001000000D20700001BFCFFFFE8030000CF0700009E0F000017FCFFFF60F0FFFFD207000004000000B40B00000400000018FCFFFF5FF0FFFF02000000E9030000CE070000B60B00004AF4FFFFE9030000B80B00002FF8FFFF1AFCFFFFB70B0000E603000004000000CE070000FEFFFFFFA20F0000D10700005CF0FFFF44F4FFFFFFFFFFFFBB0B00005FF0FFFFD3070000CE070000B60B0000BB0B00004BF4FFFFFCFFFFFFB40B00001AFCFFFF47F4FFFF010000005DF0FFFF4BF4FFFFB80B0000D4070000BB0B0000BA0B0000"> : tensor<9x13xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<9x13xi32>, tensor<9x13xi32>) -> ()
    return
  }
}

// -----

module @swap {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00]> : tensor<4xf32>
    %y = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]> : tensor<4xf32>
    return %zero, %one, %limit, %x, %y : tensor<i32>, tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func @main() {
    %zero, %one, %limit, %x, %y = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>)
    %i, %p, %q = stablehlo.while(%n = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %m, %b, %a : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
    %p_expected = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]> : tensor<4xf32>
    %q_expected = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00]> : tensor<4xf32>
    stablehlo.custom_call @check.expect_eq(%p, %p_expected) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%q, %q_expected) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    return
  }
}

// -----

module @nested {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<7> : tensor<i32>
    return %zero, %one, %limit : tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %zero, %one, %limit = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>)
    %i, %r = stablehlo.while(%n = %zero, %v = %zero) : tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %j, %w = stablehlo.while(%k = %zero, %u = %v) : tensor<i32>, tensor<i32>
      cond {
        %c = stablehlo.compare LE, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %l = stablehlo.add %k, %one : tensor<i32>
        %t = stablehlo.add %u, %k : tensor<i32>
        stablehlo.return %l, %t : tensor<i32>, tensor<i32>
      }
      stablehlo.return %m, %w : tensor<i32>, tensor<i32>
    }
    %r_expected = stablehlo.constant dense<56> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}

// -----

module @condition_on_data {
  func.func private @inputs() -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
    %x = stablehlo.constant dense<27> : tensor<i64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %two = stablehlo.constant dense<2> : tensor<i64>
    %three = stablehlo.constant dense<3> : tensor<i64>
    %zero = stablehlo.constant dense<0> : tensor<i64>
    return %x, %one, %two, %three, %zero : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %x, %one, %two, %three, %zero = call @inputs() : () -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
    %y, %r = stablehlo.while(%n = %x, %steps = %zero) : tensor<i64>, tensor<i64>
    cond {
      %c = stablehlo.compare NE, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %odd = stablehlo.and %n, %one : tensor<i64>
      %is_odd = stablehlo.compare EQ, %odd, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %half = stablehlo.divide %n, %two : tensor<i64>
      %triple = stablehlo.multiply %n, %three : tensor<i64>
      %more = stablehlo.add %triple, %one : tensor<i64>
      %next = stablehlo.select %is_odd, %more, %half : tensor<i1>, tensor<i64>
      %count = stablehlo.add %steps, %one : tensor<i64>
      stablehlo.return %next, %count : tensor<i64>, tensor<i64>
    }
    %r_expected = stablehlo.constant dense<111> : tensor<i64>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i64>, tensor<i64>) -> ()
    return
  }
}

// -----

module @token_and_zero_extent {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<0x2xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %x = stablehlo.constant dense<> : tensor<0x2xf32>
    return %zero, %one, %limit, %x : tensor<i32>, tensor<i32>, tensor<i32>, tensor<0x2xf32>
  }
  func.func @main() {
    %zero, %one, %limit, %x = call @inputs() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<0x2xf32>)
    %t = stablehlo.create_token : !stablehlo.token
    %i, %e, %u = stablehlo.while(%n = %zero, %v = %x, %s = %t) : tensor<i32>, tensor<0x2xf32>, !stablehlo.token
    cond {
      %c = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %w = stablehlo.negate %v : tensor<0x2xf32>
      stablehlo.return %m, %w, %s : tensor<i32>, tensor<0x2xf32>, !stablehlo.token
    }
    %r = stablehlo.negate %i : tensor<i32>
    %r_expected = stablehlo.constant dense<-3> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
}
