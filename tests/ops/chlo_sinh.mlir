// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @sinh_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x00C10041BEC03DBCD03FF1C0B4C0DB40DCC0BEC0E640FA3F06C03B3E274066C0B9C093402E404B3EA240493FF64097C05C3F86BE16C0BC3F88C09B40BC40BEC0"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0xBAC4BA443DC33DBC1C4069C40BC3EA43F2C33DC325445D4080C03C3ED84091C122C34642F2404C3E9E425E3F884460C2783F88BEA5C004400CC27E4232433DC3"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %n = stablehlo.negate %x : tensor<32xbf16>
    %a = stablehlo.exponential %x : tensor<32xbf16>
    %b = stablehlo.exponential %n : tensor<32xbf16>
    %c = stablehlo.subtract %a, %b : tensor<32xbf16>
    %r = stablehlo.multiply %c, %half : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @sinh_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00C80048F1C5EAA17F3E8AC7A2C5DA46E0C6ECC52C47CD3F31C0D531364131C3CBC59C44744157321145483AB247BAC4E13A31B4B2C0DD3D3CC4D644E145F1C5"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0xD2E5D265F2D9EAA1E04058E35ED8635F90DFD4D91661E34201C4DD31BB468DCC20D947529B476232F554F23A4B640ED3C23B3DB42FC51A4050D0DF539659F2D9"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %n = stablehlo.negate %x : tensor<32xf16>
    %a = stablehlo.exponential %x : tensor<32xf16>
    %b = stablehlo.exponential %n : tensor<32xf16>
    %c = stablehlo.subtract %a, %b : tensor<32xf16>
    %r = stablehlo.multiply %c, %half : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @sinh_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-8.0e+00, 8.0e+00, -5.942877e+00, -1.1554201e-02, 1.6239737e+00, -7.540976e+00, -5.6331825e+00, 6.8513765e+00, -6.873271e+00, -5.923617e+00, 7.1732554e+00, 1.9501375e+00, -2.09611e+00, 1.8224035e-01, 2.6054873e+00, -3.595059e+00, -5.792511e+00, 4.6086335e+00, 2.7257693e+00, 1.9811702e-01, 5.067783e+00, 7.852043e-01, 7.694618e+00, -4.7278485e+00, 8.596858e-01, -2.6200485e-01, -2.3476024e+00, 1.4655249e+00, -4.2351804e+00, 4.8352427e+00, 5.877337e+00, -5.939845e+00]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[-1.4904789e+03, 1.4904789e+03, -1.9051344e+02, -1.1554458e-02, 2.438048e+00, -9.4183356e+02, -1.397734e+02, 4.7259003e+02, -4.8305124e+02, -1.8687923e+02, 6.5204114e+02, 3.4436998e+00, -4.0057664e+00, 1.8325077e-01, 6.731977e+00, -1.8195192e+01, -1.6391606e+02, 5.0168484e+01, 7.6013293e+00, 1.994156e-01, 7.940775e+01, 8.6841416e-01, 1.0982473e+03, -5.6521614e+01, 9.695616e-01, -2.6501277e-01, -5.1824307e+00, 2.0494294e+00, -3.452983e+01, 6.2930595e+01, 1.7842743e+02, -1.8993672e+02]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %n = stablehlo.negate %x : tensor<32xf32>
    %a = stablehlo.exponential %x : tensor<32xf32>
    %b = stablehlo.exponential %n : tensor<32xf32>
    %c = stablehlo.subtract %a, %b : tensor<32xf32>
    %r = stablehlo.multiply %c, %half : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @sinh_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-8.0e+00, 8.0e+00, -5.942876755692806e+00, -1.1554200958160621e-02, 1.6239737219737194e+00, -7.540975866048887e+00, -5.633182646760705e+00, 6.851376367365912e+00, -6.873270781532851e+00, -5.923616809611232e+00, 7.173255252668401e+00, 1.9501374847421253e+00, -2.0961100203233443e+00, 1.8224034885220242e-01, 2.605487240268788e+00, -3.595058947821931e+00, -5.792510834128715e+00, 4.60863351206387e+00, 2.7257693456397405e+00, 1.9811701573056695e-01, 5.067782975514529e+00, 7.852043019204213e-01, 7.694618228756887e+00, -4.727848618719282e+00, 8.59685805843645e-01, -2.620048492257965e-01, -2.3476023190328306e+00, 1.4655248631846955e+00, -4.235180293318711e+00, 4.8352429404557355e+00, 5.877336829478635e+00, -5.939845260354383e+00]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[-1.4904788257895502e+03, 1.4904788257895502e+03, -1.905134293337785e+02, -1.1554458040000222e-02, 2.438047987874871e+00, -9.418334023266593e+02, -1.3977341818148264e+02, 4.7258993499928397e+02, -4.8305114077503987e+02, -1.8687920969627842e+02, 6.520410265422668e+02, 3.4436997359515535e+00, -4.0057658367825795e+00, 1.832507725303114e-01, 6.731976364827625e+00, -1.819519380643594e+01, -1.639160405898955e+02, 5.016848380263249e+01, 7.601330052102071e+00, 1.9941558868300166e-01, 7.940776424797545e+01, 8.684141871331899e-01, 1.0982473181531714e+03, -5.652161845953125e+01, 9.69561630398029e-01, -2.650127759791886e-01, -5.182430344205738e+00, 2.0494292328203785e+00, -3.452982700773433e+01, 6.293060672272015e+01, 1.784274000985818e+02, -1.8993675532662016e+02]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %n = stablehlo.negate %x : tensor<32xf64>
    %a = stablehlo.exponential %x : tensor<32xf64>
    %b = stablehlo.exponential %n : tensor<32xf64>
    %c = stablehlo.subtract %a, %b : tensor<32xf64>
    %r = stablehlo.multiply %c, %half : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @sinh_complex_f32 {
  func.func private @inputs() -> (tensor<20xcomplex<f32>>) {
    %x = stablehlo.constant dense<"0x0C2CBEBF503AF63FD54D3DBB894A97BF5FDECF3E5E145C3EAD4FF1BF802586BD0843B4BF1E3F16BF7A3EDB3F5296BB3ED6F1DBBF998687BF458EBDBF4FBA9A3F4F8BE53F2513BC3F1B9EF93E3613BEBFAB2606BF3FDE06BE379D3A3D213464BF4EC0263FB071D5BF721566BF36B9CA3F405CB9BF0F778FBEED79933FCE61B4BF01732E3FE785313F30DF4A3D247798BF472BA23F6088CD3F2603493EF2D190BF"> : tensor<20xcomplex<f32>>
    return %x : tensor<20xcomplex<f32>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f32>>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>>
    %r_expected = stablehlo.constant dense<"0x026C393F6F770B40C5888FBA19E46CBF27B6D03EEAA26C3E09844DC0F2DD61BED0DECCBFFD9699BF304420409F42833F512FA9BFDC8720C08BFF3CBFB8630A406F81973E7D9B4440660F323DCCFC8EBFEE280BBF855E19BE5295EA3CA35D47BFCA268ABDEA659BBF7FEF593CE841B73FF740F7BF1FF21EBF31A66A3E84E1DBBF4DC9103F971E4B3FA26E963CE40F6EBF16BE69BD0514F53FCE1DAC3D43296CBF"> : tensor<20xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<20xcomplex<f32>>, tensor<20xcomplex<f32>>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f32>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f32>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f32>>
    %n = stablehlo.negate %x : tensor<20xcomplex<f32>>
    %a = stablehlo.exponential %x : tensor<20xcomplex<f32>>
    %b = stablehlo.exponential %n : tensor<20xcomplex<f32>>
    %c = stablehlo.subtract %a, %b : tensor<20xcomplex<f32>>
    %r = stablehlo.multiply %c, %half : tensor<20xcomplex<f32>>
    return %r : tensor<20xcomplex<f32>>
  }
}

