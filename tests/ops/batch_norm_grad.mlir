// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @rank_4 {
  func.func private @inputs() -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x3x4x5xf32>) {
    %x = stablehlo.constant dense<"0xB9864DBFA5AD783E2103D4BF7DF6273FAB5C923FA1BCE7BEA168DC3E3C7A803E83E8C9BE91C65CBF571502C0C288B43F051A43BDD06D21400A83533F40398E3E674D28BF6E3CB23F2A9C01BF18F4C83F03F6CBBEB56A3E3EDDE6C2BF85F715409D90C0BD9C2DC5BEB6934F3FF23064BFE981443F35EB95BFF7940B3FEEA585BF0C25EBBF270118BF8C61BBBFA4A30D3FA087B13C166B023FFAFCBA3D032DB5BE806FE63CF6B7863FA6863BBE871543BF794B78BF2D0C63BEEAEE3FBF8FB8F03F33DB96BFDB718ABFEB9D9CBE4D67263F264489BE783975BF06914EBF039BB3BE4D2E793F075D7ABF0A0ABBBD1AF11CBF9934A63E6255CB3E2A8DBBBF5AC218406527423E986302BF8FDC64BF87DE84BE4252023D4D5C183FFE30B83B27C8F73EE212CEBF3E9C40BFE1D680BF7189283EDB7EEA3EB7A8BBBF7EF52BBECBB7393F8D426A3F26C58EBFB81B103F0B40AD3E9B31DFBE5F44FB3F29328FBFED038EBE32DBE83E3AF3783E3E5A2FBEE93DB03F1001B93FF2A4693FEC35803FEFFF60BD051895BF9B040C40282075BF6DAC0E40102802BE35606D3E7E362DBE1647753F6A1102BF18EEEB3F9FF7083F1DD1323E3BF011BFB8A48F3E7EC954BB9E32F33F44A56F3F93ADC7BF76B9C33F27E217C01B3AC53FA467F1BF1847493A60F64F3F"> : tensor<2x3x4x5xf32>
    %scale = stablehlo.constant dense<[1.2513795e+00, 1.2250823e+00, 1.773636e+00, 1.4131999e+00, 1.7323998e+00]> : tensor<5xf32>
    %mean = stablehlo.constant dense<[2.764982e-01, 1.2063687e-01, 2.1414459e-01, 1.18705e+00, 9.3421817e-01]> : tensor<5xf32>
    %variance = stablehlo.constant dense<[5.525321e-01, 7.9663664e-01, 1.3452961e+00, 5.913166e-01, 9.741358e-01]> : tensor<5xf32>
    %grad = stablehlo.constant dense<"0x01BD483F40F7CF3FA114AE3D2543FDBF473A02BFA19DEF3E2313983E69EDBF3DD7227D3FAA376D3F8A9EABBF3490DE3EB9583DBF746B6E3EC4389F3F7E6AEA3F0D33333F4B7001BF3BD8B3BE7077083FCBE97CBF39918ABDDBDC1A3FC1226B3FA51898BE5D55BD3E2A67AE3FEE499C3E29B2DBBF15785B3E52BB803E70C5D7BE980D303D8AF7BCBF00809F3F90D6D73E72240BBF8944713E5FA6073E041C5DBF21B32AC07E3C36C05E65014060428FBF6EBD96BE2B50123F873AB9BE8589983F03DC72BF3719103FFC9205C074FC363F6E0D303F4BE2BB3E34349A3E725D893E39365D3F4C63763F0DC371BF185C873FD49372BFA090283EBD6281BE190DF63E81F5A9BE294CCF3E232CF5BE657075BF21AD883F8C92123F0B92033F04DE743F5EA587BFEE176A3FCC3D87BF21F1C23E871137BEFC2C8B3E4A87323FC4DFAE3C05AE6BBFAFFF6D3F40AC963F7E672F3F53B3843FFDACE1BFC4B1933D65AFE9BD1823FABF96ADDE3DEDD5583B0CD1C0BF5C0857BF403DAE3DE3121A3F1223353F047D8DBF46D989BF7C6701BF1E7E4CBD133713BF0A8844BEEDB0353FB5382F3FB16C0D3EEA1492BF6066FBBE2F54103F55C55E3F54F8873F44D387BF45B7EDBE8BE29ABF79403CC0ECC58BBF1DAEE2BF5C67B23F17C7F23EF62B24BF154A8A3D"> : tensor<2x3x4x5xf32>
    return %x, %scale, %mean, %variance, %grad : tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x3x4x5xf32>
  }
  func.func @main() {
    %x, %scale, %mean, %variance, %grad = call @inputs() : () -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x3x4x5xf32>)
    %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
      {epsilon = 1.0e-03 : f32, feature_index = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>)
    %r_expected = stablehlo.constant dense<"0x05181440812A0B401A56ECBEA23C06C0923E94BF83EAD23F87B7B03E16D897BCE537AD40E3AC863EBFB749BF17CCFB3E8809AEBF1A87D9BFFE1CDF3F19466A40C4DC713FE76E2DBF75034B403017673F8D6752BF190614BE9D01BA3EA80FB6BD3A56BBBFB574BA3F8429E53F6652423D76D9EABF9FE693BF8582663FF5AB13BFFF0811BF5693A33F0237FD3ED07C973F664C4ABF6063833E5FCC3840476226C0F7D773C005AD7FC0602E3540D2E31040810CF8BF57DCDD3F45F801BFF9BA0140FA3F5940B26BFDBE4B312DC009A4683F21C2453F8712AC4059CA4DBFC0EAA23F4BC18C3FCD29843F3960A23FBD04213FB40984BFFBEB283E254C6FBFE1897ABF8E51AFBF241DC83FF87D29BFF504DFBFED179740CDB7E03E534AC63F6AAD9F3FEADC0CC05955BF4096E152C02DCDA13F0F0D9EBE505608BE9BDF8D4053E7E9BEAE409BBFA6C8A33F969BDA3F61B75A40F47B303F211042C00FB4D33D9215E9BED429D4BF0A3B11BF2A17423FBDD60AC0789C96BFB01D983F4B6C363F59F3F23FFF41C1BFB590AFBF4C9171401B3B763EE4216DBEF94BA2BEB415543FD7C90C40EC316DBF035DF8BF05853DBF59CD2E3FD948B140BF20903F50608CBF312F43BF8BB4EDBF66C7F73EC83AFCBF15BBB0BF29A0E63FD008A73D047AD23F1319A8BE"> : tensor<2x3x4x5xf32>
    %s_expected = stablehlo.constant dense<[4.075656e+00, 6.7302233e-01, -4.1046605e+00, 1.9742374e+01, -7.3872857e+00]> : tensor<5xf32>
    %o_expected = stablehlo.constant dense<[-8.286116e+00, 8.5612583e-01, 2.6703112e+00, -6.4525867e+00, 5.200388e+00]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%s, %s_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<5xf32>, tensor<5xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%o, %o_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<5xf32>, tensor<5xf32>) -> ()
    return
  }
}

