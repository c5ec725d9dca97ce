// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @is_finite_scalar {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<1.9709944e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = "stablehlo.is_finite"(%x) : (tensor<f32>) -> tensor<i1>
    %r_expected = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @is_finite_rank_12 {
  func.func private @inputs() -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) {
    %x = stablehlo.constant dense<[[[[[[[[[[[[1.9709944e+00]], [[-4.3654785e+00]]]]], [[[[[6.2443895e+00]], [[-1.734096e+00]]]]], [[[[[-2.5934205e+00]], [[1.5088005e+00]]]]]]], [[[[[[[-2.8500898e+00]], [[1.1444772e+00]]]]], [[[[[-2.275277e+00]], [[6.9446964e+00]]]]], [[[[[6.2318053e+00]], [[-2.2663426e-01]]]]]]]]]], [[[[[[[[[[-3.03613e+00]], [[4.0566915e-01]]]]], [[[[[3.5438135e+00]], [[-5.838456e+00]]]]], [[[[[-1.7772572e+00]], [[3.0151477e+00]]]]]]], [[[[[[[2.4073484e+00]], [[2.9686718e+00]]]]], [[[[[7.6933656e+00]], [[7.955359e+00]]]]], [[[[[-1.8611591e+00]], [[1.8461618e+00]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
    return %x : tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>)
    %r = "stablehlo.is_finite"(%x) : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xf32>) -> tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>
    %r_expected = stablehlo.constant dense<[[[[[[[[[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]]]], [[[[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]]]]]]], [[[[[[[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]]]], [[[[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]], [[[[[true]], [[true]]]]]]]]]]]]> : tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>, tensor<1x2x1x1x2x1x3x1x1x2x1x1xi1>) -> ()
    return
  }
}

// -----

module @is_finite_empty {
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x3xf32>
    return %x : tensor<0x3xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x3xf32>)
    %r = "stablehlo.is_finite"(%x) : (tensor<0x3xf32>) -> tensor<0x3xi1>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x3xi1>, tensor<0x3xi1>) -> ()
    return
  }
}

// -----

module @is_finite_vector_tail {
  func.func private @inputs() -> (tensor<37xf32>) {
    %x = stablehlo.constant dense<"0x8B49FC3F00B28BC00AD2C740DCF6DDBF9AFA25C06020C13FDF6736C03B7E923F239E11C0F43ADE40F36AC740D01268BEF44F42C0DEB3CF3ED7CD6240A2D4BAC02A7DE3BF2EF84040FF111A40B8FE3D400D30F6404D92FE40763AEEBF084FEC3FD9B816402BB82E40F15DC0C01680F1C02A569EBF53184DC03ED3293F96F2B9407710A6C0CC2A6B40DFCDEEC0B1FDB6400F99FEC0"> : tensor<37xf32>
    return %x : tensor<37xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<37xf32>)
    %r = "stablehlo.is_finite"(%x) : (tensor<37xf32>) -> tensor<37xi1>
    %r_expected = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<37xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<37xi1>, tensor<37xi1>) -> ()
    return
  }
}

// -----

module @is_finite_matrix {
  func.func private @inputs() -> (tensor<9x33xf32>) {
    %x = stablehlo.constant dense<"0x8B49FC3F00B28BC00AD2C740DCF6DDBF9AFA25C06020C13FDF6736C03B7E923F239E11C0F43ADE40F36AC740D01268BEF44F42C0DEB3CF3ED7CD6240A2D4BAC02A7DE3BF2EF84040FF111A40B8FE3D400D30F6404D92FE40763AEEBF084FEC3FD9B816402BB82E40F15DC0C01680F1C02A569EBF53184DC03ED3293F96F2B9407710A6C0CC2A6B40DFCDEEC0B1FDB6400F99FEC08FB7A140D0C1DE401EB0323F25016B40DC63DA3FB354D340F564A040B189F7C08505EBC008BD6BC0AF3F0C400000808000008000FFFF7FFFFFFF7F7F0000C07F000080FF0000807F0000E0C000004040000020C0000020400000C03F000000BF0000003F000080BF0000803F00000080000000008B49FC3F00B28BC00AD2C740DCF6DDBF9AFA25C06020C13FDF6736C03B7E923F239E11C0F43ADE40F36AC740D01268BEF44F42C0DEB3CF3ED7CD6240A2D4BAC02A7DE3BF2EF84040FF111A40B8FE3D400D30F6404D92FE40763AEEBF084FEC3FD9B816402BB82E40F15DC0C01680F1C02A569EBF53184DC03ED3293F96F2B9407710A6C0CC2A6B40DFCDEEC0B1FDB6400F99FEC08FB7A140D0C1DE401EB0323F25016B40DC63DA3FB354D340F564A040B189F7C08505EBC008BD6BC0AF3F0C400000808000008000FFFF7FFFFFFF7F7F0000C07F000080FF0000807F0000E0C000004040000020C0000020400000C03F000000BF0000003F000080BF0000803F00000080000000008B49FC3F00B28BC00AD2C740DCF6DDBF9AFA25C06020C13FDF6736C03B7E923F239E11C0F43ADE40F36AC740D01268BEF44F42C0DEB3CF3ED7CD6240A2D4BAC02A7DE3BF2EF84040FF111A40B8FE3D400D30F6404D92FE40763AEEBF084FEC3FD9B816402BB82E40F15DC0C01680F1C02A569EBF53184DC03ED3293F96F2B9407710A6C0CC2A6B40DFCDEEC0B1FDB6400F99FEC08FB7A140D0C1DE401EB0323F25016B40DC63DA3FB354D340F564A040B189F7C08505EBC008BD6BC0AF3F0C400000808000008000FFFF7FFFFFFF7F7F0000C07F000080FF0000807F0000E0C000004040000020C0000020400000C03F000000BF0000003F000080BF0000803F00000080000000008B49FC3F00B28BC00AD2C740DCF6DDBF9AFA25C06020C13FDF6736C03B7E923F239E11C0F43ADE40F36AC740D01268BEF44F42C0DEB3CF3ED7CD6240A2D4BAC02A7DE3BF2EF84040FF111A40B8FE3D400D30F6404D92FE40763AEEBF084FEC3FD9B816402BB82E40F15DC0C01680F1C02A569EBF53184DC03ED3293F96F2B9407710A6C0CC2A6B40DFCDEEC0B1FDB6400F99FEC08FB7A140D0C1DE401EB0323F25016B40DC63DA3FB354D340F564A040B189F7C08505EBC008BD6BC0AF3F0C400000808000008000FFFF7FFFFFFF7F7F0000C07F000080FF0000807F0000E0C000004040000020C0000020400000C03F000000BF0000003F000080BF0000803F00000080000000008B49FC3F00B28BC00AD2C740DCF6DDBF9AFA25C06020C13FDF6736C03B7E923F239E11C0F43ADE40F36AC740D01268BEF44F42C0DEB3CF3ED7CD6240A2D4BAC02A7DE3BF2EF84040FF111A40B8FE3D400D30F6404D92FE40763AEEBF084FEC3FD9B816402BB82E40F15DC0C01680F1C02A569EBF53184DC03ED3293F96F2B9407710A6C0"> : tensor<9x33xf32>
    return %x : tensor<9x33xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<9x33xf32>)
    %r = "stablehlo.is_finite"(%x) : (tensor<9x33xf32>) -> tensor<9x33xi1>
    %r_expected = stablehlo.constant dense<[[true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]]> : tensor<9x33xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<9x33xi1>, tensor<9x33xi1>) -> ()
    return
  }
}