// -----

module @sinh_complex_f64 {
  func.func private @inputs() -> (tensor<20xcomplex<f64>>) {
    %x = stablehlo.constant dense<"0xCE6FF77B81C5F7BF78DD3E004AC7FE3F0044F999BAA967BF345AF72551E9F2BF600C97DECBFBD93F30E29DCE8B82CB3FC66BD293F529FEBF805DB4FCAFC4B0BF84ED20086188F6BF001482B9E3C7E2BF0CB2D934CF67FB3F78A6ED32CA72D73F9EF11CB23A7EFBBFC6DE511AD3F0F0BFB043DD9AC8B1F7BF98E3E5EC4957F33FB44830D369B1FC3F8EBFF8956482F73FF0BCFA5CC333DF3F3A17C2CB66C2F7BF70DA9054D5C4E0BF704B71D8C7DBC0BFC0792AD9A653A73F283B28238486ECBF44CCB8B109D8E43F40113F0B36AEFABFECB20044AEC2ECBF4040BECB2657F93FEA3BC9F5872BF7BF8852B2ECE1EED1BF7A41969F3D6FF23FC49430CA398CF6BF30B29F2860CEE53FB4C26DDBBC30E63F0005ACFBE55BA93F26187B81E40EF3BFEC3D7CE66845F43F0814A4FA0BB1F93FB0A7ADC56420C93F104200323E1AF2BF"> : tensor<20xcomplex<f64>>
    return %x : tensor<20xcomplex<f64>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f64>>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>>
    %r_expected = stablehlo.constant dense<"0x6FACE547802DE73F219A7CD7ED6E0140B0C80C9718F151BFDE321E31839CEDBF71BB49E5C416DA3F398615505D94CD3F8C5F3D1B81B009C0703F632FBE3BCCBFCA418A0FDA9BF9BF60C99699DF32F3BFBDC26AF085080440200CC8CF5368F03F5C09CE17EA25F5BFD8FE4674FB1004C09EA36B2BF19FE7BF76D17805774C0140EFAA7B532EF0D23F7797D4856F93084077F669FBEB41A63F604EAE8C99DFF1BF7E1E55B21D65E1BF0042F191D02BC3BF719A9B35AA529D3F103D716DB4EBE8BF492E57BBD944B1BF68EB6032BD6CF3BFA86FC7F7F53D8B3F8429DB073DE8F63FBEFFA2CD1EE8FEBFB16C3DDE43DEE3BF02CF5DA7C554CD3FAE75D573307CFBBF4875BAA12919E23FD80B93EFD263E93F14232C3AD4CD923FEF31AE8CFCC1EDBF385D37B4C137ADBF6492A9B380A2FE3FF464BAE9B983B53FF4A08D4B2885EDBF"> : tensor<20xcomplex<f64>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-12 : f64}} : (tensor<20xcomplex<f64>>, tensor<20xcomplex<f64>>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f64>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f64>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f64>>
    %n = stablehlo.negate %x : tensor<20xcomplex<f64>>
    %a = stablehlo.exponential %x : tensor<20xcomplex<f64>>
    %b = stablehlo.exponential %n : tensor<20xcomplex<f64>>
    %c = stablehlo.subtract %a, %b : tensor<20xcomplex<f64>>
    %r = stablehlo.multiply %c, %half : tensor<20xcomplex<f64>>
    return %r : tensor<20xcomplex<f64>>
  }
}

