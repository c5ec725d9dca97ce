// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @asinh_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x66BFA041E53F19413B419ABE0C409441123FE83F97414241DA401D414F419B40FE3F794152411D41814129419D4158402B411341CF40374181407E418A41E53F"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0x4FBF6C40AC3F3D404A4098BEC33F67400B3FAE3F68404C4028403F4050401240B83F5C4051403F405E4043406B40F73F44403A402440484007405D406340AC3F"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %two = stablehlo.add %one, %one : tensor<32xbf16>
    %half = stablehlo.divide %one, %two : tensor<32xbf16>
    %p = stablehlo.multiply %x, %x : tensor<32xbf16>
    %q = stablehlo.add %p, %one : tensor<32xbf16>
    %s = stablehlo.sqrt %q : tensor<32xbf16>
    %t = stablehlo.add %x, %s : tensor<32xbf16>
    %r = stablehlo.log %t : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @asinh_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x33BB004D263FC448D649CEB46240A04C9338403FBB4C0C4AD046E5487A4ADB44EF3FC94B8E4AE8480B4C4A49E64CC04256499B487C46BB490544EF4B4F4C2A3F"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x78BA6143603DE7414E42BCB41B3E39435B386D3D454360423C41F44183429140BF3DE1428942F541F4421C425743B93F2042D541234145423340EB421543623D"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %two = stablehlo.add %one, %one : tensor<32xf16>
    %half = stablehlo.divide %one, %two : tensor<32xf16>
    %p = stablehlo.multiply %x, %x : tensor<32xf16>
    %q = stablehlo.add %p, %one : tensor<32xf16>
    %s = stablehlo.sqrt %q : tensor<32xf16>
    %t = stablehlo.add %x, %s : tensor<32xf16>
    %r = stablehlo.log %t : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @asinh_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-9.0e-01, 2.0e+01, 1.7871172e+00, 9.534907e+00, 1.1671316e+01, -3.0039972e-01, 2.1916552e+00, 1.849961e+01, 5.7179004e-01, 1.8122755e+00, 1.8920065e+01, 1.2097367e+01, 6.8119564e+00, 9.788052e+00, 1.2953418e+01, 4.8539543e+00, 1.9835327e+00, 1.5570027e+01, 1.3110537e+01, 9.80879e+00, 1.6169792e+01, 1.0575673e+01, 1.9601095e+01, 3.3742478e+00, 1.0672965e+01, 9.207756e+00, 6.4834447e+00, 1.1464342e+01, 4.0177956e+00, 1.5866036e+01, 1.7227272e+01, 1.7910771e+00]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[-8.088669e-01, 3.689504e+00, 1.3441671e+00, 2.9508452e+00, 3.1521115e+00, -2.9605588e-01, 1.526202e+00, 3.6116266e+00, 5.4448503e-01, 1.3563868e+00, 3.6340678e+00, 3.187839e+00, 2.617171e+00, 2.976909e+00, 3.2559934e+00, 2.2833867e+00, 1.4362468e+00, 3.4395247e+00, 3.2680147e+00, 2.9790144e+00, 3.4772468e+00, 3.0539312e+00, 3.6693826e+00, 1.9305874e+00, 3.0630486e+00, 2.916129e+00, 2.5682943e+00, 3.1342854e+00, 2.0990195e+00, 3.4583197e+00, 3.5404823e+00, 1.3460991e+00]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %two = stablehlo.add %one, %one : tensor<32xf32>
    %half = stablehlo.divide %one, %two : tensor<32xf32>
    %p = stablehlo.multiply %x, %x : tensor<32xf32>
    %q = stablehlo.add %p, %one : tensor<32xf32>
    %s = stablehlo.sqrt %q : tensor<32xf32>
    %t = stablehlo.add %x, %s : tensor<32xf32>
    %r = stablehlo.log %t : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @asinh_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-9.0e-01, 2.0e+01, 1.7871172378762719e+00, 9.534907324998402e+00, 1.167131567432817e+01, -3.0039972502635903e-01, 2.191655167668829e+00, 1.8499610379871722e+01, 5.717900416227136e-01, 1.8122755424453278e+00, 1.8920064673798098e+01, 1.20973670894444e+01, 6.811956285952631e+00, 9.788051455688189e+00, 1.2953417707601103e+01, 4.853954249407602e+00, 1.9835327229193664e+00, 1.5570027525133428e+01, 1.311053620774191e+01, 9.808790351798052e+00, 1.6169791511765855e+01, 1.0575673119383548e+01, 1.9601095061313686e+01, 3.3742477417979377e+00, 1.067296458388326e+01, 9.207756165698802e+00, 6.483444470763364e+00, 1.1464341852535007e+01, 4.017795741852432e+00, 1.5866036090970303e+01, 1.7227271233506467e+01, 1.7910771286620863e+00]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[-8.088669356527824e-01, 3.6895038689889055e+00, 1.3441671565348905e+00, 2.950845264178049e+00, 3.1521116002915814e+00, -2.9605589363272755e-01, 1.5262019410736571e+00, 3.611626543704942e+00, 5.444850539469535e-01, 1.3563867825088143e+00, 3.634067816771038e+00, 3.18783892978474e+00, 2.6171711125076644e+00, 2.9769088694296095e+00, 3.2559934791294474e+00, 2.283386665812021e+00, 1.4362467371732852e+00, 3.439524586243061e+00, 3.2680146662599108e+00, 2.979014487811329e+00, 3.477246753398352e+00, 3.0539313370107095e+00, 3.6693826793169335e+00, 1.9305874168157497e+00, 3.0630485336031095e+00, 2.916129125591412e+00, 2.5682941540200477e+00, 3.1342854227608847e+00, 2.099019636737183e+00, 3.4583195572024086e+00, 3.540482161180384e+00, 1.346099185973806e+00]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %two = stablehlo.add %one, %one : tensor<32xf64>
    %half = stablehlo.divide %one, %two : tensor<32xf64>
    %p = stablehlo.multiply %x, %x : tensor<32xf64>
    %q = stablehlo.add %p, %one : tensor<32xf64>
    %s = stablehlo.sqrt %q : tensor<32xf64>
    %t = stablehlo.add %x, %s : tensor<32xf64>
    %r = stablehlo.log %t : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}

