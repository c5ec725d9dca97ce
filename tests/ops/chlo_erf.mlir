// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @erf_bf16 {
  func.func private @inputs() -> (tensor<32xbf16>) {
    %x = stablehlo.constant dense<"0x40C040400FC08EBB1C3F35C007C0244025C00EC02C403B3F49BF8C3D7A3FADBF0BC0DD3F833F983DF33F973E3940E3BFA53EC9BD61BF0D3FCBBFE83F0D400FC0"> : tensor<32xbf16>
    return %x : tensor<32xbf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xbf16>)
    %r = stablehlo.composite "chlo.erf" %x {decomposition = @chlo.erf.impl} : (tensor<32xbf16>) -> tensor<32xbf16>
    %r_expected = stablehlo.constant dense<"0x80BF803F80BFA0BB1C3F80BF7FBF803F80BF80BF803F333F3CBF9E3D553F72BF7FBF7C3F5A3FAB3D7E3FA63E803F7DBFB43EE2BD49BF103F7ABF7D3F803F80BF"> : tensor<32xbf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 3.0e-02 : f64}} : (tensor<32xbf16>, tensor<32xbf16>) -> ()
    return
  }
  func.func private @chlo.erf.impl(%x: tensor<32xbf16>) -> tensor<32xbf16> {
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
    %zero = stablehlo.subtract %one, %one : tensor<32xbf16>
    %r = stablehlo.add %v, %zero : tensor<32xbf16>
    return %r : tensor<32xbf16>
  }
}

// -----

module @erf_f16 {
  func.func private @inputs() -> (tensor<32xf16>) {
    %x = stablehlo.constant dense<"0x00C2004275C0709CDF38A8C13AC0234128C171C06141DA394ABA602CD13B65BD58C0EA3E173CC12C9A3FB634C54117BF28354AAE0BBB66385ABE413F684074C0"> : tensor<32xf16>
    return %x : tensor<32xf16>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf16>)
    %r = stablehlo.composite "chlo.erf" %x {decomposition = @chlo.erf.impl} : (tensor<32xf16>) -> tensor<32xf16>
    %r_expected = stablehlo.constant dense<"0x00BC003CFDBB029DE33800BCFABBFF3BFFBBFDBB003C9839DFB9EE2CAA3A8CBBFCBBE23BD13A5B2DF13B2B35003CE7BB9F3513AF4CBA8138CDBBEB3BFC3BFDBB"> : tensor<32xf16>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 4.0e-03 : f64}} : (tensor<32xf16>, tensor<32xf16>) -> ()
    return
  }
  func.func private @chlo.erf.impl(%x: tensor<32xf16>) -> tensor<32xf16> {
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
    %zero = stablehlo.subtract %one, %one : tensor<32xf16>
    %r = stablehlo.add %v, %zero : tensor<32xf16>
    return %r : tensor<32xf16>
  }
}

// -----

module @erf_f32 {
  func.func private @inputs() -> (tensor<32xf32>) {
    %x = stablehlo.constant dense<[-3.0e+00, 3.0e+00, -2.2285788e+00, -4.3328255e-03, 6.0899013e-01, -2.8278658e+00, -2.1124434e+00, 2.569266e+00, -2.5774765e+00, -2.2213564e+00, 2.6899707e+00, 7.3130155e-01, -7.8604126e-01, 6.834013e-02, 9.770577e-01, -1.3481472e+00, -2.1721916e+00, 1.7282375e+00, 1.0221635e+00, 7.429388e-02, 1.9004186e+00, 2.9445162e-01, 2.8854818e+00, -1.7729433e+00, 3.2238218e-01, -9.825182e-02, -8.803509e-01, 5.495718e-01, -1.5881926e+00, 1.8132161e+00, 2.2040014e+00, -2.227442e+00]> : tensor<32xf32>
    return %x : tensor<32xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf32>)
    %r = stablehlo.composite "chlo.erf" %x {decomposition = @chlo.erf.impl} : (tensor<32xf32>) -> tensor<32xf32>
    %r_expected = stablehlo.constant dense<[-9.999779e-01, 9.999779e-01, -9.9837667e-01, -4.8890393e-03, 6.108953e-01, -9.9993646e-01, -9.9718684e-01, 9.997204e-01, -9.9973273e-01, -9.98319e-01, 9.998577e-01, 6.989651e-01, -7.3370284e-01, 7.69937e-02, 8.3295715e-01, -9.4342345e-01, -9.978733e-01, 9.8547846e-01, 8.5169864e-01, 8.367769e-02, 9.928032e-01, 3.2289547e-01, 9.999551e-01, -9.87835e-01, 3.5155052e-01, -1.105096e-01, -7.8686976e-01, 5.629662e-01, -9.7529876e-01, 9.8966086e-01, 9.981725e-01, -9.983677e-01]> : tensor<32xf32>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-05 : f64}} : (tensor<32xf32>, tensor<32xf32>) -> ()
    return
  }
  func.func private @chlo.erf.impl(%x: tensor<32xf32>) -> tensor<32xf32> {
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
    %zero = stablehlo.subtract %one, %one : tensor<32xf32>
    %r = stablehlo.add %v, %zero : tensor<32xf32>
    return %r : tensor<32xf32>
  }
}