// -----

module @axis_1 {
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) {
    %x = stablehlo.constant dense<[[[4.1567257e-01, 1.7516674e+00, 7.7842915e-01, 1.5280079e+00], [4.8862457e-01, 1.306147e+00, 1.4477621e+00, 9.362027e-01], [3.756911e-02, 1.1006114e+00, -3.874278e-01, 1.434464e+00]], [[-2.6745325e-01, -6.738334e-01, 1.8914286e+00, -4.0388027e-01], [1.7035349e-01, -1.0564166e+00, -6.9238394e-01, -3.320342e-01], [-9.8154867e-01, 1.2281291e+00, -7.1694535e-01, -1.248358e+00]]]> : tensor<2x3x4xf32>
    %scale = stablehlo.constant dense<[1.3795017e+00, 1.1138561e+00, 1.1814439e+00]> : tensor<3xf32>
    %mean = stablehlo.constant dense<[-2.702305e-01, -2.3171212e-01, -2.2494705e+00]> : tensor<3xf32>
    %variance = stablehlo.constant dense<[6.1327606e-01, 6.32284e-01, 1.9322957e+00]> : tensor<3xf32>
    %grad = stablehlo.constant dense<[[[-6.399139e-02, -9.288893e-02, 5.698699e-01, 1.8409064e-01], [5.273473e-01, -8.559692e-01, 4.198794e-02, 5.244702e-01], [6.162741e-01, -1.5374323e+00, 8.4131557e-01, 1.3582507e-01]], [[1.7607851e-01, -1.7495761e+00, 5.958362e-02, -1.5602274e+00], [-2.5031295e+00, 1.1653887e-01, 1.8115563e-02, 8.104632e-02], [2.0078935e-01, 2.5947196e-02, 1.1276633e+00, 8.395242e-01]]]> : tensor<2x3x4xf32>
    return %x, %scale, %mean, %variance, %grad : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>
  }
  func.func @main() {
    %x, %scale, %mean, %variance, %grad = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>)
    %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %r_expected = stablehlo.constant dense<[[[4.676492e-03, -8.792166e-01, 8.941548e-01, -2.522434e-01], [1.3698487e+00, -2.5637448e-01, 1.0541778e+00, 1.535531e+00], [1.289649e-01, -1.7734102e+00, 3.4911796e-01, -3.7437922e-01]], [[8.531746e-01, -2.282805e+00, -6.9799274e-01, -2.1178532e+00], [-2.9925392e+00, 2.0900986e-01, 2.0927955e-01, 4.339974e-01], [-1.5468416e-01, -4.5369372e-01, 6.14862e-01, 4.0621263e-01]]]> : tensor<2x3x4xf32>
    %s_expected = stablehlo.constant dense<[2.221198e+00, -1.7246311e+00, 8.9131045e-01]> : tensor<3xf32>
    %o_expected = stablehlo.constant dense<[-2.4770613e+00, -2.0495925e+00, 2.2499065e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%s, %s_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<3xf32>, tensor<3xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%o, %o_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-04 : f64}} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @axis_0 {
  func.func private @inputs() -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x8xf64>) {
    %x = stablehlo.constant dense<[[1.6570870642940831e+00, 2.560117448654614e+00, 8.093289155365447e-01, 8.388383907924514e-01, 1.9402904558171077e+00, -8.304560090440601e-01, -2.8166784301471104e-01, 3.0012727169436615e-01], [-1.5119768046804334e+00, 1.011365638390016e+00, 1.624380080588256e+00, -1.2143266695514028e+00, -7.703911106366065e-01, 9.435559767588101e-01, 1.393035398215335e+00, -1.6196757449733683e+00], [5.760116424895798e-01, -1.7719662162656966e-01, -1.8232880820246558e+00, -4.025717404432104e-01, -5.518920458822754e-01, 1.2005189003106287e-01, 4.8908068383156984e-02, -2.651558000144449e-01]]> : tensor<3x8xf64>
    %scale = stablehlo.constant dense<[7.134008086139603e-01, 1.6350648014522795e+00, 9.961051585564769e-01]> : tensor<3xf64>
    %mean = stablehlo.constant dense<[-7.905494171920425e-01, -6.698768871964147e-01, 1.4228699516405034e+00]> : tensor<3xf64>
    %variance = stablehlo.constant dense<[1.550570080837681e+00, 1.6163662643430032e+00, 6.232545656547228e-01]> : tensor<3xf64>
    %grad = stablehlo.constant dense<[[-1.0071009557304187e+00, 2.8402482904614442e-02, -1.1042003675130978e+00, -7.9559781265741e-03, 1.3474555114365028e+00, -2.565922689635562e-01, 8.544099732302403e-01, -1.521802396360656e+00], [3.5596455004647753e-01, 2.910183577404957e-01, -9.233955623403903e-01, 1.3787229117668973e+00, -6.938639493521427e-03, -6.891141475959887e-01, -2.9410958340035337e-01, 9.521757296397213e-01], [-1.3738375642901206e+00, 1.4860824696975033e-01, -9.619067886704542e-01, 2.2649574598889455e-01, -5.292108720617212e-01, -7.397444139462425e-02, 7.602097556639487e-01, 4.2056338747674345e-02]]> : tensor<3x8xf64>
    return %x, %scale, %mean, %variance, %grad : tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x8xf64>
  }
  func.func @main() {
    %x, %scale, %mean, %variance, %grad = call @inputs() : () -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x8xf64>)
    %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
      {epsilon = 1.0e-03 : f32, feature_index = 0 : i64} : (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x8xf64>) -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3xf64>)
    %r_expected = stablehlo.constant dense<[[-2.6718632471734605e-01, 3.960612751892453e-01, -3.886883626415584e-01, 2.4145432044615844e-01, 1.1033439863058692e+00, -3.0689527911173617e-02, 6.482654287547435e-01, -6.67437279713428e-01], [-1.5702722183974185e-01, 1.0888198475785802e+00, -1.495721328057823e-01, 1.314714339532469e+00, -2.3292032460252127e-01, -2.0703426356173196e-01, 5.376073839083404e-01, 5.527679146808872e-01], [-6.718343810572543e-01, 1.9436290163272665e+00, 2.064760408419421e+00, 2.2500999525463894e+00, 1.4353440241577855e+00, 1.3883154019570232e+00, 2.505747819903864e+00, 1.8905806239700764e+00]]> : tensor<3x8xf64>
    %s_expected = stablehlo.constant dense<[-1.3523184096682197e+00, -4.168938244033097e+00, 4.633171479125377e+00]> : tensor<3xf64>
    %o_expected = stablehlo.constant dense<[-1.6673839991229453e+00, 1.0643236163633383e+00, -1.7615595790466525e+00]> : tensor<3xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3x8xf64>, tensor<3x8xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%s, %s_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3xf64>, tensor<3xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%o, %o_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<3xf64>, tensor<3xf64>) -> ()
    return
  }
}

