// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @specification_example {
  func.func private @inputs() -> (tensor<f64>) {
    %x = stablehlo.constant dense<3.512700564088504e-303> : tensor<f64>
    return %x : tensor<f64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f64>)
    %r = stablehlo.bitcast_convert %x : (tensor<f64>) -> tensor<4xf16>
    %r_expected = stablehlo.constant dense<"0xEFCDAB8967452301"> : tensor<4xf16>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<4xf16>, tensor<4xf16>) -> ()
    return
  }
}

// -----

module @to_narrower_rows {
  func.func private @inputs() -> (tensor<1x2xui32>) {
    %x = stablehlo.constant dense<[[67305985, 134678021]]> : tensor<1x2xui32>
    return %x : tensor<1x2xui32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2xui32>)
    %r = stablehlo.bitcast_convert %x : (tensor<1x2xui32>) -> tensor<1x2x4xui8>
    %r_expected = stablehlo.constant dense<[[[1, 2, 3, 4], [5, 6, 7, 8]]]> : tensor<1x2x4xui8>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x4xui8>, tensor<1x2x4xui8>) -> ()
    return
  }
}

// -----

module @to_wider {
  func.func private @inputs() -> (tensor<2x4xui8>) {
    %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xui8>
    return %x : tensor<2x4xui8>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2x4xui8>)
    %r = stablehlo.bitcast_convert %x : (tensor<2x4xui8>) -> tensor<2xui32>
    %r_expected = stablehlo.constant dense<[67305985, 134678021]> : tensor<2xui32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xui32>, tensor<2xui32>) -> ()
    return
  }
}

// -----

module @half_bytes {
  func.func private @inputs() -> (tensor<2xui8>) {
    %x = stablehlo.constant dense<[33, 243]> : tensor<2xui8>
    return %x : tensor<2xui8>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui8>)
    %r = stablehlo.bitcast_convert %x : (tensor<2xui8>) -> tensor<2x2xi4>
    %r_expected = stablehlo.constant dense<[[1, 2], [3, -1]]> : tensor<2x2xi4>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x2xi4>, tensor<2x2xi4>) -> ()
    return
  }
}

// -----

module @nan_payload {
  func.func private @inputs() -> (tensor<2xui32>) {
    %x = stablehlo.constant dense<[2143363909, 4286653253]> : tensor<2xui32>
    return %x : tensor<2xui32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<2xui32>)
    %f = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2xf32>
    %r = stablehlo.bitcast_convert %f : (tensor<2xf32>) -> tensor<2xui32>
    %r_expected = stablehlo.constant dense<[2143363909, 4286653253]> : tensor<2xui32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xui32>, tensor<2xui32>) -> ()
    return
  }
}

// -----

module @zeros_by_their_bits_bf16 {
  func.func private @inputs() -> (tensor<64xbf16>, tensor<64xbf16>) {
    %x = stablehlo.constant dense<"0x803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA803F20C04040807F0080E040003F83BA"> : tensor<64xbf16>
    %y = stablehlo.constant dense<"0x803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A803F20400040807F0000E0C0003F833A"> : tensor<64xbf16>
    return %x, %y : tensor<64xbf16>, tensor<64xbf16>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xbf16>, tensor<64xbf16>)
    %d = stablehlo.subtract %x, %y : tensor<64xbf16>
    %b = stablehlo.bitcast_convert %d : (tensor<64xbf16>) -> tensor<64xui16>
    %m = stablehlo.constant dense<32767> : tensor<64xui16>
    %z = stablehlo.constant dense<0> : tensor<64xui16>
    %s = stablehlo.and %b, %m : tensor<64xui16>
    %r = stablehlo.compare EQ, %s, %z : (tensor<64xui16>, tensor<64xui16>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @zeros_by_their_bits_f16 {
  func.func private @inputs() -> (tensor<64xf16>, tensor<64xf16>) {
    %x = stablehlo.constant dense<"0x003C00C10042007C0080004700381994003C00C10042007C0080004700381994003C00C10042007C0080004700381994003C00C10042007C0080004700381994003C00C10042007C0080004700381994003C00C10042007C0080004700381994003C00C10042007C0080004700381994003C00C10042007C0080004700381994"> : tensor<64xf16>
    %y = stablehlo.constant dense<"0x003C00410040007C000000C700381914003C00410040007C000000C700381914003C00410040007C000000C700381914003C00410040007C000000C700381914003C00410040007C000000C700381914003C00410040007C000000C700381914003C00410040007C000000C700381914003C00410040007C000000C700381914"> : tensor<64xf16>
    return %x, %y : tensor<64xf16>, tensor<64xf16>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<64xf16>, tensor<64xf16>)
    %d = stablehlo.subtract %x, %y : tensor<64xf16>
    %b = stablehlo.bitcast_convert %d : (tensor<64xf16>) -> tensor<64xui16>
    %m = stablehlo.constant dense<32767> : tensor<64xui16>
    %z = stablehlo.constant dense<0> : tensor<64xui16>
    %s = stablehlo.and %b, %m : tensor<64xui16>
    %r = stablehlo.compare EQ, %s, %z : (tensor<64xui16>, tensor<64xui16>) -> tensor<64xi1>
    %r_expected = stablehlo.constant dense<[true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false, true, false, false, false, true, false, true, false]> : tensor<64xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<64xi1>, tensor<64xi1>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.bitcast_convert %x : (tensor<0x3xf32>) -> tensor<0x3x2xi16>
    %r_expected = stablehlo.constant dense<> : tensor<0x3x2xi16>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x3x2xi16>, tensor<0x3x2xi16>) -> ()
    return
  }
}