// -----

module @asinh_complex_f32 {
  func.func private @inputs() -> (tensor<20xcomplex<f32>>) {
    %x = stablehlo.constant dense<"0x11F306BF503AF63F8E430C3F894A97BF0227583F5E145C3EED1951BF802586BDCB28F1BE1E3F16BF185AE53F5296BB3EA91E32BF998687BF4A0E06BF4FBA9A3FCCD1EC3F2513BC3F5049673F3613BEBF78292E3E3FDE06BE8641153F213464BFE9D8823FB071D5BFFC15D0BD36B9CA3FECF1FFBE0F778FBEFF51B13FCE61B4BF4AA3853FE785313F1DFE153F247798BFFAF8BB3F6088CD3FC53B313FF2D190BF"> : tensor<20xcomplex<f32>>
    return %x : tensor<20xcomplex<f32>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f32>>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>>
    %r_expected = stablehlo.constant dense<"0x9FD4A9BF4FF0A13FFF73613FB5837DBF9892463F0DF5273ED81D3FBF10C54FBD675B06BF8C520ABFD51DAE3F7396353E810E67BF864D54BF075162BF28D0823F2E64C83F8A0B213FAC9F9B3FDC6B71BF4DCC2E3E8E4D05BE29523D3F910944BFB766AB3F4B2F75BF28E584BF2585BE3F70C0FDBE2AD780BEA18AB03F2F083BBF1A0F7F3F7F5BEF3E30A9683FF7C878BF7F2CBC3F45F3463F790F703F7D4060BF"> : tensor<20xcomplex<f32>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<20xcomplex<f32>>, tensor<20xcomplex<f32>>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<20xcomplex<f32>>) -> tensor<20xcomplex<f32>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f32>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f32>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f32>>
    %p = stablehlo.multiply %x, %x : tensor<20xcomplex<f32>>
    %q = stablehlo.add %p, %one : tensor<20xcomplex<f32>>
    %s = stablehlo.sqrt %q : tensor<20xcomplex<f32>>
    %t = stablehlo.add %x, %s : tensor<20xcomplex<f32>>
    %r = stablehlo.log %t : tensor<20xcomplex<f32>>
    return %r : tensor<20xcomplex<f32>>
  }
}

