// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @rank_4 {
  func.func private @inputs() -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
    %x = stablehlo.constant dense<"0xB9864DBFA5AD783E2103D4BF7DF6273FAB5C923FA1BCE7BEA168DC3E3C7A803E83E8C9BE91C65CBF571502C0C288B43F051A43BDD06D21400A83533F40398E3E674D28BF6E3CB23F2A9C01BF18F4C83F03F6CBBEB56A3E3EDDE6C2BF85F715409D90C0BD9C2DC5BEB6934F3FF23064BFE981443F35EB95BFF7940B3FEEA585BF0C25EBBF270118BF8C61BBBFA4A30D3FA087B13C166B023FFAFCBA3D032DB5BE806FE63CF6B7863FA6863BBE871543BF794B78BF2D0C63BEEAEE3FBF8FB8F03F33DB96BFDB718ABFEB9D9CBE4D67263F264489BE783975BF06914EBF039BB3BE4D2E793F075D7ABF0A0ABBBD1AF11CBF9934A63E6255CB3E2A8DBBBF5AC218406527423E986302BF8FDC64BF87DE84BE4252023D4D5C183FFE30B83B27C8F73EE212CEBF3E9C40BFE1D680BF7189283EDB7EEA3EB7A8BBBF7EF52BBECBB7393F8D426A3F26C58EBFB81B103F0B40AD3E9B31DFBE5F44FB3F29328FBFED038EBE32DBE83E3AF3783E3E5A2FBEE93DB03F1001B93FF2A4693FEC35803FEFFF60BD051895BF9B040C40282075BF6DAC0E40102802BE35606D3E7E362DBE1647753F6A1102BF18EEEB3F9FF7083F1DD1323E3BF011BFB8A48F3E7EC954BB9E32F33F44A56F3F93ADC7BF76B9C33F27E217C01B3AC53FA467F1BF1847493A60F64F3F"> : tensor<2x3x4x5xf32>
    %scale = stablehlo.constant dense<[1.2513795e+00, 1.2250823e+00, 1.773636e+00, 1.4131999e+00, 1.7323998e+00]> : tensor<5xf32>
    %offset = stablehlo.constant dense<[1.3839035e+00, -8.649459e-01, 2.4665181e-01, 8.098617e-01, -1.0648254e-01]> : tensor<5xf32>
    %mean = stablehlo.constant dense<[2.764982e-01, 1.2063687e-01, 2.1414459e-01, 1.18705e+00, 9.3421817e-01]> : tensor<5xf32>
    %variance = stablehlo.constant dense<[5.525321e-01, 7.9663664e-01, 1.3452961e+00, 5.913166e-01, 9.741358e-01]> : tensor<5xf32>
    return %x, %scale, %offset, %mean, %variance : tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  func.func @main() {
    %x, %scale, %offset, %mean, %variance = call @inputs() : () -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
      {epsilon = 1.0e-03 : f32, feature_index = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x3x4x5xf32>
    %r_expected = stablehlo.constant dense<"0x00EEDCBE938232BF893427C0570929BECB6B853ED558213E8C3DE1BEDF139B3E550306C05A8950C076FD1FC02C7E673F3F2F1DBE48C05040028797BE6D6AB13F5453F7BFD00F0340EE2A13C0B320813F7DC87E3E527D46BFB2201AC03FB43B405287F4BFD1CC8A3E5893A73D27BCB8BF267C223D493673C07AFFEA3F4C9C1DC0A9E238C0B3721DC057098AC067BAEC3FE21680BF73B3323F0AE199BF1B7017C0F155773F419AD33EB1A3B8BE5A3931C0289B5CC084C00B3F36C403C0AAD132402D2C62C0B72569C0D905CF3EED1F0EBE7423FBBEC83D48C0FA4D4AC0505BA83EE8079C3E62AEC9BFD5CDC4BF348A34C0F97FBB3FA2A9F8BE838214C0D8D440407BD6B4BFD49D7E3D216E10C0D46AF4BE4ADCA7BF208933BFDEA46D3F3FB1BBBE9CAA22C0A41630C0C4B860C0C90B993FD8EACDBE929714C0E0CED6BFC907F2BE724F1D40ECDD23C0A2A0473F239D3FBFF4A620C0090F8740B02824C0F23201BF7EE308BF45D2A8BF477D213F92B75B3F113C0840B1B19C3E9078413C2F92533F3B3428C015DE50402A3248C079970A40727E343FD06236BF2CB3ADBEC86AC73EDDC028C0119C804084D197BE96B63E3ED2A91AC0146AA0BF5CD3693FE3B3C93F3CD5AC3F8E7F87C08BE86F3F35A844C0E3A48A3F86AB3DC07D28AFBF3CFBA3BE"> : tensor<2x3x4x5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> ()
    return
  }
}

// -----

