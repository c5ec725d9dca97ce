// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @atanh_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x66BF663F2BBFAABA3B3E59BF22BF453F46BF2BBF4F3F613E71BEA83C963ECFBE27BF053F9D3EB73C123FB53D5E3F08BFC63DF1BC87BE293EF4BE0B3F293F2BBF"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0xBBBFBB3F4FBFAABA3D3EA0BF3FBF823F84BF4FBF903F653E76BEA83C9B3EDCBE48BF133FA23EB73C263FB53DA93F18BFC73DF1BC8ABE2B3E05BF1C3F4B3F4FBF"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %n = stablehlo.negate %x : tensor<32xbf16>
    %a = stablehlo.log_plus_one %x : tensor<32xbf16>
    %b = stablehlo.log_plus_one %n : tensor<32xbf16>
    %c = stablehlo.subtract %a, %b : tensor<32xbf16>
    %r = stablehlo.multiply %c, %half : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @atanh_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x33BB333B59B95395D931C9BA12B92B3A30BA55B9753A05338CB34025B13479B637B92638E834B5259038A72DED3A41B8312E8CA73AB44731A0B75A384A3959B9"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0xE3BDE33D77BA5395EA31FFBCFBB9173C1EBC6FBA7A3C2333B1B34025D534DDB63ABA98381235B5252F39AB2D433DBEB8362E8DA754B4533126B8E1385C3A77BA"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %n = stablehlo.negate %x : tensor<32xf16>
    %a = stablehlo.log_plus_one %x : tensor<32xf16>
    %b = stablehlo.log_plus_one %n : tensor<32xf16>
    %c = stablehlo.subtract %a, %b : tensor<32xf16>
    %r = stablehlo.multiply %c, %half : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @atanh_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-9.0e-01, 9.0e-01, -6.685736e-01, -1.2998476e-03, 1.8269704e-01, -8.4835976e-01, -6.3373303e-01, 7.7077985e-01, -7.7324295e-01, -6.6640687e-01, 8.069912e-01, 2.1939047e-01, -2.3581238e-01, 2.050204e-02, 2.931173e-01, -4.0444413e-01, -6.5165746e-01, 5.1847124e-01, 3.0664906e-01, 2.2288164e-02, 5.701256e-01, 8.8335484e-02, 8.656446e-01, -5.3188294e-01, 9.671465e-02, -2.9475546e-02, -2.6410526e-01, 1.6487154e-01, -4.7645777e-01, 5.439648e-01, 6.612004e-01, -6.682326e-01]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[-1.4722193e+00, 1.4722193e+00, -8.0815935e-01, -1.2998483e-03, 1.8477145e-01, -1.2502716e+00, -7.476302e-01, 1.0222462e+00, -1.0283431e+00, -8.042515e-01, 1.1183413e+00, 2.2301567e-01, -2.4033526e-01, 2.0504914e-02, 3.019732e-01, -4.2895082e-01, -7.7817416e-01, 5.742467e-01, 3.1684244e-01, 2.2291856e-02, 6.477089e-01, 8.856633e-02, 1.3154366e+00, -5.927673e-01, 9.701791e-02, -2.9484086e-02, -2.7051637e-01, 1.6639027e-01, -5.183917e-01, 6.0976946e-01, 7.949435e-01, -8.07543e-01]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %n = stablehlo.negate %x : tensor<32xf32>
    %a = stablehlo.log_plus_one %x : tensor<32xf32>
    %b = stablehlo.log_plus_one %n : tensor<32xf32>
    %c = stablehlo.subtract %a, %b : tensor<32xf32>
    %r = stablehlo.multiply %c, %half : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @atanh_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-9.0e-01, 9.0e-01, -6.685736350154408e-01, -1.2998476077931143e-03, 1.8269704372204354e-01, -8.483597849304998e-01, -6.337330477605794e-01, 7.707798413286652e-01, -7.732429629224458e-01, -6.664068910812636e-01, 8.069912159251952e-01, 2.1939046703348908e-01, -2.3581237728637627e-01, 2.0502039245872794e-02, 2.931173145302387e-01, -4.0444413162996723e-01, -6.516574688394804e-01, 5.184712701071853e-01, 3.0664905138447074e-01, 2.2288164269688826e-02, 5.701255847453844e-01, 8.83354839660474e-02, 8.656445507351499e-01, -5.318829696059193e-01, 9.671465315741001e-02, -2.9475545537902104e-02, -2.6410526089119346e-01, 1.6487154710827834e-01, -4.76457782998355e-01, 5.439648308012702e-01, 6.612003933163465e-01, -6.682325917898682e-01]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[-1.4722194895832204e+00, 1.4722194895832204e+00, -8.081593857362337e-01, -1.299848339869677e-03, 1.84771449005228e-01, -1.2502716065651343e+00, -7.47630221685729e-01, 1.0222461917836994e+00, -1.0283431042883482e+00, -8.042515058478985e-01, 1.1183413641165674e+00, 2.230156643308124e-01, -2.4033524484910007e-01, 2.050491253596352e-02, 3.0197319294027003e-01, -4.289508328280487e-01, -7.7817415431856e-01, 5.742467337249744e-01, 3.1684243629034553e-01, 2.2291856009767953e-02, 6.477088884719474e-01, 8.856633097323058e-02, 1.3154364907641947e+00, -5.927673135923656e-01, 9.70179042971672e-02, -2.9484086184927163e-02, -2.705163781376867e-01, 1.6639027555500774e-01, -5.183917186750886e-01, 6.09769510185332e-01, 7.949434733279301e-01, -8.075429354997555e-01]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %n = stablehlo.negate %x : tensor<32xf64>
    %a = stablehlo.log_plus_one %x : tensor<32xf64>
    %b = stablehlo.log_plus_one %n : tensor<32xf64>
    %c = stablehlo.subtract %a, %b : tensor<32xf64>
    %r = stablehlo.multiply %c, %half : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @atanh_complex_f32 {
  func.func private @inputs() -> (tensor<20xcomplex<f32>>) {
    %x = stablehlo.constant dense<"0xA4272BBF503AF63FA65FAABA894A97BFEF143B3E5E145C3E1B2E59BF802586BD543C22BF1E3F16BFD451453F5296BB3E40F345BF998687BFA4992ABF4FBA9A3FFA964E3F2513BC3FE5A7603E3613BEBFCD7871BE3FDE06BEE5F3A73C213464BF7913963EB071D5BF4D13CFBE36B9CA3F06D326BF0F778FBE88BA043FCE61B4BF1B019D3EE785313FAB95B63C247798BFC0F3113F6088CD3F3CE9B43DF2D190BF"> : tensor<20xcomplex<f32>>
    return %x : tensor<20xcomplex<f32>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f32>>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>>
    %r_expected = stablehlo.constant dense<"0xF61E08BE006A903F54270EBA8E5C5EBFEE67343EAEB15F3EB7999ABFB6E662BE0085EBBEAFCA2DBFCD34373F419E1B3FC44DA5BEEAF472BFC8CF7DBEC3EC763F7F75673E62DD873F6EF58A3D632C7CBF488071BEE9BE0DBE45293B3C6B693ABFFB759C3DD22F85BFFD55E5BD029D833FE91729BF7B70D8BE4F00293EA1AC7EBFA77D523E22FE223F01F5163CD85C5FBFF70C1A3ED0C5863F64761E3D774259BF"> : tensor<20xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<20xcomplex<f32>>, tensor<20xcomplex<f32>>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f32>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f32>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f32>>
    %n = stablehlo.negate %x : tensor<20xcomplex<f32>>
    %a = stablehlo.log_plus_one %x : tensor<20xcomplex<f32>>
    %b = stablehlo.log_plus_one %n : tensor<20xcomplex<f32>>
    %c = stablehlo.subtract %a, %b : tensor<20xcomplex<f32>>
    %r = stablehlo.multiply %c, %half : tensor<20xcomplex<f32>>
    return %r : tensor<20xcomplex<f32>>
  }
}

