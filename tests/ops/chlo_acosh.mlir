// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @acosh_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x803FF041974078419441EA3FA940DF4143409840E44198413B417D41A2411041A040BF41A4417E41C5418741EC41DE408841704134419141FA40C241D1419740"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0x000083400F405C4067409B3F16408140E43F0F40814069404A405D406D403940134077406E405D40794061408240284062405A4047406640304078407D400F40"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %d = stablehlo.subtract %x, %one : tensor<32xbf16>
    %u = stablehlo.add %x, %one : tensor<32xbf16>
    %a = stablehlo.sqrt %d : tensor<32xbf16>
    %b = stablehlo.sqrt %u : tensor<32xbf16>
    %p = stablehlo.multiply %a, %b : tensor<32xbf16>
    %q = stablehlo.add %x, %p : tensor<32xbf16>
    %r = stablehlo.log %q : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @acosh_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x003C804FBB44BD4B9C4C543F4A45FB4E1642C344204FC24CDA49EA4B0E4D7E480045F74D1C4DEE4B2C4E3B4C5D4FEE46444C834B9F498A4CD347114E8A4EBC44"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x000018447940DD423743DB3CB34006441C3F7C400B4447434D42E8426643C5419640BB436B43E942CC430B4313443F410F43CE4239422F437E41C343EA437940"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %d = stablehlo.subtract %x, %one : tensor<32xf16>
    %u = stablehlo.add %x, %one : tensor<32xf16>
    %a = stablehlo.sqrt %d : tensor<32xf16>
    %b = stablehlo.sqrt %u : tensor<32xf16>
    %p = stablehlo.multiply %a, %b : tensor<32xf16>
    %q = stablehlo.add %x, %p : tensor<32xf16>
    %r = stablehlo.log %q : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @acosh_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[1.0e+00, 3.0e+01, 4.7285357e+00, 1.5479058e+01, 1.8443453e+01, 1.8319813e+00, 5.2898564e+00, 2.791812e+01, 3.0421968e+00, 4.7634444e+00, 2.8501526e+01, 1.9034624e+01, 1.1700801e+01, 1.5830311e+01, 2.0222446e+01, 8.983955e+00, 5.0010743e+00, 2.3853148e+01, 2.0440456e+01, 1.5859087e+01, 2.4685356e+01, 1.6923183e+01, 2.9446495e+01, 6.930774e+00, 1.705818e+01, 1.5025116e+01, 1.124497e+01, 1.8156263e+01, 7.8237357e+00, 2.4263878e+01, 2.6152674e+01, 4.7340302e+00]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[0.0e+00, 4.0940666e+00, 2.2353892e+00, 3.43159e+00, 3.6071208e+00, 1.2140099e+00, 2.349882e+00, 4.0221024e+00, 1.7775493e+00, 2.2429137e+00, 4.042797e+00, 3.6387162e+00, 3.1509733e+00, 3.4540746e+00, 3.6993284e+00, 2.8854754e+00, 2.292651e+00, 3.8646238e+00, 3.7100644e+00, 3.4558942e+00, 3.8989468e+00, 3.5209577e+00, 4.0754337e+00, 2.6238732e+00, 3.5289168e+00, 3.401761e+00, 3.1110852e+00, 3.5914035e+00, 2.7461998e+00, 3.881711e+00, 3.956733e+00, 2.2365775e+00]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %d = stablehlo.subtract %x, %one : tensor<32xf32>
    %u = stablehlo.add %x, %one : tensor<32xf32>
    %a = stablehlo.sqrt %d : tensor<32xf32>
    %b = stablehlo.sqrt %u : tensor<32xf32>
    %p = stablehlo.multiply %a, %b : tensor<32xf32>
    %q = stablehlo.add %x, %p : tensor<32xf32>
    %r = stablehlo.log %q : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @acosh_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[1.0e+00, 3.0e+01, 4.728535880306788e+00, 1.5479058010763334e+01, 1.8443452371077367e+01, 1.8319812427863917e+00, 5.289856452746222e+00, 2.7918119665850714e+01, 3.042196708471708e+00, 4.7634445325796415e+00, 2.850152514546148e+01, 1.90346241910951e+01, 1.1700800588163938e+01, 1.5830310632294617e+01, 2.0222445622987177e+01, 8.98395565707275e+00, 5.001074113141705e+00, 2.3853148240615763e+01, 2.044045693897203e+01, 1.5859087091011652e+01, 2.4685356643120084e+01, 1.6923182797230766e+01, 2.9446495539621857e+01, 6.930774378571302e+00, 1.7058180523091607e+01, 1.5025116210778243e+01, 1.1244970796752995e+01, 1.8156263814522262e+01, 7.823735718359836e+00, 2.426387782957602e+01, 2.6152673003430024e+01, 4.73403046560768e+00]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[0.0e+00, 4.0940666686320855e+00, 2.235389313930917e+00, 3.4315901577392784e+00, 3.6071208452399435e+00, 1.2140098236613222e+00, 2.349881998898257e+00, 4.022102203793446e+00, 1.7775492250399423e+00, 2.242913673037931e+00, 4.042796884040202e+00, 3.638716108236423e+00, 3.150973390396446e+00, 3.454074570330993e+00, 3.6993284504854507e+00, 2.885475517417701e+00, 2.2926508974603936e+00, 3.8646237126023255e+00, 3.7100644081829035e+00, 3.4558943556067154e+00, 3.898946885321428e+00, 3.52095755745525e+00, 4.075433643171886e+00, 2.623873154559712e+00, 3.5289167948622535e+00, 3.4017611518894446e+00, 3.1110852039190404e+00, 3.591403551018675e+00, 2.746199839397368e+00, 3.88171100643669e+00, 3.9567328661647387e+00, 2.2365774876347126e+00]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %d = stablehlo.subtract %x, %one : tensor<32xf64>
    %u = stablehlo.add %x, %one : tensor<32xf64>
    %a = stablehlo.sqrt %d : tensor<32xf64>
    %b = stablehlo.sqrt %u : tensor<32xf64>
    %p = stablehlo.multiply %a, %b : tensor<32xf64>
    %q = stablehlo.add %x, %p : tensor<32xf64>
    %r = stablehlo.log %q : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @acosh_complex_f32 {
  func.func private @inputs() -> (tensor<20xcomplex<f32>>) {
    %x = stablehlo.constant dense<"0xFD74903F503AF63F56E8BF3F894A97BFE6FDCC3F5E145C3E15AC833F802586BD3EEF923F1E3F16BF9ECFF63F5296BB3E8B03893F998687BF6F9C903F4FBA9A3FD462F93F2513BC3FE299CF3F3613BEBF2B3BAF3F3FDE06BE3A75C13F213464BF0AD8D43FB071D5BF523DA33F36B9CA3FF0A8913F0F778FBE7BDEE43FCE61B4BF60CED53FE785313FBE95C13F247798BFD28AE83F6088CD3F1948C63FF2D190BF"> : tensor<20xcomplex<f32>>
    return %x : tensor<20xcomplex<f32>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f32>>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>>
    %r_expected = stablehlo.constant dense<"0xAFBCC23FE65A8A3F5052AA3F3D8E3CBF377F883FF1B62C3ED63DA23EFAA051BE0C14623FEB1C20BFFBAAA63F481A5E3E97258F3F66EF62BF316C9B3F710A683F8BBEC93FCD0E303F9E84BD3F9D084BBFDB3F593F7CCA0DBE9B949C3F07A01CBF0AC2C63FA9E154BF82CAB53F7AFC723FB3FC2B3F159DCBBE8202C13FEE3337BF30D89D3F8A2CEA3E4762AB3F38233CBF4CC4C93F2635443F6E46AA3F00E232BF"> : tensor<20xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<20xcomplex<f32>>, tensor<20xcomplex<f32>>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f32>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f32>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f32>>
    %d = stablehlo.subtract %x, %one : tensor<20xcomplex<f32>>
    %u = stablehlo.add %x, %one : tensor<20xcomplex<f32>>
    %a = stablehlo.sqrt %d : tensor<20xcomplex<f32>>
    %b = stablehlo.sqrt %u : tensor<20xcomplex<f32>>
    %p = stablehlo.multiply %a, %b : tensor<20xcomplex<f32>>
    %q = stablehlo.add %x, %p : tensor<20xcomplex<f32>>
    %r = stablehlo.log %q : tensor<20xcomplex<f32>>
    return %r : tensor<20xcomplex<f32>>
  }
}