// -----

module @erf_f64 {
  func.func private @inputs() -> (tensor<32xf64>) {
    %x = stablehlo.constant dense<[-3.0e+00, 3.0e+00, -2.228578783384802e+00, -4.332825359310455e-03, 6.089901457401448e-01, -2.8278659497683325e+00, -2.1124434925352644e+00, 2.5692661377622166e+00, -2.5774765430748188e+00, -2.221356303604212e+00, 2.689970719750651e+00, 7.31301556778297e-01, -7.860412576212541e-01, 6.834013081957568e-02, 9.770577151007958e-01, -1.3481471054332241e+00, -2.172191562798268e+00, 1.7282375670239514e+00, 1.0221635046149027e+00, 7.42938808989626e-02, 1.900418615817948e+00, 2.944516132201578e-01, 2.8854818357838328e+00, -1.7729432320197307e+00, 3.2238217719136664e-01, -9.825181845967368e-02, -8.803508696373115e-01, 5.495718236942606e-01, -1.5881926099945167e+00, 1.8132161026709008e+00, 2.204001311054488e+00, -2.227441972632894e+00]> : tensor<32xf64>
    return %x : tensor<32xf64>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<32xf64>)
    %r = stablehlo.composite "chlo.erf" %x {decomposition = @chlo.erf.impl} : (tensor<32xf64>) -> tensor<32xf64>
    %r_expected = stablehlo.constant dense<[-9.999779095030014e-01, 9.999779095030014e-01, -9.983766945248033e-01, -4.8890392754996955e-03, 6.108952955214797e-01, -9.999364447578094e-01, -9.971868123014501e-01, 9.997203878141956e-01, -9.997327145251983e-01, -9.983189924002804e-01, 9.998577328132259e-01, 6.989650751178689e-01, -7.337028208607574e-01, 7.69936981701508e-02, 8.329571360096824e-01, -9.43423437485806e-01, -9.978732950326293e-01, 9.854784786179989e-01, 8.516986431650723e-01, 8.367768396110054e-02, 9.928031972157346e-01, 3.2289544926010366e-01, 9.999550973180309e-01, -9.878349601741054e-01, 3.5155051342833205e-01, -1.1050959273478059e-01, -7.868697713697567e-01, 5.629662531592365e-01, -9.752987800885685e-01, 9.896608351518494e-01, 9.981725414021226e-01, -9.983677348405263e-01]> : tensor<32xf64>
    stablehlo.custom_call @check.expect_almost_eq(%r, %r_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 1.0e-06 : f64}} : (tensor<32xf64>, tensor<32xf64>) -> ()
    return
  }
  func.func private @chlo.erf.impl(%x: tensor<32xf64>) -> tensor<32xf64> {
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
    %zero = stablehlo.subtract %one, %one : tensor<32xf64>
    %r = stablehlo.add %v, %zero : tensor<32xf64>
    return %r : tensor<32xf64>
  }
}
