// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @cosh_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x00C10041BEC03DBCD03FF1C0B4C0DB40DCC0BEC0E640FA3F06C03B3E274066C0B9C093402E404B3EA240493FF64097C05C3F86BE16C0BC3F88C09B40BC40BEC0"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0xBA44BA443D43803F294069440B43EB43F2433D43254466408440823FDB40924122434642F440833F9E42AA3F88446042B23F843FA84012400C427E4232433D43"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %n = stablehlo.negate %x : tensor<32xbf16>
    %a = stablehlo.exponential %x : tensor<32xbf16>
    %b = stablehlo.exponential %n : tensor<32xbf16>
    %c = stablehlo.add %a, %b : tensor<32xbf16>
    %r = stablehlo.multiply %c, %half : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @cosh_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00C80048F1C5EAA17F3E8AC7A2C5DA46E0C6ECC52C47CD3F31C0D531364131C3CBC59C44744157321145483AB247BAC4E13A31B4B2C0DD3D3CC4D644E145F1C5"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0xD265D265F259003C454158635E58635F905FD45916612C432144113CCE468F4C20594752AC47143CF5544C3D4B640F53923D233C474590405150DF539659F259"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %n = stablehlo.negate %x : tensor<32xf16>
    %a = stablehlo.exponential %x : tensor<32xf16>
    %b = stablehlo.exponential %n : tensor<32xf16>
    %c = stablehlo.add %a, %b : tensor<32xf16>
    %r = stablehlo.multiply %c, %half : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @cosh_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-8.0e+00, 8.0e+00, -5.942877e+00, -1.1554201e-02, 1.6239737e+00, -7.540976e+00, -5.6331825e+00, 6.8513765e+00, -6.873271e+00, -5.923617e+00, 7.1732554e+00, 1.9501375e+00, -2.09611e+00, 1.8224035e-01, 2.6054873e+00, -3.595059e+00, -5.792511e+00, 4.6086335e+00, 2.7257693e+00, 1.9811702e-01, 5.067783e+00, 7.852043e-01, 7.694618e+00, -4.7278485e+00, 8.596858e-01, -2.6200485e-01, -2.3476024e+00, 1.4655249e+00, -4.2351804e+00, 4.8352427e+00, 5.877337e+00, -5.939845e+00]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[1.4904791e+03, 1.4904791e+03, 1.9051607e+02, 1.0000668e+00, 2.6351619e+00, 9.418341e+02, 1.3977698e+02, 4.7259106e+02, 4.8305228e+02, 1.868819e+02, 6.5204193e+02, 3.5859542e+00, 4.1287e+00, 1.0166517e+00, 6.8058443e+00, 1.8222652e+01, 1.6391911e+02, 5.0178448e+01, 7.6668253e+00, 1.0196894e+00, 7.9414055e+01, 1.3244407e+00, 1.0982478e+03, 5.653046e+01, 1.3928567e+00, 1.03452e+00, 5.2780285e+00, 2.280386e+00, 3.4544308e+01, 6.2938538e+01, 1.7843022e+02, 1.8993936e+02]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %n = stablehlo.negate %x : tensor<32xf32>
    %a = stablehlo.exponential %x : tensor<32xf32>
    %b = stablehlo.exponential %n : tensor<32xf32>
    %c = stablehlo.add %a, %b : tensor<32xf32>
    %r = stablehlo.multiply %c, %half : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @cosh_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-8.0e+00, 8.0e+00, -5.942876755692806e+00, -1.1554200958160621e-02, 1.6239737219737194e+00, -7.540975866048887e+00, -5.633182646760705e+00, 6.851376367365912e+00, -6.873270781532851e+00, -5.923616809611232e+00, 7.173255252668401e+00, 1.9501374847421253e+00, -2.0961100203233443e+00, 1.8224034885220242e-01, 2.605487240268788e+00, -3.595058947821931e+00, -5.792510834128715e+00, 4.60863351206387e+00, 2.7257693456397405e+00, 1.9811701573056695e-01, 5.067782975514529e+00, 7.852043019204213e-01, 7.694618228756887e+00, -4.727848618719282e+00, 8.59685805843645e-01, -2.620048492257965e-01, -2.3476023190328306e+00, 1.4655248631846955e+00, -4.235180293318711e+00, 4.8352429404557355e+00, 5.877336829478635e+00, -5.939845260354383e+00]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[1.490479161252178e+03, 1.490479161252178e+03, 1.9051605380260378e+02, 1.000066750522483e+00, 2.6351618529382037e+00, 9.418339332059611e+02, 1.3977699535379784e+02, 4.725909929977797e+02, 4.830521758610217e+02, 1.868818852021394e+02, 6.520417933647299e+02, 3.5859542483685987e+00, 4.128699545757047e+00, 1.0166517818963168e+00, 6.80584350221174e+00, 1.8222652870912203e+01, 1.6391909090361702e+02, 5.017844922927569e+01, 7.666825846528019e+00, 1.019689451259445e+00, 7.941406061184662e+01, 1.3244407123062167e+00, 1.098247773423936e+03, 5.65304639401166e+01, 1.3928566886582712e+00, 1.034520068163105e+00, 5.278028445598261e+00, 2.2803859717904613e+00, 3.454430420755438e+01, 6.2938551480707524e+01, 1.784302023367664e+02, 1.89939387763582e+02]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %n = stablehlo.negate %x : tensor<32xf64>
    %a = stablehlo.exponential %x : tensor<32xf64>
    %b = stablehlo.exponential %n : tensor<32xf64>
    %c = stablehlo.add %a, %b : tensor<32xf64>
    %r = stablehlo.multiply %c, %half : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @cosh_complex_f32 {
  func.func private @inputs() -> (tensor<20xcomplex<f32>>) {
    %x = stablehlo.constant dense<"0x0C2CBEBF503AF63FD54D3DBB894A97BF5FDECF3E5E145C3EAD4FF1BF802586BD0843B4BF1E3F16BF7A3EDB3F5296BB3ED6F1DBBF998687BF458EBDBF4FBA9A3F4F8BE53F2513BC3F1B9EF93E3613BEBFAB2606BF3FDE06BE379D3A3D213464BF4EC0263FB071D5BF721566BF36B9CA3F405CB9BF0F778FBEED79933FCE61B4BF01732E3FE785313F30DF4A3D247798BF472BA23F6088CD3F2603493EF2D190BF"> : tensor<20xcomplex<f32>>
    return %x : tensor<20xcomplex<f32>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f32>>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>>
    %r_expected = stablehlo.constant dense<"0x27724DBF20BFFBBFE61AC23E4D2C2F3B0281873FB23DB63DAA3557406DB1573E89EFE63F1E41883FF60A2B4004FB753FD96EB43FF3851640DF9D513FE78DF9BFAC22A03E15033A406DDBC43D935501BF5DB7903F097B933D8303213FBF3A11BD0C46F1BDACF531BF1A4198BC172883BFB7140A40C34E0E3FBC588F3E28F7B3BF1662743FC8ADF03E8CFBBD3EA3803CBD680489BD360BD13F0502DE3ECD1637BE"> : tensor<20xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<20xcomplex<f32>>, tensor<20xcomplex<f32>>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f32>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f32>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f32>>
    %n = stablehlo.negate %x : tensor<20xcomplex<f32>>
    %a = stablehlo.exponential %x : tensor<20xcomplex<f32>>
    %b = stablehlo.exponential %n : tensor<20xcomplex<f32>>
    %c = stablehlo.add %a, %b : tensor<20xcomplex<f32>>
    %r = stablehlo.multiply %c, %half : tensor<20xcomplex<f32>>
    return %r : tensor<20xcomplex<f32>>
  }
}

