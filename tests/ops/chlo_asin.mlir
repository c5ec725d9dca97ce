// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @asin_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x80BF803F3EBFBDBA503E71BF34BF5B3F5CBF3EBF663F7A3E86BEBB3CA73EE6BE39BF133FAE3ECB3C223FC93D763F17BFDC3D06BD96BE3C3E08BF1B3F3C3F3EBF"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0xC9BFC93F56BFBDBA513E9DBF48BF833F84BF56BF8F3F7D3E88BEBB3CAA3EEFBE4FBF1D3FB23ECB3C2F3FC93DA53F22BFDC3D06BD98BE3D3E0FBF263F533F56BF"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %d = stablehlo.subtract %one, %x : tensor<32xbf16>
    %u = stablehlo.add %one, %x : tensor<32xbf16>
    %p = stablehlo.multiply %d, %u : tensor<32xbf16>
    %q = stablehlo.sqrt %p : tensor<32xbf16>
    %r = stablehlo.atan2 %x, %q : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @asin_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00BC003CF1B9EA957F328ABBA2B9DA3AE0BAECB92C3BCD3331B4D525363531B7CBB99C38743557261139482EB23BBAB8E12E31A8B2B4DD313CB8D638E139F1B9"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x48BE483EB2BAEA958B32EBBC40BA1D3C23BCABBA723CE1333EB4D5254F3575B77ABAEA38913557267D394B2E2D3D0EB9E42E31A8C4B4E63176B831399B3AB2BA"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %d = stablehlo.subtract %one, %x : tensor<32xf16>
    %u = stablehlo.add %one, %x : tensor<32xf16>
    %p = stablehlo.multiply %d, %u : tensor<32xf16>
    %q = stablehlo.sqrt %p : tensor<32xf16>
    %r = stablehlo.atan2 %x, %q : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @asin_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-1.0e+00, 1.0e+00, -7.428596e-01, -1.4442751e-03, 2.0299672e-01, -9.42622e-01, -7.041478e-01, 8.5642207e-01, -8.591589e-01, -7.404521e-01, 8.9665693e-01, 2.4376719e-01, -2.6201376e-01, 2.2780044e-02, 3.2568592e-01, -4.4938236e-01, -7.240639e-01, 5.760792e-01, 3.4072116e-01, 2.4764627e-02, 6.3347286e-01, 9.815054e-02, 9.618273e-01, -5.9098107e-01, 1.0746072e-01, -3.2750607e-02, -2.934503e-01, 1.8319061e-01, -5.2939755e-01, 6.0440534e-01, 7.346671e-01, -7.4248064e-01]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[-1.5707964e+00, 1.5707964e+00, -8.373319e-01, -1.4442756e-03, 2.044174e-01, -1.2303988e+00, -7.812223e-01, 1.0282991e+00, -1.0336237e+00, -8.337428e-01, 1.1121597e+00, 2.4624833e-01, -2.651083e-01, 2.2782015e-02, 3.317371e-01, -4.6607384e-01, -8.096762e-01, 6.139238e-01, 3.4768385e-01, 2.4767159e-02, 6.8603325e-01, 9.830882e-02, 1.293603e+00, -6.3227445e-01, 1.0766863e-01, -3.2756463e-02, -2.9783404e-01, 1.8423101e-01, -5.578903e-01, 6.4901924e-01, 8.251759e-01, -8.3676594e-01]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %d = stablehlo.subtract %one, %x : tensor<32xf32>
    %u = stablehlo.add %one, %x : tensor<32xf32>
    %p = stablehlo.multiply %d, %u : tensor<32xf32>
    %q = stablehlo.sqrt %p : tensor<32xf32>
    %r = stablehlo.atan2 %x, %q : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @asin_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-1.0e+00, 1.0e+00, -7.428595944616008e-01, -1.4442751197700776e-03, 2.0299671524671492e-01, -9.426219832561109e-01, -7.041478308450881e-01, 8.56422045920739e-01, -8.591588476916063e-01, -7.40452101201404e-01, 8.966569065835501e-01, 2.4376718559276567e-01, -2.6201375254041803e-01, 2.2780043606525302e-02, 3.256859050335985e-01, -4.493823684777414e-01, -7.240638542660893e-01, 5.760791890079837e-01, 3.4072116820496756e-01, 2.476462696632087e-02, 6.334728719393161e-01, 9.815053774005267e-02, 9.618272785946109e-01, -5.909810773399102e-01, 1.0746072573045562e-01, -3.275060615322456e-02, -2.934502898791038e-01, 1.8319060789808694e-01, -5.293975366648389e-01, 6.044053675569669e-01, 7.346671036848293e-01, -7.424806575442979e-01]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[-1.5707963267948966e+00, 1.5707963267948966e+00, -8.37331870735289e-01, -1.4442756218801653e-03, 2.0441739059101222e-01, -1.2303986869884682e+00, -7.812222825355065e-01, 1.0282990066238007e+00, -1.0336235870727302e+00, -8.337427697414717e-01, 1.1121596437057186e+00, 2.4624832853887588e-01, -2.651082651931993e-01, 2.2782014276221188e-02, 3.317370959943273e-01, -4.660738449387228e-01, -8.096761673121318e-01, 6.139238149927324e-01, 3.4768385708282923e-01, 2.4767158968088697e-02, 6.860332885226599e-01, 9.830881417343329e-02, 1.2936029511133067e+00, -6.322744830665904e-01, 1.0766863056355855e-01, -3.275646370965826e-02, -2.978340352098695e-01, 1.842310067763547e-01, -5.578902689241936e-01, 6.490192649830624e-01, 8.251758626081999e-01, -8.367660038910666e-01]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %d = stablehlo.subtract %one, %x : tensor<32xf64>
    %u = stablehlo.add %one, %x : tensor<32xf64>
    %p = stablehlo.multiply %d, %u : tensor<32xf64>
    %q = stablehlo.sqrt %p : tensor<32xf64>
    %r = stablehlo.atan2 %x, %q : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @asin_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-1.0e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-1.5707964e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %d = stablehlo.subtract %one, %x : tensor<f32>
    %u = stablehlo.add %one, %x : tensor<f32>
    %p = stablehlo.multiply %d, %u : tensor<f32>
    %q = stablehlo.sqrt %p : tensor<f32>
    %r = stablehlo.atan2 %x, %q : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @asin_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %d = stablehlo.subtract %one, %x : tensor<0x3xf32>
    %u = stablehlo.add %one, %x : tensor<0x3xf32>
    %p = stablehlo.multiply %d, %u : tensor<0x3xf32>
    %q = stablehlo.sqrt %p : tensor<0x3xf32>
    %r = stablehlo.atan2 %x, %q : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @asin_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-1.0e+00]], [[1.0e+00]]]]], [[[[[-7.428596e-01]], [[-1.4442751e-03]]]]], [[[[[2.0299672e-01]], [[-9.42622e-01]]]]]]], [[[[[[[-7.041478e-01]], [[8.5642207e-01]]]]], [[[[[-8.591589e-01]], [[-7.404521e-01]]]]], [[[[[8.9665693e-01]], [[2.4376719e-01]]]]]]]]]], [[[[[[[[[[-2.6201376e-01]], [[2.2780044e-02]]]]], [[[[[3.2568592e-01]], [[-4.4938236e-01]]]]], [[[[[-7.240639e-01]], [[5.760792e-01]]]]]]], [[[[[[[3.4072116e-01]], [[2.4764627e-02]]]]], [[[[[6.3347286e-01]], [[9.815054e-02]]]]], [[[[[9.618273e-01]], [[-5.9098107e-01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.asin" %x {decomposition = @chlo.asin.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[-1.5707964e+00]], [[1.5707964e+00]]]]], [[[[[-8.373319e-01]], [[-1.4442756e-03]]]]], [[[[[2.044174e-01]], [[-1.2303988e+00]]]]]]], [[[[[[[-7.812223e-01]], [[1.0282991e+00]]]]], [[[[[-1.0336237e+00]], [[-8.337428e-01]]]]], [[[[[1.1121597e+00]], [[2.4624833e-01]]]]]]]]]], [[[[[[[[[[-2.651083e-01]], [[2.2782015e-02]]]]], [[[[[3.317371e-01]], [[-4.6607384e-01]]]]], [[[[[-8.096762e-01]], [[6.139238e-01]]]]]]], [[[[[[[3.4768385e-01]], [[2.4767159e-02]]]]], [[[[[6.8603325e-01]], [[9.830882e-02]]]]], [[[[[1.293603e+00]], [[-6.3227445e-01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.asin.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %d = stablehlo.subtract %one, %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %u = stablehlo.add %one, %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %p = stablehlo.multiply %d, %u : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %q = stablehlo.sqrt %p : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.atan2 %x, %q : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