// -----

module @atanh_complex_f64 {
  func.func private @inputs() -> (tensor<20xcomplex<f64>>) {
    %x = stablehlo.constant dense<"0x3A7E2B89F464E5BF78DD3E004AC7FE3F00BEC6BDF44B55BF345AF72551E9F2BFF457EEE19D62C73F30E29DCE8B82CB3F3294706BC325EBBF805DB4FCAFC4B0BFC4D550878A47E4BF001482B9E3C7E2BFA5865D7C3AAAE83F78A6ED32CA72D73F42A6B30668BEE8BFC6DE511AD3F0F0BFEBBC608B3453E5BF98E3E5EC4957F33F09DB113EDFD2E93F8EBFF8956482F73FA4437BA0FC14CC3F3A17C2CB66C2F7BF98EF3798192FCEBF704B71D8C7DBC0BF00D43F907CFE943F283B28238486ECBF3E1EF31F6FC2D23F40113F0B36AEFABFA13A9AA369E2D9BF4040BECB2657F93FB9829BC360DAE4BF8852B2ECE1EED1BF87D4A00F5197E03FC49430CA398CF6BF2AEDC25723A0D33FB4C26DDBBC30E63FC0378162B5D2963F26187B81E40EF3BF8704A302783EE23F0814A4FA0BB1F93FB8E3B57E279DB63F104200323E1AF2BF"> : tensor<20xcomplex<f64>>
    return %x : tensor<20xcomplex<f64>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f64>>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>>
    %r_expected = stablehlo.constant dense<"0x4D4D5ABBDE03C1BF7917F6F63F0DF23F2F34BD7BEAC441BFA2CA2BD491CBEBBF515607BDFD8CC63F3646D8D235F6CB3FE27BE3FF3653F3BF1533CCF9D65CCCBFD3CFD203A070DDBF74C6D1D455B9E5BF7D6EF8AB99E6E63F7A20B417C873E33F3476A58BB8A9D4BF72B060469D5EEEBFF2771304F9B9CFBFE0409B5C98DDEE3FB78D3DDFAFEECC3F40D6DB48ACFBF03FCB55C2ACAD5EB13F0F9416698C85EFBFFC72AEEA0830CEBF052A1A16DDB7C1BF6C0313962865873F8777B56E2D4DE7BFB6B5E363BF8EB33F35400748FAA5F0BF7D627598BFAABCBF8B3DF447A073F03F0817B820FD22E5BF619439810F0EDBBFBFF8E0EB0920C53FBC88FC2D94D5EFBF7DA342E4B44FCA3FF6058D41C45FE43F6B2FFD29A0DE823FEFE3F10E9BEBEBBF63317AF69E41C33F91DF9104BAD8F03F5443A599CCCEA33F1192C9CF4E28EBBF"> : tensor<20xcomplex<f64>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-12 : f64}} : (tensor<20xcomplex<f64>>, tensor<20xcomplex<f64>>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f64>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f64>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f64>>
    %n = stablehlo.negate %x : tensor<20xcomplex<f64>>
    %a = stablehlo.log_plus_one %x : tensor<20xcomplex<f64>>
    %b = stablehlo.log_plus_one %n : tensor<20xcomplex<f64>>
    %c = stablehlo.subtract %a, %b : tensor<20xcomplex<f64>>
    %r = stablehlo.multiply %c, %half : tensor<20xcomplex<f64>>
    return %r : tensor<20xcomplex<f64>>
  }
}