module @axis_1 {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %x = stablehlo.constant dense<[[[4.1567257e-01, 1.7516674e+00, 7.7842915e-01, 1.5280079e+00], [4.8862457e-01, 1.306147e+00, 1.4477621e+00, 9.362027e-01], [3.756911e-02, 1.1006114e+00, -3.874278e-01, 1.434464e+00]], [[-2.6745325e-01, -6.738334e-01, 1.8914286e+00, -4.0388027e-01], [1.7035349e-01, -1.0564166e+00, -6.9238394e-01, -3.320342e-01], [-9.8154867e-01, 1.2281291e+00, -7.1694535e-01, -1.248358e+00]]]> : tensor<2x3x4xf32>
    %scale = stablehlo.constant dense<[1.3795017e+00, 1.1138561e+00, 1.1814439e+00]> : tensor<3xf32>
    %offset = stablehlo.constant dense<[-5.615534e-01, 1.0030477e+00, -7.606695e-01]> : tensor<3xf32>
    %mean = stablehlo.constant dense<[-2.702305e-01, -2.3171212e-01, -2.2494705e+00]> : tensor<3xf32>
    %variance = stablehlo.constant dense<[6.1327606e-01, 6.32284e-01, 1.9322957e+00]> : tensor<3xf32>
    return %x, %scale, %offset, %mean, %variance : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @main() {
    %x, %scale, %offset, %mean, %variance = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
    %r_expected = stablehlo.constant dense<[[[6.457132e-01, 2.9972146e+00, 1.2842056e+00, 2.6035485e+00], [2.011291e+00, 3.1555636e+00, 3.35378e+00, 2.6377587e+00], [1.1826206e+00, 2.0858843e+00, 8.2150215e-01, 2.3695576e+00]], [[-5.566651e-01, -1.2719399e+00, 3.2432098e+00, -7.9679203e-01], [1.5658122e+00, -1.5127754e-01, 3.5825297e-01, 8.626285e-01], [3.1667954e-01, 2.1942358e+00, 5.4151213e-01, 8.997251e-02]]]> : tensor<2x3x4xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> ()
    return
  }
}

// -----

module @axis_0 {
  func.func private @inputs() -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
    %x = stablehlo.constant dense<[[1.6570870642940831e+00, 2.560117448654614e+00, 8.093289155365447e-01, 8.388383907924514e-01, 1.9402904558171077e+00, -8.304560090440601e-01, -2.8166784301471104e-01, 3.0012727169436615e-01], [-1.5119768046804334e+00, 1.011365638390016e+00, 1.624380080588256e+00, -1.2143266695514028e+00, -7.703911106366065e-01, 9.435559767588101e-01, 1.393035398215335e+00, -1.6196757449733683e+00], [5.760116424895798e-01, -1.7719662162656966e-01, -1.8232880820246558e+00, -4.025717404432104e-01, -5.518920458822754e-01, 1.2005189003106287e-01, 4.8908068383156984e-02, -2.651558000144449e-01]]> : tensor<3x8xf64>
    %scale = stablehlo.constant dense<[7.134008086139603e-01, 1.6350648014522795e+00, 9.961051585564769e-01]> : tensor<3xf64>
    %offset = stablehlo.constant dense<[9.708514458483463e-01, 9.646415337246587e-01, -8.884484423319654e-01]> : tensor<3xf64>
    %mean = stablehlo.constant dense<[-7.905494171920425e-01, -6.698768871964147e-01, 1.4228699516405034e+00]> : tensor<3xf64>
    %variance = stablehlo.constant dense<[1.550570080837681e+00, 1.6163662643430032e+00, 6.232545656547228e-01]> : tensor<3xf64>
    return %x, %scale, %offset, %mean, %variance : tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  }
  func.func @main() {
    %x, %scale, %offset, %mean, %variance = call @inputs() : () -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
      {epsilon = 1.0e-03 : f32, feature_index = 0 : i64} : (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3x8xf64>
    %r_expected = stablehlo.constant dense<[[2.3726797246415448e+00, 2.889869895233165e+00, 1.887145473336333e+00, 1.904046355971062e+00, 2.5348780436689156e+00, 9.479958505050172e-01, 1.2623018252794658e+00, 1.5955117812643207e+00], [-1.1802423123878591e-01, 3.1261709285872947e+00, 3.9143075097891242e+00, 2.6465673636392173e-01, 8.35413034408665e-01, 3.038989826134265e+00, 3.6168737227631835e+00, -2.564899324662365e-01], [-1.9561136207414072e+00, -2.905710769399387e+00, -4.980998351458135e+00, -3.189849407280467e+00, -3.378102966139201e+00, -2.5309587219770964e+00, -2.6206523344877866e+00, -3.016604115867695e+00]]> : tensor<3x8xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3x8xf64>, tensor<3x8xf64>) -> ()
    return
  }
}

// -----