// -----

module @f64 {
  func.func private @inputs() -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<4x5xf64>) {
    %x = stablehlo.constant dense<[[5.5154387874521e-01, 6.986844319582158e-01, 4.068702614925443e-01, 2.26043024808044e-01, 4.246741117876861e-02], [6.374485841277806e-01, 1.204442582421889e+00, 1.8416844949820506e+00, 1.7602270714842123e+00, -9.930463417202728e-01], [2.937585934419573e-01, 4.8917967133233753e-01, 1.215716106100025e+00, 1.063623041548168e+00, -1.4318521860486855e+00], [2.756026290992082e-01, -1.710655044997245e+00, -4.746627655706361e-01, -9.270393117071366e-01, -6.123706253844239e-01]]> : tensor<4x5xf64>
    %scale = stablehlo.constant dense<[1.7955067822434392e+00, 5.629558199567523e-01, 7.703444013227008e-01, 1.8400496141870208e+00, 6.568417031044095e-01]> : tensor<5xf64>
    %mean = stablehlo.constant dense<[6.712969890708064e-01, 2.7053189884749234e+00, 8.947399314574035e-01, -5.964705635185393e-01, -2.0989851720283073e-01]> : tensor<5xf64>
    %variance = stablehlo.constant dense<[1.118440717125663e+00, 5.923745311356466e-01, 1.1633881633317746e+00, 1.2879397403290265e+00, 1.5349412126964166e+00]> : tensor<5xf64>
    %grad = stablehlo.constant dense<[[-1.6964392455054735e+00, -4.869969098261485e-01, -9.335783226800657e-01, -5.995886565197912e-01, -1.6466565757931355e+00], [9.447460750281186e-01, -9.647141271194453e-01, -1.4433198499473895e-01, 1.171954969702038e+00, 1.5974644091816506e+00], [1.1703947713773957e+00, -2.2457260892010726e+00, -3.1641561030265536e-01, -3.6418406936700654e-01, -6.977353101751619e-01], [-7.98638912963253e-01, -5.668169433244012e-01, 5.750296109609638e-01, -4.7593980450868306e-01, -1.3610429841149938e+00]]> : tensor<4x5xf64>
    return %x, %scale, %mean, %variance, %grad : tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<4x5xf64>
  }
  func.func @main() {
    %x, %scale, %mean, %variance, %grad = call @inputs() : () -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<4x5xf64>)
    %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<4x5xf64>) -> (tensor<4x5xf64>, tensor<5xf64>, tensor<5xf64>)
    %r_expected = stablehlo.constant dense<[[-2.7156411285060047e+00, 6.543104554922094e+00, -5.628966795431745e-01, -1.334261757626829e+00, -5.876226062559444e-01], [1.765022836450654e+00, 4.651498950400618e+00, 1.2594972173145758e-01, 6.584663873732608e-01, 1.1079697556445915e+00], [2.1538563881441695e+00, 5.896747475777055e+00, -5.1611090899850255e-02, -1.4323353932715126e+00, -1.1855704889517701e-01], [-1.1873177451790722e+00, 1.3832867231662876e+01, 4.3704772301285416e-01, -4.735975664807056e-01, -4.51287557070799e-01]]> : tensor<4x5xf64>
    %s_expected = stablehlo.constant dense<[4.2837546886662636e-02, 1.2858533618469961e+01, -5.284363090354575e-01, 1.604422700035041e+00, -2.1481649448513468e-01]> : tensor<5xf64>
    %o_expected = stablehlo.constant dense<[-3.7993731206321224e-01, -4.264254069471067e+00, -8.192963070164963e-01, -2.6775756069344286e-01, -2.1079704609016408e+00]> : tensor<5xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<4x5xf64>, tensor<4x5xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%s, %s_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<5xf64>, tensor<5xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%o, %o_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-10 : f64}} : (tensor<5xf64>, tensor<5xf64>) -> ()
    return
  }
}