// -----

module @sinh_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-8.0e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-1.4904789e+03> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %n = stablehlo.negate %x : tensor<f32>
    %a = stablehlo.exponential %x : tensor<f32>
    %b = stablehlo.exponential %n : tensor<f32>
    %c = stablehlo.subtract %a, %b : tensor<f32>
    %r = stablehlo.multiply %c, %half : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @sinh_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %n = stablehlo.negate %x : tensor<0x3xf32>
    %a = stablehlo.exponential %x : tensor<0x3xf32>
    %b = stablehlo.exponential %n : tensor<0x3xf32>
    %c = stablehlo.subtract %a, %b : tensor<0x3xf32>
    %r = stablehlo.multiply %c, %half : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @sinh_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-8.0e+00]], [[8.0e+00]]]]], [[[[[-5.942877e+00]], [[-1.1554201e-02]]]]], [[[[[1.6239737e+00]], [[-7.540976e+00]]]]]]], [[[[[[[-5.6331825e+00]], [[6.8513765e+00]]]]], [[[[[-6.873271e+00]], [[-5.923617e+00]]]]], [[[[[7.1732554e+00]], [[1.9501375e+00]]]]]]]]]], [[[[[[[[[[-2.09611e+00]], [[1.8224035e-01]]]]], [[[[[2.6054873e+00]], [[-3.595059e+00]]]]], [[[[[-5.792511e+00]], [[4.6086335e+00]]]]]]], [[[[[[[2.7257693e+00]], [[1.9811702e-01]]]]], [[[[[5.067783e+00]], [[7.852043e-01]]]]], [[[[[7.694618e+00]], [[-4.7278485e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.sinh" %x {decomposition = @chlo.sinh.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[-1.4904789e+03]], [[1.4904789e+03]]]]], [[[[[-1.9051344e+02]], [[-1.1554458e-02]]]]], [[[[[2.438048e+00]], [[-9.4183356e+02]]]]]]], [[[[[[[-1.397734e+02]], [[4.7259003e+02]]]]], [[[[[-4.8305124e+02]], [[-1.8687923e+02]]]]], [[[[[6.5204114e+02]], [[3.4436998e+00]]]]]]]]]], [[[[[[[[[[-4.0057664e+00]], [[1.8325077e-01]]]]], [[[[[6.731977e+00]], [[-1.8195192e+01]]]]], [[[[[-1.6391606e+02]], [[5.0168484e+01]]]]]]], [[[[[[[7.6013293e+00]], [[1.994156e-01]]]]], [[[[[7.940775e+01]], [[8.6841416e-01]]]]], [[[[[1.0982473e+03]], [[-5.6521614e+01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.sinh.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %n = stablehlo.negate %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %a = stablehlo.exponential %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %b = stablehlo.exponential %n : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %c = stablehlo.subtract %a, %b : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.multiply %c, %half : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
