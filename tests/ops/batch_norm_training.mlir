// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @rank_4 {
  func.func private @inputs() -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>) {
    %x = stablehlo.constant dense<"0xB9864DBFA5AD783E2103D4BF7DF6273FAB5C923FA1BCE7BEA168DC3E3C7A803E83E8C9BE91C65CBF571502C0C288B43F051A43BDD06D21400A83533F40398E3E674D28BF6E3CB23F2A9C01BF18F4C83F03F6CBBEB56A3E3EDDE6C2BF85F715409D90C0BD9C2DC5BEB6934F3FF23064BFE981443F35EB95BFF7940B3FEEA585BF0C25EBBF270118BF8C61BBBFA4A30D3FA087B13C166B023FFAFCBA3D032DB5BE806FE63CF6B7863FA6863BBE871543BF794B78BF2D0C63BEEAEE3FBF8FB8F03F33DB96BFDB718ABFEB9D9CBE4D67263F264489BE783975BF06914EBF039BB3BE4D2E793F075D7ABF0A0ABBBD1AF11CBF9934A63E6255CB3E2A8DBBBF5AC218406527423E986302BF8FDC64BF87DE84BE4252023D4D5C183FFE30B83B27C8F73EE212CEBF3E9C40BFE1D680BF7189283EDB7EEA3EB7A8BBBF7EF52BBECBB7393F8D426A3F26C58EBFB81B103F0B40AD3E9B31DFBE5F44FB3F29328FBFED038EBE32DBE83E3AF3783E3E5A2FBEE93DB03F1001B93FF2A4693FEC35803FEFFF60BD051895BF9B040C40282075BF6DAC0E40102802BE35606D3E7E362DBE1647753F6A1102BF18EEEB3F9FF7083F1DD1323E3BF011BFB8A48F3E7EC954BB9E32F33F44A56F3F93ADC7BF76B9C33F27E217C01B3AC53FA467F1BF1847493A60F64F3F"> : tensor<2x3x4x5xf32>
    %scale = stablehlo.constant dense<[1.2513795e+00, 1.2250823e+00, 1.773636e+00, 1.4131999e+00, 1.7323998e+00]> : tensor<5xf32>
    %offset = stablehlo.constant dense<[1.3839035e+00, -8.649459e-01, 2.4665181e-01, 8.098617e-01, -1.0648254e-01]> : tensor<5xf32>
    return %x, %scale, %offset : tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  func.func @main() {
    %x, %scale, %offset = call @inputs() : () -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
    %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
      {epsilon = 1.0e-03 : f32, feature_index = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
    %r_expected = stablehlo.constant dense<"0xD8FFC23E484C5FBFD75BF4BFB96DC03FE3B3E23F17715B3F57061EBF85E7713F85FA093E041BE0BFFE54A5BF2CDE363FE810FF3E84D37B40CE679B3F09E0EC3FBD1E06C05FCC294070C435BC284721409A546E3F291773BF59C1DABF87E46C4083A9CDBE6DF1723F3AA9CDBDBFAD43BF0406D33FEDC112C004B80D400AC027C09C7C0BC0851100BE6AA533C0186B0E40B21E96BF7A77AA3F107A443FBB9F5BBFC969C13F0A69693E4941973EBB49B0BED543F8BF6FEA953FDE250EC06E8C5840021163BF2FAF08C06243873F7B50A3BEF9502C3E5E7819BF92A1D3BFA9E47E3F3E9DF63D43DB64BF3B90073FA010A8BF8B07F53F54A029BFA2C1CFBFDB8770406143C53D48B1473F72B11AC0A979393EDEA2303F95F34E3FA87EBD3F2C6D0BBFFE78EBBF90D7A9BE6B4000C0502BD93F237414BFDBEACFBF6307DC3EBAC2843F4BE92D40ACF22DC097B5B43F4A718B3F8B4180BFA6908440BD3C2EC0781A1E3E72DB9E3F22D8423E56B49E3FC8332B3FB4DC2E403537EB3F01D5C23FFFF3B23F983E32C0A5F67540635719BF435E6B406363A63F3C2363BFC0F6A13E44CBF23FDB7890BF44B37E408F50F3BE6CAC543F0FE9C0BD1814833E70F3BB3FF395B03F5930FC3F3424B1BFF4AF1C40B9A1E0BF0D3C643FA52B10C0C547263F134A983F"> : tensor<2x3x4x5xf32>
    %m_expected = stablehlo.constant dense<[-6.5348335e-02, 2.482307e-01, -2.1572182e-01, 1.2382666e-01, 7.410086e-02]> : tensor<5xf32>
    %v_expected = stablehlo.constant dense<[8.455402e-01, 8.1177855e-01, 1.4039199e+00, 1.1755441e+00, 9.724931e-01]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%m, %m_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<5xf32>, tensor<5xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%v, %v_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<5xf32>, tensor<5xf32>) -> ()
    return
  }
}

// -----