// -----

module @atanh_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-9.0e-01> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-1.4722193e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %n = stablehlo.negate %x : tensor<f32>
    %a = stablehlo.log_plus_one %x : tensor<f32>
    %b = stablehlo.log_plus_one %n : tensor<f32>
    %c = stablehlo.subtract %a, %b : tensor<f32>
    %r = stablehlo.multiply %c, %half : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @atanh_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %n = stablehlo.negate %x : tensor<0x3xf32>
    %a = stablehlo.log_plus_one %x : tensor<0x3xf32>
    %b = stablehlo.log_plus_one %n : tensor<0x3xf32>
    %c = stablehlo.subtract %a, %b : tensor<0x3xf32>
    %r = stablehlo.multiply %c, %half : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @atanh_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-9.0e-01]], [[9.0e-01]]]]], [[[[[-6.685736e-01]], [[-1.2998476e-03]]]]], [[[[[1.8269704e-01]], [[-8.4835976e-01]]]]]]], [[[[[[[-6.3373303e-01]], [[7.7077985e-01]]]]], [[[[[-7.7324295e-01]], [[-6.6640687e-01]]]]], [[[[[8.069912e-01]], [[2.1939047e-01]]]]]]]]]], [[[[[[[[[[-2.3581238e-01]], [[2.050204e-02]]]]], [[[[[2.931173e-01]], [[-4.0444413e-01]]]]], [[[[[-6.5165746e-01]], [[5.1847124e-01]]]]]]], [[[[[[[3.0664906e-01]], [[2.2288164e-02]]]]], [[[[[5.701256e-01]], [[8.8335484e-02]]]]], [[[[[8.656446e-01]], [[-5.3188294e-01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.atanh" %x {decomposition = @chlo.atanh.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[-1.4722193e+00]], [[1.4722193e+00]]]]], [[[[[-8.0815935e-01]], [[-1.2998483e-03]]]]], [[[[[1.8477145e-01]], [[-1.2502716e+00]]]]]]], [[[[[[[-7.476302e-01]], [[1.0222462e+00]]]]], [[[[[-1.0283431e+00]], [[-8.042515e-01]]]]], [[[[[1.1183413e+00]], [[2.2301567e-01]]]]]]]]]], [[[[[[[[[[-2.4033526e-01]], [[2.0504914e-02]]]]], [[[[[3.019732e-01]], [[-4.2895082e-01]]]]], [[[[[-7.7817416e-01]], [[5.742467e-01]]]]]]], [[[[[[[3.1684244e-01]], [[2.2291856e-02]]]]], [[[[[6.477089e-01]], [[8.856633e-02]]]]], [[[[[1.3154366e+00]], [[-5.927673e-01]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.atanh.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %n = stablehlo.negate %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %a = stablehlo.log_plus_one %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %b = stablehlo.log_plus_one %n : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %c = stablehlo.subtract %a, %b : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.multiply %c, %half : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
