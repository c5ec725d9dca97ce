// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @matrix {
  func.func private @inputs() -> (tensor<3x5xf32>, tensor<3x5xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x5xf32>
    %y = stablehlo.constant dense<[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 2.0e+00, -1.0e+00, -1.0e+00], [2.0e+00, 0.0e+00, -1.0e+00, 2.0e+00, -1.0e+00]]> : tensor<3x5xf32>
    return %x, %y : tensor<3x5xf32>, tensor<3x5xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x5xf32>, tensor<3x5xf32>)
    %r = stablehlo.complex %x, %y : tensor<3x5xcomplex<f32>>
    %r_expected = stablehlo.constant dense<"0x00000040000000000000803F00000000000000000000803F000080BF00000040000080BF000000C0000000C0000000C0000000C000000040000000C000000040000000C0000080BF00000040000080BF0000803F00000040000000400000000000000000000080BF0000803F0000004000000040000080BF"> : tensor<3x5xcomplex<f32>>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xcomplex<f32>>, tensor<3x5xcomplex<f32>>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<f64>, tensor<f64>) {
    %x = stablehlo.constant dense<1.0e+00> : tensor<f64>
    %y = stablehlo.constant dense<-2.0e+00> : tensor<f64>
    return %x, %y : tensor<f64>, tensor<f64>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<f64>, tensor<f64>)
    %r = stablehlo.complex %x, %y : tensor<complex<f64>>
    %r_expected = stablehlo.constant dense<"0x000000000000F03F00000000000000C0"> : tensor<complex<f64>>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<complex<f64>>, tensor<complex<f64>>) -> ()
    return
  }
}