// -----

module @acosh_complex_f64 {
  func.func private @inputs() -> (tensor<20xcomplex<f64>>) {
    %x = stablehlo.constant dense<"0x0C2402A19F0EF23F78DD3E004AC7FE3FD8C0ACC80AFDF73F345AF72551E9F2BFC670E9BDBC9FF93F30E29DCE8B82CB3F0E650B9B8275F03F805DB4FCAFC4B0BF9FC4F7BDE75DF23F001482B9E3C7E2BF836C36CDF3D9FE3F78A6ED32CA72D73F98C378537120F13FC6DE511AD3F0F0BF14AF48D98D13F23F98E3E5EC4957F33F2D12CC745A2CFF3F8EBFF8956482F73FCFABCF353CF3F93F3A17C2CB66C2F7BFB2E46D5565E7F53F704B71D8C7DBC0BFF454B24DA72EF83F283B28238486ECBF88193736019BFA3F40113F0B36AEFABFA2E97F37AA67F43F4040BECB2657F93F06B18D021E35F23F8852B2ECE1EED1BF5E90E567CF9BFC3FC49430CA398CF6BF46F61305CCB9FA3FB4C26DDBBC30E63F0A58F7CBB732F83F26187B81E40EF3BF7B0F9F395A11FD3F0814A4FA0BB1F93F3E6D2D2603C9F83F104200323E1AF2BF"> : tensor<20xcomplex<f64>>
    return %x : tensor<20xcomplex<f64>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f64>>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>>
    %r_expected = stablehlo.constant dense<"0x048337DD9557F83FF264D7C65C4BF13F459C170E4A4AF53FFE5F4B9FC791E7BF95CC73DDE60FF13FE58D0C3DDE96C53FDB57E89ABA47D43F25F884851F34CABFEE8128838142EC3FC1471B619D03E4BFF5D607655FD5F43FBC82FDE048C3CB3FB7199DE0B2E4F13F5F38F8CEEC5DECBF7D6ACD20866DF33FD688F1314E01ED3FDE08A45DD137F93F4141FD97D901E63FCAA02BC593B0F73F2427DDA21361E9BF593E4250FB27EB3F61508B964FB9C1BF17C66B5C9392F33F221131D20094E3BFD1B7744D41D8F83FA89F8726359CEABF09D2834B50B9F63F4B7C9E3F8F5FEE3FD3262F78967FE53F7B68D6B4A273D9BF3EAFAC445020F83F728DFDB47DE6E6BF1E0520F505BBF33FD7E207289145DD3FE0EBD7EB486CF53FD6E2D2E86684E7BF2DE859768938F93FA4D407BDA486E83F2FC173CACD48F53F2C93B8F13F5CE6BF"> : tensor<20xcomplex<f64>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-12 : f64}} : (tensor<20xcomplex<f64>>, tensor<20xcomplex<f64>>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f64>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f64>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f64>>
    %d = stablehlo.subtract %x, %one : tensor<20xcomplex<f64>>
    %u = stablehlo.add %x, %one : tensor<20xcomplex<f64>>
    %a = stablehlo.sqrt %d : tensor<20xcomplex<f64>>
    %b = stablehlo.sqrt %u : tensor<20xcomplex<f64>>
    %p = stablehlo.multiply %a, %b : tensor<20xcomplex<f64>>
    %q = stablehlo.add %x, %p : tensor<20xcomplex<f64>>
    %r = stablehlo.log %q : tensor<20xcomplex<f64>>
    return %r : tensor<20xcomplex<f64>>
  }
}