// -----

module @f16 {
  func.func private @inputs() -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<6x4xf16>) {
    %x = stablehlo.constant dense<"0x60BE3130F4BE853912B824B80233EFB59D392FBD4FBFD83F3F312FC1CB3EB2BD1D40463F0C3BDE1602BBA93B6BB65D3C"> : tensor<6x4xf16>
    %scale = stablehlo.constant dense<"0xBC3EE63A9F38A639"> : tensor<4xf16>
    %mean = stablehlo.constant dense<"0x2DB83B38B3BEB93A"> : tensor<4xf16>
    %variance = stablehlo.constant dense<"0xFE3C503DE13ED63C"> : tensor<4xf16>
    %grad = stablehlo.constant dense<"0xFA38C5382EBDF1277B3825BA023917B4E73D0BBD5638573079BF5ABBC1BA9A3B86B5801E3E3136413CB3D33F97B14ABE"> : tensor<6x4xf16>
    return %x, %scale, %mean, %variance, %grad : tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<6x4xf16>
  }
  func.func @main() {
    %x, %scale, %mean, %variance, %grad = call @inputs() : () -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<6x4xf16>)
    %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<6x4xf16>) -> (tensor<6x4xf16>, tensor<4xf16>, tensor<4xf16>)
    %r_expected = stablehlo.constant dense<"0x6E39EC3904B8ABB3553AAD2F753798BACD406C33D234ED347AC1263DAEAD2CB76EADF1B9DD349D3C67B7FD3CCA2C78BC"> : tensor<6x4xf16>
    %s_expected = stablehlo.constant dense<"0xC4BAB54579BCC5C3"> : tensor<4xf16>
    %o_expected = stablehlo.constant dense<"0xFC323AB6DBBB943F"> : tensor<4xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<6x4xf16>, tensor<6x4xf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%s, %s_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<4xf16>, tensor<4xf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%o, %o_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-02 : f64}} : (tensor<4xf16>, tensor<4xf16>) -> ()
    return
  }
}