// -----

module @asinh_complex_f64 {
  func.func private @inputs() -> (tensor<20xcomplex<f64>>) {
    %x = stablehlo.constant dense<"0x5295F32662DEE0BF78DD3E004AC7FE3F472B1DBF7188E13F345AF72551E9F2BFAF277D4DE004EB3F30E29DCE8B82CB3F461CF1AF3D23EABF805DB4FCAFC4B0BF997D5F641925DEBF001482B9E3C7E2BF7C07510643ABFC3F78A6ED32CA72D73F252BDD1BD543E6BFC6DE511AD3F0F0BF8C08F446C9C1E0BF98E3E5EC4957F33FE867E985399AFD3F8EBFF8956482F73F49B1E7042AE9EC3F3A17C2CB66C2F7BFBCB928F12EC5C53F704B71D8C7DBC0BFB7ECA3C230A8E23F283B28238486ECBFA663391D1D5BF03F40113F0B36AEFABF28746A8ABF02BABF4040BECB2657F93F5AC7FA7B3DFEDFBF8852B2ECE1EED1BFAC2280E03F2AF63FC49430CA398CF6BFFE16ED4169B4F03FB4C26DDBBC30E63F9FFE009FC3BFE23F26187B81E40EF3BFE4ACB3401F7FF73F0814A4FA0BB1F93FCBAC3AAA7827E63F104200323E1AF2BF"> : tensor<20xcomplex<f64>>
    return %x : tensor<20xcomplex<f64>>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<20xcomplex<f64>>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>>
    %r_expected = stablehlo.constant dense<"0xB3A0D1E2933AF5BF6A338EE0093EF43F492B63DA7F2EEC3F56E320B276B0EFBFD24E720753D2E83FA11E0A99A1FEC43F719973FEBAE3E7BF951A8DEEA1F8A9BFF5A825EE6CCBE0BFF2CD7588514AE1BF4F5426ABBAC3F53FB4A83158CEB2C63FEEFAE423D0E1ECBF6ED6CFBCB089EABF07B069EF204AECBF0435120B055AF03FE34DDAC8850CF93FEF62253C7121E43F54CFF280F573F33FB98F9B8A7B2DEEBF7B672B9B89D9C53F2E274BC7B1A9C0BFCC8D851F45AAE73FC2C0812E3281E8BFF34BCED7D66CF53F975CEF6CE9A5EEBFB5080D01A59CF0BF17245DABA4D0F73FBE92E9080EB8DFBFC86FD13CE51AD0BF49AE5B235411F63F29BDE3D90561E7BFF7350F37E3E1EF3F9DE4A6D46FEBDD3F36740FFD2515ED3FEDBAFCDF1E19EFBFE734A1DE8F85F73F827A5EA568DEE83FA7FD8D11EF01EE3F8048DE7F0F08ECBF"> : tensor<20xcomplex<f64>>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-12 : f64}} : (tensor<20xcomplex<f64>>, tensor<20xcomplex<f64>>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<20xcomplex<f64>>) -> tensor<20xcomplex<f64>> {
    %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<20xcomplex<f64>>
    %two = stablehlo.add %one, %one : tensor<20xcomplex<f64>>
    %half = stablehlo.divide %one, %two : tensor<20xcomplex<f64>>
    %p = stablehlo.multiply %x, %x : tensor<20xcomplex<f64>>
    %q = stablehlo.add %p, %one : tensor<20xcomplex<f64>>
    %s = stablehlo.sqrt %q : tensor<20xcomplex<f64>>
    %t = stablehlo.add %x, %s : tensor<20xcomplex<f64>>
    %r = stablehlo.log %t : tensor<20xcomplex<f64>>
    return %r : tensor<20xcomplex<f64>>
  }
}