module @f64 {
  func.func private @inputs() -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
    %x = stablehlo.constant dense<[[5.5154387874521e-01, 6.986844319582158e-01, 4.068702614925443e-01, 2.26043024808044e-01, 4.246741117876861e-02], [6.374485841277806e-01, 1.204442582421889e+00, 1.8416844949820506e+00, 1.7602270714842123e+00, -9.930463417202728e-01], [2.937585934419573e-01, 4.8917967133233753e-01, 1.215716106100025e+00, 1.063623041548168e+00, -1.4318521860486855e+00], [2.756026290992082e-01, -1.710655044997245e+00, -4.746627655706361e-01, -9.270393117071366e-01, -6.123706253844239e-01]]> : tensor<4x5xf64>
    %scale = stablehlo.constant dense<[1.7955067822434392e+00, 5.629558199567523e-01, 7.703444013227008e-01, 1.8400496141870208e+00, 6.568417031044095e-01]> : tensor<5xf64>
    %offset = stablehlo.constant dense<[-1.702735586544537e+00, 1.624905613188028e+00, -7.651277846302531e-01, -9.95461210452093e-01, 1.262877350980719e-01]> : tensor<5xf64>
    %mean = stablehlo.constant dense<[6.712969890708064e-01, 2.7053189884749234e+00, 8.947399314574035e-01, -5.964705635185393e-01, -2.0989851720283073e-01]> : tensor<5xf64>
    %variance = stablehlo.constant dense<[1.118440717125663e+00, 5.923745311356466e-01, 1.1633881633317746e+00, 1.2879397403290265e+00, 1.5349412126964166e+00]> : tensor<5xf64>
    return %x, %scale, %offset, %mean, %variance : tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func @main() {
    %x, %scale, %offset, %mean, %variance = call @inputs() : () -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
    %r_expected = stablehlo.constant dense<[[-1.905958794389703e+00, 1.584188424480617e-01, -1.113416865483022e+00, 3.3761908083066605e-01, 2.600409232289568e-01], [-1.7601769458066152e+00, 5.280365361333414e-01, -8.910615026162805e-02, 2.8241318203774997e+00, -2.8877827234087894e-01], [-2.343425115491266e+00, 5.308771226014253e-03, -5.359836018201825e-01, 1.6951181283056196e+00, -5.213440589578544e-01], [-2.3742361174370528e+00, -1.602372357774307e+00, -1.7427413483091612e+00, -1.5312270499208267e+00, -8.702127990354078e-02]]> : tensor<4x5xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<4x5xf64>, tensor<4x5xf64>) -> ()
    return
  }
}

// -----

module @f16 {
  func.func private @inputs() -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
    %x = stablehlo.constant dense<"0x60BE3130F4BE853912B824B80233EFB59D392FBD4FBFD83F3F312FC1CB3EB2BD1D40463F0C3BDE1602BBA93B6BB65D3C"> : tensor<6x4xf16>
    %scale = stablehlo.constant dense<"0xBC3EE63A9F38A639"> : tensor<4xf16>
    %offset = stablehlo.constant dense<"0xDEB7963066BB813E"> : tensor<4xf16>
    %mean = stablehlo.constant dense<"0x2DB83B38B3BEB93A"> : tensor<4xf16>
    %variance = stablehlo.constant dense<"0xFE3C503DE13ED63C"> : tensor<4xf16>
    return %x, %scale, %offset, %mean, %variance : tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
  }
  func.func @main() {
    %x, %scale, %offset, %mean, %variance = call @inputs() : () -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>)
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<6x4xf16>
    %r_expected = stablehlo.constant dense<"0x36C0F0B09FBB1E3E8DB71DB9D1ADCA3A683DE3BCEFBBB140553862C07C388731C9426E3C6B325A3C1ABC6C37D3B5263F"> : tensor<6x4xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<6x4xf16>, tensor<6x4xf16>) -> ()
    return
  }
}

// -----

module @bf16 {
  func.func private @inputs() -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
    %x = stablehlo.constant dense<"0x4FBF9EBFB9BEBBBF69BFF73F7F3EB03EEB3FD3BF143FEEBEC7BC2DBF023EA03F9C3F833E553F98BF3BC0873F0340F43E"> : tensor<6x4xbf16>
    %scale = stablehlo.constant dense<"0xCD3F043F5B3F9F3F"> : tensor<4xbf16>
    %offset = stablehlo.constant dense<"0xA63D203F83BF0740"> : tensor<4xbf16>
    %mean = stablehlo.constant dense<"0x533FD63F8ABF663E"> : tensor<4xbf16>
    %variance = stablehlo.constant dense<"0xF63FD63FC33F863F"> : tensor<4xbf16>
    return %x, %scale, %offset, %mean, %variance : tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>
  }
  func.func @main() {
    %x, %scale, %offset, %mean, %variance = call @inputs() : () -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
    %r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<6x4xbf16>
    %r_expected = stablehlo.constant dense<"0xE7BF09BF07BF833DF6BF3A3FD5BD1040A03F33BFFE3DA33F66BF9FBE41BE5740093F783D9A3ECB3E88C0C23E923F1B40"> : tensor<6x4xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<6x4xbf16>, tensor<6x4xbf16>) -> ()
    return
  }
}