// -----

module @acosh_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<1.0e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<0.0e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %d = stablehlo.subtract %x, %one : tensor<f32>
    %u = stablehlo.add %x, %one : tensor<f32>
    %a = stablehlo.sqrt %d : tensor<f32>
    %b = stablehlo.sqrt %u : tensor<f32>
    %p = stablehlo.multiply %a, %b : tensor<f32>
    %q = stablehlo.add %x, %p : tensor<f32>
    %r = stablehlo.log %q : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @acosh_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %d = stablehlo.subtract %x, %one : tensor<0x3xf32>
    %u = stablehlo.add %x, %one : tensor<0x3xf32>
    %a = stablehlo.sqrt %d : tensor<0x3xf32>
    %b = stablehlo.sqrt %u : tensor<0x3xf32>
    %p = stablehlo.multiply %a, %b : tensor<0x3xf32>
    %q = stablehlo.add %x, %p : tensor<0x3xf32>
    %r = stablehlo.log %q : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @acosh_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[1.0e+00]], [[3.0e+01]]]]], [[[[[4.7285357e+00]], [[1.5479058e+01]]]]], [[[[[1.8443453e+01]], [[1.8319813e+00]]]]]]], [[[[[[[5.2898564e+00]], [[2.791812e+01]]]]], [[[[[3.0421968e+00]], [[4.7634444e+00]]]]], [[[[[2.8501526e+01]], [[1.9034624e+01]]]]]]]]]], [[[[[[[[[[1.1700801e+01]], [[1.5830311e+01]]]]], [[[[[2.0222446e+01]], [[8.983955e+00]]]]], [[[[[5.0010743e+00]], [[2.3853148e+01]]]]]]], [[[[[[[2.0440456e+01]], [[1.5859087e+01]]]]], [[[[[2.4685356e+01]], [[1.6923183e+01]]]]], [[[[[2.9446495e+01]], [[6.930774e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.acosh" %x {decomposition = @chlo.acosh.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[0.0e+00]], [[4.0940666e+00]]]]], [[[[[2.2353892e+00]], [[3.43159e+00]]]]], [[[[[3.6071208e+00]], [[1.2140099e+00]]]]]]], [[[[[[[2.349882e+00]], [[4.0221024e+00]]]]], [[[[[1.7775493e+00]], [[2.2429137e+00]]]]], [[[[[4.042797e+00]], [[3.6387162e+00]]]]]]]]]], [[[[[[[[[[3.1509733e+00]], [[3.4540746e+00]]]]], [[[[[3.6993284e+00]], [[2.8854754e+00]]]]], [[[[[2.292651e+00]], [[3.8646238e+00]]]]]]], [[[[[[[3.7100644e+00]], [[3.4558942e+00]]]]], [[[[[3.8989468e+00]], [[3.5209577e+00]]]]], [[[[[4.0754337e+00]], [[2.6238732e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.acosh.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %d = stablehlo.subtract %x, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %u = stablehlo.add %x, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %a = stablehlo.sqrt %d : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %b = stablehlo.sqrt %u : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %p = stablehlo.multiply %a, %b : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %q = stablehlo.add %x, %p : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.log %q : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