module @axis_1 {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
    %x = stablehlo.constant dense<[[[4.1567257e-01, 1.7516674e+00, 7.7842915e-01, 1.5280079e+00], [4.8862457e-01, 1.306147e+00, 1.4477621e+00, 9.362027e-01], [3.756911e-02, 1.1006114e+00, -3.874278e-01, 1.434464e+00]], [[-2.6745325e-01, -6.738334e-01, 1.8914286e+00, -4.0388027e-01], [1.7035349e-01, -1.0564166e+00, -6.9238394e-01, -3.320342e-01], [-9.8154867e-01, 1.2281291e+00, -7.1694535e-01, -1.248358e+00]]]> : tensor<2x3x4xf32>
    %scale = stablehlo.constant dense<[1.3795017e+00, 1.1138561e+00, 1.1814439e+00]> : tensor<3xf32>
    %offset = stablehlo.constant dense<[-5.615534e-01, 1.0030477e+00, -7.606695e-01]> : tensor<3xf32>
    return %x, %scale, %offset : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func @main() {
    %x, %scale, %offset = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %r_expected = stablehlo.constant dense<[[[-8.6734104e-01, 1.0612162e+00, -3.4368867e-01, 7.383556e-01], [1.2664628e+00, 2.3164651e+00, 2.4983513e+00, 1.8413193e+00], [-7.8525966e-01, 4.7496605e-01, -1.2890892e+00, 8.7074476e-01]], [[-1.853458e+00, -2.4400826e+00, 1.2629666e+00, -2.0503955e+00], [8.576846e-01, -7.179435e-01, -2.5039044e-01, 2.1243238e-01], [-1.9934133e+00, 6.2613696e-01, -1.6797287e+00, -2.3097131e+00]]]> : tensor<2x3x4xf32>
    %m_expected = stablehlo.constant dense<[6.275048e-01, 2.8353187e-01, 5.831173e-02]> : tensor<3xf32>
    %v_expected = stablehlo.constant dense<[9.122485e-01, 7.5110257e-01, 9.921862e-01]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%m, %m_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%v, %v_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @axis_0 {
  func.func private @inputs() -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>) {
    %x = stablehlo.constant dense<[[1.6570870642940831e+00, 2.560117448654614e+00, 8.093289155365447e-01, 8.388383907924514e-01, 1.9402904558171077e+00, -8.304560090440601e-01, -2.8166784301471104e-01, 3.0012727169436615e-01], [-1.5119768046804334e+00, 1.011365638390016e+00, 1.624380080588256e+00, -1.2143266695514028e+00, -7.703911106366065e-01, 9.435559767588101e-01, 1.393035398215335e+00, -1.6196757449733683e+00], [5.760116424895798e-01, -1.7719662162656966e-01, -1.8232880820246558e+00, -4.025717404432104e-01, -5.518920458822754e-01, 1.2005189003106287e-01, 4.8908068383156984e-02, -2.651558000144449e-01]]> : tensor<3x8xf64>
    %scale = stablehlo.constant dense<[7.134008086139603e-01, 1.6350648014522795e+00, 9.961051585564769e-01]> : tensor<3xf64>
    %offset = stablehlo.constant dense<[9.708514458483463e-01, 9.646415337246587e-01, -8.884484423319654e-01]> : tensor<3xf64>
    return %x, %scale, %offset : tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>
  }
  func.func @main() {
    %x, %scale, %offset = call @inputs() : () -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>)
    %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
      {epsilon = 1.0e-03 : f32, feature_index = 0 : i64} : (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>)
    %r_expected = stablehlo.constant dense<[[1.4923226986900961e+00, 2.0938262192045345e+00, 9.276357071404572e-01, 9.472918046122283e-01, 1.6809629039068428e+00, -1.6461591816913612e-01, 2.0092882938337286e-01, 5.884593220183747e-01], [-9.175091056497228e-01, 2.261471842875683e+00, 3.0337654482366125e+00, -5.425207201058971e-01, 1.6762340359675165e-02, 2.1760432388257094e+00, 2.742310620206502e+00, -1.053191394951293e+00], [4.48087637245316e-01, -6.888971713483847e-01, -3.173709238864194e+00, -1.0291059801699587e+00, -1.2545083383052749e+00, -2.4019386014878918e-01, -3.4758705840835447e-01, -8.216735286560835e-01]]> : tensor<3x8xf64>
    %m_expected = stablehlo.constant dense<[8.742082118412995e-01, -1.8004154486174234e-02, -3.0939158613591955e-01]> : tensor<3xf64>
    %v_expected = stablehlo.constant dense<[1.1460849295796167e+00, 1.6834048133168102e+00, 4.3444289334060765e-01]> : tensor<3xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3x8xf64>, tensor<3x8xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%m, %m_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3xf64>, tensor<3xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%v, %v_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3xf64>, tensor<3xf64>) -> ()
    return
  }
}

// -----