// -----

module @cosh_complex_f64 {
  func.func private @inputs() -> (tensor<20xcomplex<f64>>) {
    %x = stablehlo.constant dense<"0xCE6FF77B81C5F7BF78DD3E004AC7FE3F0044F999BAA967BF345AF72551E9F2BF600C97DECBFBD93F30E29DCE8B82CB3FC66BD293F529FEBF805DB4FCAFC4B0BF84ED20086188F6BF001482B9E3C7E2BF0CB2D934CF67FB3F78A6ED32CA72D73F9EF11CB23A7EFBBFC6DE511AD3F0F0BFB043DD9AC8B1F7BF98E3E5EC4957F33FB44830D369B1FC3F8EBFF8956482F73FF0BCFA5CC333DF3F3A17C2CB66C2F7BF70DA9054D5C4E0BF704B71D8C7DBC0BFC0792AD9A653A73F283B28238486ECBF44CCB8B109D8E43F40113F0B36AEFABFECB20044AEC2ECBF4040BECB2657F93FEA3BC9F5872BF7BF8852B2ECE1EED1BF7A41969F3D6FF23FC49430CA398CF6BF30B29F2860CEE53FB4C26DDBBC30E63F0005ACFBE55BA93F26187B81E40EF3BFEC3D7CE66845F43F0814A4FA0BB1F93FB0A7ADC56420C93F104200323E1AF2BF"> : tensor<20xcomplex<f64>>
    return %x : tensor<20xcomplex<f64>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f64>>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>>
    %r_expected = stablehlo.constant dense<"0x75EEE5CD44AEE9BFB1425EF5E377FFBFE30FEDAF5C43D83F7A22A48E89E5653F9483563420F0F03F8785A449B6C7B63FD0D9A52EB5E60A40D1BD9F8F2DF6CA3F1462283BF1DDFC3F5F187DCC2308F13F8B44D7AA5E610540EF96EF5060BFEE3FBA36A814DB8DF63FD3077B55BED00240E3C919ACBB33EA3F75C6A4E9BC31FFBFB2C8E3E25504D43FBCA3DF9862400740998973C36C9BB83F86C88765B22AE0BF9420B8A6EB16F23FEF6DF0FB606FB23F4130B35A7020E43F9542A6EA5727A2BF50D4C84DC228BEBF4B3EEB60B53EE6BF9BDFBD65270893BFE68611DD0265F0BF90B03FCD9642014041C94D61D8C9E13F40FCD82917EBD13FDB1AF006E57EF6BF7E75B4D0428CEE3F2057C80DB915DE3F0FE1CE8071BFD73FC3F4314D1490A7BF15464A718C20B1BF015137C96621FA3FBEC8E3D840C0DB3F7F26EF94D9E2C6BF"> : tensor<20xcomplex<f64>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-12 : f64}} : (tensor<20xcomplex<f64>>, tensor<20xcomplex<f64>>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f64>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f64>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f64>>
    %n = stablehlo.negate %x : tensor<20xcomplex<f64>>
    %a = stablehlo.exponential %x : tensor<20xcomplex<f64>>
    %b = stablehlo.exponential %n : tensor<20xcomplex<f64>>
    %c = stablehlo.add %a, %b : tensor<20xcomplex<f64>>
    %r = stablehlo.multiply %c, %half : tensor<20xcomplex<f64>>
    return %r : tensor<20xcomplex<f64>>
  }
}