// -----

module @asinh_f32_rank_0 {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<-9.0e-01> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-8.088669e-01> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<f32>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %two = stablehlo.add %one, %one : tensor<f32>
    %half = stablehlo.divide %one, %two : tensor<f32>
    %p = stablehlo.multiply %x, %x : tensor<f32>
    %q = stablehlo.add %p, %one : tensor<f32>
    %s = stablehlo.sqrt %q : tensor<f32>
    %t = stablehlo.add %x, %s : tensor<f32>
    %r = stablehlo.log %t : tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

module @asinh_f32_rank_2 {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<0x3xf32>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<0x3xf32>
    %two = stablehlo.add %one, %one : tensor<0x3xf32>
    %half = stablehlo.divide %one, %two : tensor<0x3xf32>
    %p = stablehlo.multiply %x, %x : tensor<0x3xf32>
    %q = stablehlo.add %p, %one : tensor<0x3xf32>
    %s = stablehlo.sqrt %q : tensor<0x3xf32>
    %t = stablehlo.add %x, %s : tensor<0x3xf32>
    %r = stablehlo.log %t : tensor<0x3xf32>
    return %r : tensor<0x3xf32>
  }
}

// -----

module @asinh_f32_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[-9.0e-01]], [[2.0e+01]]]]], [[[[[1.7871172e+00]], [[9.534907e+00]]]]], [[[[[1.1671316e+01]], [[-3.0039972e-01]]]]]]], [[[[[[[2.1916552e+00]], [[1.849961e+01]]]]], [[[[[5.7179004e-01]], [[1.8122755e+00]]]]], [[[[[1.8920065e+01]], [[1.2097367e+01]]]]]]]]]], [[[[[[[[[[6.8119564e+00]], [[9.788052e+00]]]]], [[[[[1.2953418e+01]], [[4.8539543e+00]]]]], [[[[[1.9835327e+00]], [[1.5570027e+01]]]]]]], [[[[[[[1.3110537e+01]], [[9.80879e+00]]]]], [[[[[1.6169792e+01]], [[1.0575673e+01]]]]], [[[[[1.9601095e+01]], [[3.3742478e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = stablehlo.composite "chlo.asinh" %x {decomposition = @chlo.asinh.impl} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[-8.088669e-01]], [[3.689504e+00]]]]], [[[[[1.3441671e+00]], [[2.9508452e+00]]]]], [[[[[3.1521115e+00]], [[-2.9605588e-01]]]]]]], [[[[[[[1.526202e+00]], [[3.6116266e+00]]]]], [[[[[5.4448503e-01]], [[1.3563868e+00]]]]], [[[[[3.6340678e+00]], [[3.187839e+00]]]]]]]]]], [[[[[[[[[[2.617171e+00]], [[2.976909e+00]]]]], [[[[[3.2559934e+00]], [[2.2833867e+00]]]]], [[[[[1.4362468e+00]], [[3.4395247e+00]]]]]]], [[[[[[[3.2680147e+00]], [[2.9790144e+00]]]]], [[[[[3.4772468e+00]], [[3.0539312e+00]]]]], [[[[[3.6693826e+00]], [[1.9305874e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> ()
    return
  }
  func.func private @chlo.asinh.impl(%x: tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %two = stablehlo.add %one, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %half = stablehlo.divide %one, %two : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %p = stablehlo.multiply %x, %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %q = stablehlo.add %p, %one : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %s = stablehlo.sqrt %q : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %t = stablehlo.add %x, %s : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    %r = stablehlo.log %t : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %r : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
}
