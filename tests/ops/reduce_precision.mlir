// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @as_f16 {
  func.func private @inputs() -> (tensor<7xf32>) {
    %x = stablehlo.constant dense<"0x0010803F00EF7F4700F07F4777CC2B3277CC2BB20000C07F000080FF"> : tensor<7xf32>
    return %x : tensor<7xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<7xf32>)
    %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<7xf32>
    %r_expected = stablehlo.constant dense<"0x0000803F00E07F470000807F00000000000000800000C07F000080FF"> : tensor<7xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<7xf32>, tensor<7xf32>) -> ()
    return
  }
}

// -----

module @no_mantissa {
  func.func private @inputs() -> (tensor<5xf32>) {
    %x = stablehlo.constant dense<[1.0e+00, 1.4e+00, 1.6e+00, 3.1e+00, -2.9e+00]> : tensor<5xf32>
    return %x : tensor<5xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<5xf32>)
    %r = stablehlo.reduce_precision %x, format = e8m0 : tensor<5xf32>
    %r_expected = stablehlo.constant dense<[1.0e+00, 1.0e+00, 2.0e+00, 4.0e+00, -2.0e+00]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xf32>, tensor<5xf32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<2x0xf32>) {
    %x = stablehlo.constant dense<> : tensor<2x0xf32>
    return %x : tensor<2x0xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x0xf32>)
    %r = stablehlo.reduce_precision %x, format = e5m2 : tensor<2x0xf32>
    %r_expected = stablehlo.constant dense<> : tensor<2x0xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x0xf32>, tensor<2x0xf32>) -> ()
    return
  }
}

// -----

module @beyond_the_largest_f16 {
  func.func private @inputs() -> (tensor<4xf16>) {
    %x = stablehlo.constant dense<"0xFF7BFFFB0042FE7B"> : tensor<4xf16>
    return %x : tensor<4xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<4xf16>)
    %y = stablehlo.reduce_precision %x, format = e8m3 : tensor<4xf16>
    %r = stablehlo.subtract %y, %x : tensor<4xf16>
    %r_expected = stablehlo.constant dense<"0x007C00FC0000007C"> : tensor<4xf16>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4xf16>, tensor<4xf16>) -> ()
    return
  }
}

// -----

module @subnormal_f16 {
  func.func private @inputs() -> (tensor<5xf16>) {
    %x = stablehlo.constant dense<"0x010004800C001400FF03"> : tensor<5xf16>
    return %x : tensor<5xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<5xf16>)
    %r = stablehlo.reduce_precision %x, format = e5m7 : tensor<5xf16>
    %r_expected = stablehlo.constant dense<"0x00000080100010000004"> : tensor<5xf16>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xf16>, tensor<5xf16>) -> ()
    return
  }
}

// -----

module @subnormal_f8 {
  func.func private @inputs() -> (tensor<3xf8E5M2>) {
    %x = stablehlo.constant dense<"0x018203"> : tensor<3xf8E5M2>
    return %x : tensor<3xf8E5M2>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<3xf8E5M2>)
    %r = stablehlo.reduce_precision %x, format = e8m1 : tensor<3xf8E5M2>
    %r_expected = stablehlo.constant dense<"0x008204"> : tensor<3xf8E5M2>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf8E5M2>, tensor<3xf8E5M2>) -> ()
    return
  }
}
