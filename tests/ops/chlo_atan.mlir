// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @atan_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0xA0C1A0416EC1EDBC824097C161C1894189C16DC18F419C40A8C0E93ED04010C168C13841DA40FE3E4B41FB3F9A413DC10A4028BFBCC06A4029C141416B416EC1"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0xC3BFC33FC0BFEDBCAA3FC2BFC0BFC23FC2BFC0BFC23FAF3FB1BFDB3EB63FBBBFC0BFBE3FB63FEC3EBF3F8D3FC23FBEBF913F15BFB3BFA73FBDBFBE3FC03FC0BF"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %r = stablehlo.atan2 %x, %one : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @atan_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00CD004D6ECB65A70F44B7CC0BCB484C4CCC68CB7C4CE0443EC54A3784467EC83ECBC349D046ED37564ADA3FCF4CE9C94C403DB9DEC554434BC90B4A594B6DCB"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x15BE153E04BE64A7513D12BE00BE0D3E0DBE03BE0F3E793D87BDD736AD3DD7BD02BEF03DB33D5C37F83D663C133EF2BD8A3CA3B89CBD383DE8BDF43D033E04BE"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %r = stablehlo.atan2 %x, %one : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @atan_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-2.0e+01, 2.0e+01, -1.4857192e+01, -2.8885502e-02, 4.059934e+00, -1.885244e+01, -1.4082956e+01, 1.712844e+01, -1.7183176e+01, -1.4809042e+01, 1.7933138e+01, 4.875344e+00, -5.240275e+00, 4.5560086e-01, 6.513718e+00, -8.987647e+00, -1.4481277e+01, 1.1521584e+01, 6.8144236e+00, 4.9529254e-01, 1.2669457e+01, 1.9630108e+00, 1.9236546e+01, -1.1819621e+01, 2.1492145e+00, -6.5501213e-01, -5.8690057e+00, 3.6638122e+00, -1.0587951e+01, 1.2088107e+01, 1.4693342e+01, -1.4849613e+01]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[-1.5208379e+00, 1.5208379e+00, -1.5035902e+00, -2.8877473e-02, 1.3292942e+00, -1.5178025e+00, -1.4999075e+00, 1.5124801e+00, -1.5126654e+00, -1.5033723e+00, 1.5150913e+00, 1.3684886e+00, -1.3822337e+00, 4.2750183e-01, 1.4184635e+00, -1.4599882e+00, -1.5018511e+00, 1.4842197e+00, 1.4250888e+00, 4.5987457e-01, 1.4920297e+00, 1.0996399e+00, 1.5188587e+00, -1.4863923e+00, 1.1353033e+00, -5.798906e-01, -1.4020305e+00, 1.3043466e+00, -1.4766287e+00, 1.4882584e+00, 1.502843e+00, -1.503556e+00]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %r = stablehlo.atan2 %x, %one : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @atan_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-2.0e+01, 2.0e+01, -1.4857191889232016e+01, -2.8885502395400664e-02, 4.059934304934298e+00, -1.885243966512222e+01, -1.4082956616901763e+01, 1.7128440918414782e+01, -1.7183176953832128e+01, -1.480904202402808e+01, 1.7933138131671e+01, 4.875343711855315e+00, -5.240275050808361e+00, 4.5560087213050693e-01, 6.513718100671969e+00, -8.987647369554828e+00, -1.4481277085321786e+01, 1.1521583780159673e+01, 6.814423364099351e+00, 4.9529253932641737e-01, 1.2669457438786324e+01, 1.9630107548010542e+00, 1.9236545571892222e+01, -1.1819621546798205e+01, 2.1492145146091133e+00, -6.550121230644912e-01, -5.869005797582076e+00, 3.6638121579617398e+00, -1.0587950733296779e+01, 1.2088107351139342e+01, 1.4693342073696584e+01, -1.4849613150885958e+01]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[-1.5208379310729538e+00, 1.5208379310729538e+00, -1.5035902221413378e+00, -2.887747266102782e-02, 1.3292941704565562e+00, -1.5178024583227976e+00, -1.4999074935651877e+00, 1.512480093967275e+00, -1.5126654381486897e+00, -1.5033723699346362e+00, 1.5150913280565288e+00, 1.3684885760636125e+00, -1.382233732178452e+00, 4.275018406690061e-01, 1.4184635273261497e+00, -1.4599882592735114e+00, -1.501851094266201e+00, 1.4842196665369989e+00, 1.4250887574866051e+00, 4.598745537289407e-01, 1.4920296482907398e+00, 1.0996399097334861e+00, 1.5188586926750074e+00, -1.4863922547186534e+00, 1.1353033057310293e+00, -5.798906157983217e-01, -1.4020304431817319e+00, 1.304346514512767e+00, -1.4766286802241788e+00, 1.488258333139409e+00, 1.5028430792403555e+00, -1.5035560256930245e+00]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %r = stablehlo.atan2 %x, %one : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @atan_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-2.0e+01> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-1.5208379e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %r = stablehlo.atan2 %x, %one : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @atan_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %r = stablehlo.atan2 %x, %one : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @atan_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-2.0e+01]], [[2.0e+01]]]]], [[[[[-1.4857192e+01]], [[-2.8885502e-02]]]]], [[[[[4.059934e+00]], [[-1.885244e+01]]]]]]], [[[[[[[-1.4082956e+01]], [[1.712844e+01]]]]], [[[[[-1.7183176e+01]], [[-1.4809042e+01]]]]], [[[[[1.7933138e+01]], [[4.875344e+00]]]]]]]]]], [[[[[[[[[[-5.240275e+00]], [[4.5560086e-01]]]]], [[[[[6.513718e+00]], [[-8.987647e+00]]]]], [[[[[-1.4481277e+01]], [[1.1521584e+01]]]]]]], [[[[[[[6.8144236e+00]], [[4.9529254e-01]]]]], [[[[[1.2669457e+01]], [[1.9630108e+00]]]]], [[[[[1.9236546e+01]], [[-1.1819621e+01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.atan" %x {decomposition = @chlo.atan.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[-1.5208379e+00]], [[1.5208379e+00]]]]], [[[[[-1.5035902e+00]], [[-2.8877473e-02]]]]], [[[[[1.3292942e+00]], [[-1.5178025e+00]]]]]]], [[[[[[[-1.4999075e+00]], [[1.5124801e+00]]]]], [[[[[-1.5126654e+00]], [[-1.5033723e+00]]]]], [[[[[1.5150913e+00]], [[1.3684886e+00]]]]]]]]]], [[[[[[[[[[-1.3822337e+00]], [[4.2750183e-01]]]]], [[[[[1.4184635e+00]], [[-1.4599882e+00]]]]], [[[[[-1.5018511e+00]], [[1.4842197e+00]]]]]]], [[[[[[[1.4250888e+00]], [[4.5987457e-01]]]]], [[[[[1.4920297e+00]], [[1.0996399e+00]]]]], [[[[[1.5188587e+00]], [[-1.4863923e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.atan.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.atan2 %x, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