// -----

module @bf16 {
  func.func private @inputs() -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<6x4xbf16>) {
    %x = stablehlo.constant dense<"0x4FBF9EBFB9BEBBBF69BFF73F7F3EB03EEB3FD3BF143FEEBEC7BC2DBF023EA03F9C3F833E553F98BF3BC0873F0340F43E"> : tensor<6x4xbf16>
    %scale = stablehlo.constant dense<"0xCD3F043F5B3F9F3F"> : tensor<4xbf16>
    %mean = stablehlo.constant dense<"0x533FD63F8ABF663E"> : tensor<4xbf16>
    %variance = stablehlo.constant dense<"0xF63FD63FC33F863F"> : tensor<4xbf16>
    %grad = stablehlo.constant dense<"0xA8BDFFBFFEBE973EDDBDA1BF9B3E293FC0BD513F933FA03FACBE053F23BFADBD8A3FD7BDE7BE18BF053FCF3F6D3F65BE"> : tensor<6x4xbf16>
    return %x, %scale, %mean, %variance, %grad : tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<6x4xbf16>
  }
  func.func @main() {
    %x, %scale, %mean, %variance, %grad = call @inputs() : () -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<6x4xbf16>)
    %r, %s, %o = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad)
      {epsilon = 1.0e-03 : f32, feature_index = 1 : i64} : (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<6x4xbf16>) -> (tensor<6x4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
    %r_expected = stablehlo.constant dense<"0xE5BE30BF1CBFC4BDFABEF7BE52BE0D3F47BEE33E9A3E963F29BF983E53BF80BE8C3FC03C5EBF92BF083D303F58BE02BF"> : tensor<6x4xbf16>
    %s_expected = stablehlo.constant dense<"0x3ABF083F274012BF"> : tensor<4xbf16>
    %o_expected = stablehlo.constant dense<"0x7A3FCEBE4B3FA73F"> : tensor<4xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<6x4xbf16>, tensor<6x4xbf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%s, %s_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<4xbf16>, tensor<4xbf16>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%o, %o_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 5.0e-02 : f64}} : (tensor<4xbf16>, tensor<4xbf16>) -> ()
    return
  }
}
