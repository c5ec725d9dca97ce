// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @acos_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x80BF803F3EBFBDBA503E71BF34BF5B3F5CBF3EBF663F7A3E86BEBB3CA73EE6BE39BF133FAE3ECB3C223FC93D763F17BFDC3D06BD96BE3C3E08BF1B3F3C3F3EBF"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0x494000001A40C93FAF3F334016400B3F27401A40E93EA93FEB3FC63F9F3F02401840763F9D3FC63F633FBC3F903E0D40BB3FCD3FEF3FB13F08406C3F3F3F1A40"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %d = stablehlo.subtract %one, %x : tensor<32xbf16>
    %u = stablehlo.add %one, %x : tensor<32xbf16>
    %p = stablehlo.multiply %d, %u : tensor<32xbf16>
    %q = stablehlo.sqrt %p : tensor<32xbf16>
    %r = stablehlo.atan2 %q, %x : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @acos_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00BC003CF1B9EA957F328ABBA2B9DA3AE0BAECB92C3BCD3331B4D525363531B7CBB99C38743557261139482EB23BBAB8E12E31A8B2B4DD313CB8D638E139F1B9"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x48420000D1404A3E773D9A41B44057383641CF4058374C3D583F313EF53C1340C340A73BE43C2F3E143BE43D6E346840DA3D6A3E793F8C3D4240603BF639D140"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %d = stablehlo.subtract %one, %x : tensor<32xf16>
    %u = stablehlo.add %one, %x : tensor<32xf16>
    %p = stablehlo.multiply %d, %u : tensor<32xf16>
    %q = stablehlo.sqrt %p : tensor<32xf16>
    %r = stablehlo.atan2 %q, %x : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @acos_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-1.0e+00, 1.0e+00, -7.428596e-01, -1.4442751e-03, 2.0299672e-01, -9.42622e-01, -7.041478e-01, 8.5642207e-01, -8.591589e-01, -7.404521e-01, 8.9665693e-01, 2.4376719e-01, -2.6201376e-01, 2.2780044e-02, 3.2568592e-01, -4.4938236e-01, -7.240639e-01, 5.760792e-01, 3.4072116e-01, 2.4764627e-02, 6.3347286e-01, 9.815054e-02, 9.618273e-01, -5.9098107e-01, 1.0746072e-01, -3.2750607e-02, -2.934503e-01, 1.8319061e-01, -5.2939755e-01, 6.0440534e-01, 7.346671e-01, -7.4248064e-01]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[3.1415927e+00, 0.0e+00, 2.4081283e+00, 1.5722406e+00, 1.3663789e+00, 2.8011951e+00, 2.3520186e+00, 5.424973e-01, 2.60442e+00, 2.404539e+00, 4.5863664e-01, 1.324548e+00, 1.8359046e+00, 1.5480143e+00, 1.2390592e+00, 2.0368702e+00, 2.3804724e+00, 9.568725e-01, 1.2231125e+00, 1.5460292e+00, 8.8476306e-01, 1.4724876e+00, 2.7719337e-01, 2.2030709e+00, 1.4631277e+00, 1.6035528e+00, 1.8686304e+00, 1.3865653e+00, 2.1286867e+00, 9.2177707e-01, 7.456204e-01, 2.4075623e+00]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %d = stablehlo.subtract %one, %x : tensor<32xf32>
    %u = stablehlo.add %one, %x : tensor<32xf32>
    %p = stablehlo.multiply %d, %u : tensor<32xf32>
    %q = stablehlo.sqrt %p : tensor<32xf32>
    %r = stablehlo.atan2 %q, %x : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @acos_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-1.0e+00, 1.0e+00, -7.428595944616008e-01, -1.4442751197700776e-03, 2.0299671524671492e-01, -9.426219832561109e-01, -7.041478308450881e-01, 8.56422045920739e-01, -8.591588476916063e-01, -7.40452101201404e-01, 8.966569065835501e-01, 2.4376718559276567e-01, -2.6201375254041803e-01, 2.2780043606525302e-02, 3.256859050335985e-01, -4.493823684777414e-01, -7.240638542660893e-01, 5.760791890079837e-01, 3.4072116820496756e-01, 2.476462696632087e-02, 6.334728719393161e-01, 9.815053774005267e-02, 9.618272785946109e-01, -5.909810773399102e-01, 1.0746072573045562e-01, -3.275060615322456e-02, -2.934502898791038e-01, 1.8319060789808694e-01, -5.293975366648389e-01, 6.044053675569669e-01, 7.346671036848293e-01, -7.424806575442979e-01]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[3.141592653589793e+00, 0.0e+00, 2.4081281975301856e+00, 1.5722406024167768e+00, 1.3663789362038845e+00, 2.801195013783365e+00, 2.352018609330403e+00, 5.424973201710961e-01, 2.6044199138676265e+00, 2.4045390965363684e+00, 4.58636683089178e-01, 1.3245479982560207e+00, 1.8359045919880959e+00, 1.5480143125186754e+00, 1.2390592308005692e+00, 2.0368701717336193e+00, 2.3804724941070283e+00, 9.568725118021641e-01, 1.2231124697120674e+00, 1.5460291678268079e+00, 8.847630382722368e-01, 1.4724875126214634e+00, 2.771933756815899e-01, 2.203070809861487e+00, 1.463127696231338e+00, 1.6035527905045548e+00, 1.8686303620047662e+00, 1.386565320018542e+00, 2.12868659571909e+00, 9.217770618118343e-01, 7.456204641866967e-01, 2.407562330685963e+00]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %d = stablehlo.subtract %one, %x : tensor<32xf64>
    %u = stablehlo.add %one, %x : tensor<32xf64>
    %p = stablehlo.multiply %d, %u : tensor<32xf64>
    %q = stablehlo.sqrt %p : tensor<32xf64>
    %r = stablehlo.atan2 %q, %x : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @acos_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-1.0e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<3.1415927e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %d = stablehlo.subtract %one, %x : tensor<f32>
    %u = stablehlo.add %one, %x : tensor<f32>
    %p = stablehlo.multiply %d, %u : tensor<f32>
    %q = stablehlo.sqrt %p : tensor<f32>
    %r = stablehlo.atan2 %q, %x : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @acos_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %d = stablehlo.subtract %one, %x : tensor<0x3xf32>
    %u = stablehlo.add %one, %x : tensor<0x3xf32>
    %p = stablehlo.multiply %d, %u : tensor<0x3xf32>
    %q = stablehlo.sqrt %p : tensor<0x3xf32>
    %r = stablehlo.atan2 %q, %x : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @acos_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-1.0e+00]], [[1.0e+00]]]]], [[[[[-7.428596e-01]], [[-1.4442751e-03]]]]], [[[[[2.0299672e-01]], [[-9.42622e-01]]]]]]], [[[[[[[-7.041478e-01]], [[8.5642207e-01]]]]], [[[[[-8.591589e-01]], [[-7.404521e-01]]]]], [[[[[8.9665693e-01]], [[2.4376719e-01]]]]]]]]]], [[[[[[[[[[-2.6201376e-01]], [[2.2780044e-02]]]]], [[[[[3.2568592e-01]], [[-4.4938236e-01]]]]], [[[[[-7.240639e-01]], [[5.760792e-01]]]]]]], [[[[[[[3.4072116e-01]], [[2.4764627e-02]]]]], [[[[[6.3347286e-01]], [[9.815054e-02]]]]], [[[[[9.618273e-01]], [[-5.9098107e-01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.acos" %x {decomposition = @chlo.acos.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[3.1415927e+00]], [[0.0e+00]]]]], [[[[[2.4081283e+00]], [[1.5722406e+00]]]]], [[[[[1.3663789e+00]], [[2.8011951e+00]]]]]]], [[[[[[[2.3520186e+00]], [[5.424973e-01]]]]], [[[[[2.60442e+00]], [[2.404539e+00]]]]], [[[[[4.5863664e-01]], [[1.324548e+00]]]]]]]]]], [[[[[[[[[[1.8359046e+00]], [[1.5480143e+00]]]]], [[[[[1.2390592e+00]], [[2.0368702e+00]]]]], [[[[[2.3804724e+00]], [[9.568725e-01]]]]]]], [[[[[[[1.2231125e+00]], [[1.5460292e+00]]]]], [[[[[8.8476306e-01]], [[1.4724876e+00]]]]], [[[[[2.7719337e-01]], [[2.2030709e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.acos.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %d = stablehlo.subtract %one, %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %u = stablehlo.add %one, %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %p = stablehlo.multiply %d, %u : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %q = stablehlo.sqrt %p : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.atan2 %q, %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
