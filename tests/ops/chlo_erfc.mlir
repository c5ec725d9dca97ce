// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @erfc_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x40C040400FC08EBB1C3F35C007C0244025C00EC02C403B3F49BF8C3D7A3FADBF0BC0DD3F833F983DF33F973E3940E3BFA53EC9BD61BF0D3FCBBFE83F0D400FC0"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.erfc" %x {decomposition = @chlo.erfc.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0x0040B9370040813FC73E0040004098390040004017399A3EDE3F6C3F2B3EF93F00406F3C173E6B3FEE3B2D3F3738FE3F263F8E3FE53FDF3EFD3F2A3CF13A0040"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.erfc.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xbf16>
    %a = stablehlo.abs %x : tensor<32xbf16>
    %k = stablehlo.constant dense<0.3275911> : tensor<32xbf16>
    %ka = stablehlo.multiply %k, %a : tensor<32xbf16>
    %d = stablehlo.add %one, %ka : tensor<32xbf16>
    %t = stablehlo.divide %one, %d : tensor<32xbf16>
    %s0 = stablehlo.constant dense<1.061405429> : tensor<32xbf16>
    %c1 = stablehlo.constant dense<-1.453152027> : tensor<32xbf16>
    %m1 = stablehlo.multiply %s0, %t : tensor<32xbf16>
    %s1 = stablehlo.add %m1, %c1 : tensor<32xbf16>
    %c2 = stablehlo.constant dense<1.421413741> : tensor<32xbf16>
    %m2 = stablehlo.multiply %s1, %t : tensor<32xbf16>
    %s2 = stablehlo.add %m2, %c2 : tensor<32xbf16>
    %c3 = stablehlo.constant dense<-0.284496736> : tensor<32xbf16>
    %m3 = stablehlo.multiply %s2, %t : tensor<32xbf16>
    %s3 = stablehlo.add %m3, %c3 : tensor<32xbf16>
    %c4 = stablehlo.constant dense<0.254829592> : tensor<32xbf16>
    %m4 = stablehlo.multiply %s3, %t : tensor<32xbf16>
    %s4 = stablehlo.add %m4, %c4 : tensor<32xbf16>
    %p = stablehlo.multiply %s4, %t : tensor<32xbf16>
    %xx = stablehlo.multiply %x, %x : tensor<32xbf16>
    %n = stablehlo.negate %xx : tensor<32xbf16>
    %e = stablehlo.exponential %n : tensor<32xbf16>
    %pe = stablehlo.multiply %p, %e : tensor<32xbf16>
    %w = stablehlo.subtract %one, %pe : tensor<32xbf16>
    %sign = stablehlo.sign %x : tensor<32xbf16>
    %v = stablehlo.multiply %sign, %w : tensor<32xbf16>
    %r = stablehlo.subtract %one, %v : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @erfc_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00C2004275C0709CDF38A8C13AC0234128C171C06141DA394ABA602CD13B65BD58C0EA3E173CC12C9A3FB634C54117BF28354AAE0BBB66385ABE413F684074C0"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.erfc" %x {decomposition = @chlo.erfc.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x00407301FE3F053C3A360040FD3F9B0C0040FE3FAD08D134EF3E623B5831C63FFE3F6D23BE30553B5F1F6B39F502F43F3039713C263FFD36E73F4A218417FE3F"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.erfc.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf16>
    %a = stablehlo.abs %x : tensor<32xf16>
    %k = stablehlo.constant dense<0.3275911> : tensor<32xf16>
    %ka = stablehlo.multiply %k, %a : tensor<32xf16>
    %d = stablehlo.add %one, %ka : tensor<32xf16>
    %t = stablehlo.divide %one, %d : tensor<32xf16>
    %s0 = stablehlo.constant dense<1.061405429> : tensor<32xf16>
    %c1 = stablehlo.constant dense<-1.453152027> : tensor<32xf16>
    %m1 = stablehlo.multiply %s0, %t : tensor<32xf16>
    %s1 = stablehlo.add %m1, %c1 : tensor<32xf16>
    %c2 = stablehlo.constant dense<1.421413741> : tensor<32xf16>
    %m2 = stablehlo.multiply %s1, %t : tensor<32xf16>
    %s2 = stablehlo.add %m2, %c2 : tensor<32xf16>
    %c3 = stablehlo.constant dense<-0.284496736> : tensor<32xf16>
    %m3 = stablehlo.multiply %s2, %t : tensor<32xf16>
    %s3 = stablehlo.add %m3, %c3 : tensor<32xf16>
    %c4 = stablehlo.constant dense<0.254829592> : tensor<32xf16>
    %m4 = stablehlo.multiply %s3, %t : tensor<32xf16>
    %s4 = stablehlo.add %m4, %c4 : tensor<32xf16>
    %p = stablehlo.multiply %s4, %t : tensor<32xf16>
    %xx = stablehlo.multiply %x, %x : tensor<32xf16>
    %n = stablehlo.negate %xx : tensor<32xf16>
    %e = stablehlo.exponential %n : tensor<32xf16>
    %pe = stablehlo.multiply %p, %e : tensor<32xf16>
    %w = stablehlo.subtract %one, %pe : tensor<32xf16>
    %sign = stablehlo.sign %x : tensor<32xf16>
    %v = stablehlo.multiply %sign, %w : tensor<32xf16>
    %r = stablehlo.subtract %one, %v : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @erfc_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-3.0e+00, 3.0e+00, -2.2285788e+00, -4.3328255e-03, 6.0899013e-01, -2.8278658e+00, -2.1124434e+00, 2.569266e+00, -2.5774765e+00, -2.2213564e+00, 2.6899707e+00, 7.3130155e-01, -7.8604126e-01, 6.834013e-02, 9.770577e-01, -1.3481472e+00, -2.1721916e+00, 1.7282375e+00, 1.0221635e+00, 7.429388e-02, 1.9004186e+00, 2.9445162e-01, 2.8854818e+00, -1.7729433e+00, 3.2238218e-01, -9.825182e-02, -8.803509e-01, 5.495718e-01, -1.5881926e+00, 1.8132161e+00, 2.2040014e+00, -2.227442e+00]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.erfc" %x {decomposition = @chlo.erfc.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[1.999978e+00, 2.2090497e-05, 1.9983767e+00, 1.004889e+00, 3.8910472e-01, 1.9999365e+00, 1.9971868e+00, 2.796123e-04, 1.9997327e+00, 1.998319e+00, 1.4226718e-04, 3.0103493e-01, 1.7337028e+00, 9.230063e-01, 1.6704287e-01, 1.9434234e+00, 1.9978733e+00, 1.4521524e-02, 1.4830135e-01, 9.163223e-01, 7.196802e-03, 6.7710453e-01, 4.490268e-05, 1.9878349e+00, 6.484495e-01, 1.1105096e+00, 1.7868698e+00, 4.3703374e-01, 1.9752988e+00, 1.0339165e-02, 1.8274576e-03, 1.9983678e+00]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.erfc.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf32>
    %a = stablehlo.abs %x : tensor<32xf32>
    %k = stablehlo.constant dense<0.3275911> : tensor<32xf32>
    %ka = stablehlo.multiply %k, %a : tensor<32xf32>
    %d = stablehlo.add %one, %ka : tensor<32xf32>
    %t = stablehlo.divide %one, %d : tensor<32xf32>
    %s0 = stablehlo.constant dense<1.061405429> : tensor<32xf32>
    %c1 = stablehlo.constant dense<-1.453152027> : tensor<32xf32>
    %m1 = stablehlo.multiply %s0, %t : tensor<32xf32>
    %s1 = stablehlo.add %m1, %c1 : tensor<32xf32>
    %c2 = stablehlo.constant dense<1.421413741> : tensor<32xf32>
    %m2 = stablehlo.multiply %s1, %t : tensor<32xf32>
    %s2 = stablehlo.add %m2, %c2 : tensor<32xf32>
    %c3 = stablehlo.constant dense<-0.284496736> : tensor<32xf32>
    %m3 = stablehlo.multiply %s2, %t : tensor<32xf32>
    %s3 = stablehlo.add %m3, %c3 : tensor<32xf32>
    %c4 = stablehlo.constant dense<0.254829592> : tensor<32xf32>
    %m4 = stablehlo.multiply %s3, %t : tensor<32xf32>
    %s4 = stablehlo.add %m4, %c4 : tensor<32xf32>
    %p = stablehlo.multiply %s4, %t : tensor<32xf32>
    %xx = stablehlo.multiply %x, %x : tensor<32xf32>
    %n = stablehlo.negate %xx : tensor<32xf32>
    %e = stablehlo.exponential %n : tensor<32xf32>
    %pe = stablehlo.multiply %p, %e : tensor<32xf32>
    %w = stablehlo.subtract %one, %pe : tensor<32xf32>
    %sign = stablehlo.sign %x : tensor<32xf32>
    %v = stablehlo.multiply %sign, %w : tensor<32xf32>
    %r = stablehlo.subtract %one, %v : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @erfc_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-3.0e+00, 3.0e+00, -2.228578783384802e+00, -4.332825359310455e-03, 6.089901457401448e-01, -2.8278659497683325e+00, -2.1124434925352644e+00, 2.5692661377622166e+00, -2.5774765430748188e+00, -2.221356303604212e+00, 2.689970719750651e+00, 7.31301556778297e-01, -7.860412576212541e-01, 6.834013081957568e-02, 9.770577151007958e-01, -1.3481471054332241e+00, -2.172191562798268e+00, 1.7282375670239514e+00, 1.0221635046149027e+00, 7.42938808989626e-02, 1.900418615817948e+00, 2.944516132201578e-01, 2.8854818357838328e+00, -1.7729432320197307e+00, 3.2238217719136664e-01, -9.825181845967368e-02, -8.803508696373115e-01, 5.495718236942606e-01, -1.5881926099945167e+00, 1.8132161026709008e+00, 2.204001311054488e+00, -2.227441972632894e+00]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.erfc" %x {decomposition = @chlo.erfc.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[1.9999779095030015e+00, 2.2090496998585445e-05, 1.9983766945248032e+00, 1.0048890392754997e+00, 3.891047044785203e-01, 1.9999364447578094e+00, 1.9971868123014502e+00, 2.796121858044459e-04, 1.9997327145251984e+00, 1.9983189924002804e+00, 1.42267186774141e-04, 3.010349248821311e-01, 1.7337028208607574e+00, 9.230063018298492e-01, 1.6704286399031765e-01, 1.9434234374858061e+00, 1.9978732950326294e+00, 1.4521521382001128e-02, 1.4830135683492773e-01, 9.163223160388995e-01, 7.196802784265332e-03, 6.771045507398963e-01, 4.4902681969135173e-05, 1.9878349601741054e+00, 6.484494865716679e-01, 1.1105095927347806e+00, 1.7868697713697568e+00, 4.3703374684076346e-01, 1.9752987800885686e+00, 1.0339164848150553e-02, 1.8274585978773604e-03, 1.9983677348405264e+00]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.erfc.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
    %one = stablehlo.constant dense<1.0> : tensor<32xf64>
    %a = stablehlo.abs %x : tensor<32xf64>
    %k = stablehlo.constant dense<0.3275911> : tensor<32xf64>
    %ka = stablehlo.multiply %k, %a : tensor<32xf64>
    %d = stablehlo.add %one, %ka : tensor<32xf64>
    %t = stablehlo.divide %one, %d : tensor<32xf64>
    %s0 = stablehlo.constant dense<1.061405429> : tensor<32xf64>
    %c1 = stablehlo.constant dense<-1.453152027> : tensor<32xf64>
    %m1 = stablehlo.multiply %s0, %t : tensor<32xf64>
    %s1 = stablehlo.add %m1, %c1 : tensor<32xf64>
    %c2 = stablehlo.constant dense<1.421413741> : tensor<32xf64>
    %m2 = stablehlo.multiply %s1, %t : tensor<32xf64>
    %s2 = stablehlo.add %m2, %c2 : tensor<32xf64>
    %c3 = stablehlo.constant dense<-0.284496736> : tensor<32xf64>
    %m3 = stablehlo.multiply %s2, %t : tensor<32xf64>
    %s3 = stablehlo.add %m3, %c3 : tensor<32xf64>
    %c4 = stablehlo.constant dense<0.254829592> : tensor<32xf64>
    %m4 = stablehlo.multiply %s3, %t : tensor<32xf64>
    %s4 = stablehlo.add %m4, %c4 : tensor<32xf64>
    %p = stablehlo.multiply %s4, %t : tensor<32xf64>
    %xx = stablehlo.multiply %x, %x : tensor<32xf64>
    %n = stablehlo.negate %xx : tensor<32xf64>
    %e = stablehlo.exponential %n : tensor<32xf64>
    %pe = stablehlo.multiply %p, %e : tensor<32xf64>
    %w = stablehlo.subtract %one, %pe : tensor<32xf64>
    %sign = stablehlo.sign %x : tensor<32xf64>
    %v = stablehlo.multiply %sign, %w : tensor<32xf64>
    %r = stablehlo.subtract %one, %v : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}