module @f64 {
  func.func private @inputs() -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>) {
    %x = stablehlo.constant dense<[[5.5154387874521e-01, 6.986844319582158e-01, 4.068702614925443e-01, 2.26043024808044e-01, 4.246741117876861e-02], [6.374485841277806e-01, 1.204442582421889e+00, 1.8416844949820506e+00, 1.7602270714842123e+00, -9.930463417202728e-01], [2.937585934419573e-01, 4.8917967133233753e-01, 1.215716106100025e+00, 1.063623041548168e+00, -1.4318521860486855e+00], [2.756026290992082e-01, -1.710655044997245e+00, -4.746627655706361e-01, -9.270393117071366e-01, -6.123706253844239e-01]]> : tensor<4x5xf64>
    %scale = stablehlo.constant dense<[1.7955067822434392e+00, 5.629558199567523e-01, 7.703444013227008e-01, 1.8400496141870208e+00, 6.568417031044095e-01]> : tensor<5xf64>
    %offset = stablehlo.constant dense<[-1.702735586544537e+00, 1.624905613188028e+00, -7.651277846302531e-01, -9.95461210452093e-01, 1.262877350980719e-01]> : tensor<5xf64>
    return %x, %scale, %offset : tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func @main() {
    %x, %scale, %offset = call @inputs() : () -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>)
    %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>) -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>)
    %r_expected = stablehlo.constant dense<[[-4.5512443497344757e-01, 1.8911070702953952e+00, -1.0665245550441442e+00, -1.5548431735780393e+00, 1.0851421640805363e+00], [5.021818983192197e-01, 2.1459638078758356e+00, 2.033962670683216e-01, 1.2619542391753578e+00, -1.6984684035837394e-01], [-3.327836530910986e+00, 1.785535465069198e+00, -3.5063384531227987e-01, -1.702688012943321e-02, -7.016567831755997e-01], [-3.5301632786129344e+00, 6.77016109511683e-01, -1.8467490052329096e+00, -3.6719290272762573e+00, 2.915123998457243e-01]]> : tensor<4x5xf64>
    %m_expected = stablehlo.constant dense<[4.3958842135353904e-01, 1.7041291017879923e-01, 7.474020242509959e-01, 5.307134565333219e-01, -7.487004354936533e-01]> : tensor<5xf64>
    %v_expected = stablehlo.constant dense<[2.496008680570743e-02, 1.2470792659521983e+00, 7.565441092441321e-01, 1.0033908901076722e+00, 2.9273340372720213e-01]> : tensor<5xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<4x5xf64>, tensor<4x5xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%m, %m_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<5xf64>, tensor<5xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%v, %v_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<5xf64>, tensor<5xf64>) -> ()
    return
  }
}

// -----

module @f16 {
  func.func private @inputs() -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>) {
    %x = stablehlo.constant dense<"0x60BE3130F4BE853912B824B80233EFB59D392FBD4FBFD83F3F312FC1CB3EB2BD1D40463F0C3BDE1602BBA93B6BB65D3C"> : tensor<6x4xf16>
    %scale = stablehlo.constant dense<"0xBC3EE63A9F38A639"> : tensor<4xf16>
    %offset = stablehlo.constant dense<"0xDEB7963066BB813E"> : tensor<4xf16>
    return %x, %scale, %offset : tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>
  }
  func.func @main() {
    %x, %scale, %offset = call @inputs() : () -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>)
    %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>) -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>)
    %r_expected = stablehlo.constant dense<"0x83C1ED3576BE753FD3BC37A4EBB9B13C3338B1B79FBE6241CEB304BD00ADCA37ED40823D19B7A93DECBEE83A12BC4040"> : tensor<6x4xf16>
    %m_expected = stablehlo.constant dense<"0xCDA0FEB33BB23235"> : tensor<4xf16>
    %v_expected = stablehlo.constant dense<"0x8B3D2D40AB3EB23C"> : tensor<4xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<6x4xf16>, tensor<6x4xf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%m, %m_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<4xf16>, tensor<4xf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%v, %v_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<4xf16>, tensor<4xf16>) -> ()
    return
  }
}

// -----

module @bf16 {
  func.func private @inputs() -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
    %x = stablehlo.constant dense<"0x4FBF9EBFB9BEBBBF69BFF73F7F3EB03EEB3FD3BF143FEEBEC7BC2DBF023EA03F9C3F833E553F98BF3BC0873F0340F43E"> : tensor<6x4xbf16>
    %scale = stablehlo.constant dense<"0xCD3F043F5B3F9F3F"> : tensor<4xbf16>
    %offset = stablehlo.constant dense<"0xA63D203F83BF0740"> : tensor<4xbf16>
    return %x, %scale, %offset : tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>
  }
  func.func @main() {
    %x, %scale, %offset = call @inputs() : () -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
    %r, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
    %r_expected = stablehlo.constant dense<"0xF4BE133E06C0E03E15BFB83FB3BF32401040D3BC83BFDE3FAA3EBE3EC4BF7D40CF3F403F3DBF4B3F2AC08A3F243F3D40"> : tensor<6x4xbf16>
    %m_expected = stablehlo.constant dense<"0x89BE59BD143F32BE"> : tensor<4xbf16>
    %v_expected = stablehlo.constant dense<"0x1A40CC3F123F6A3F"> : tensor<4xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<6x4xbf16>, tensor<6x4xbf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%m, %m_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<4xbf16>, tensor<4xbf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%v, %v_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<4xbf16>, tensor<4xbf16>) -> ()
    return
  }
}