// -----

module @cosh_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-8.0e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<1.4904791e+03> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %n = stablehlo.negate %x : tensor<f32>
    %a = stablehlo.exponential %x : tensor<f32>
    %b = stablehlo.exponential %n : tensor<f32>
    %c = stablehlo.add %a, %b : tensor<f32>
    %r = stablehlo.multiply %c, %half : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @cosh_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %n = stablehlo.negate %x : tensor<0x3xf32>
    %a = stablehlo.exponential %x : tensor<0x3xf32>
    %b = stablehlo.exponential %n : tensor<0x3xf32>
    %c = stablehlo.add %a, %b : tensor<0x3xf32>
    %r = stablehlo.multiply %c, %half : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @cosh_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-8.0e+00]], [[8.0e+00]]]]], [[[[[-5.942877e+00]], [[-1.1554201e-02]]]]], [[[[[1.6239737e+00]], [[-7.540976e+00]]]]]]], [[[[[[[-5.6331825e+00]], [[6.8513765e+00]]]]], [[[[[-6.873271e+00]], [[-5.923617e+00]]]]], [[[[[7.1732554e+00]], [[1.9501375e+00]]]]]]]]]], [[[[[[[[[[-2.09611e+00]], [[1.8224035e-01]]]]], [[[[[2.6054873e+00]], [[-3.595059e+00]]]]], [[[[[-5.792511e+00]], [[4.6086335e+00]]]]]]], [[[[[[[2.7257693e+00]], [[1.9811702e-01]]]]], [[[[[5.067783e+00]], [[7.852043e-01]]]]], [[[[[7.694618e+00]], [[-4.7278485e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.cosh" %x {decomposition = @chlo.cosh.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[1.4904791e+03]], [[1.4904791e+03]]]]], [[[[[1.9051607e+02]], [[1.0000668e+00]]]]], [[[[[2.6351619e+00]], [[9.418341e+02]]]]]]], [[[[[[[1.3977698e+02]], [[4.7259106e+02]]]]], [[[[[4.8305228e+02]], [[1.868819e+02]]]]], [[[[[6.5204193e+02]], [[3.5859542e+00]]]]]]]]]], [[[[[[[[[[4.1287e+00]], [[1.0166517e+00]]]]], [[[[[6.8058443e+00]], [[1.8222652e+01]]]]], [[[[[1.6391911e+02]], [[5.0178448e+01]]]]]]], [[[[[[[7.6668253e+00]], [[1.0196894e+00]]]]], [[[[[7.9414055e+01]], [[1.3244407e+00]]]]], [[[[[1.0982478e+03]], [[5.653046e+01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.cosh.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %n = stablehlo.negate %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %a = stablehlo.exponential %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %b = stablehlo.exponential %n : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %c = stablehlo.add %a, %b : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.multiply %c, %half : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
