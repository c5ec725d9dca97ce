// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @matrices {
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<4x5xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %y = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [1.0e+00, 1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00]]> : tensor<4x5xf32>
    return %x, %y : tensor<3x4xf32>, tensor<4x5xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x4xf32>, tensor<4x5xf32>)
    %r = stablehlo.dot %x, %y : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %r_expected = stablehlo.constant dense<[[1.0e+00, -1.0e+00, -2.0e+00, -4.0e+00, -2.0e+00], [-2.0e+00, -3.0e+00, 4.0e+00, 3.0e+00, -1.1e+01], [-5.0e+00, -2.0e+00, -4.0e+00, -1.0e+00, 1.2e+01]]> : tensor<3x5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> ()
    return
  }
}

// -----

module @matrix_vector {
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %y = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00]> : tensor<4xf32>
    return %x, %y : tensor<3x4xf32>, tensor<4xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x4xf32>, tensor<4xf32>)
    %r = stablehlo.dot %x, %y : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %r_expected = stablehlo.constant dense<[6.0e+00, -2.0e+00, -4.0e+00]> : tensor<3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return
  }
}

// -----

module @vector_matrix {
  func.func private @inputs() -> (tensor<4xf32>, tensor<4x5xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00]> : tensor<4xf32>
    %y = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00, -1.0e+00], [-2.0e+00, -2.0e+00, -2.0e+00, -2.0e+00, 2.0e+00], [1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [1.0e+00, 1.0e+00, 0.0e+00, 0.0e+00, 2.0e+00]]> : tensor<4x5xf32>
    return %x, %y : tensor<4xf32>, tensor<4x5xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<4xf32>, tensor<4x5xf32>)
    %r = stablehlo.dot %x, %y : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
    %r_expected = stablehlo.constant dense<[1.0e+00, -1.0e+00, -2.0e+00, -4.0e+00, -2.0e+00]> : tensor<5xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<5xf32>, tensor<5xf32>) -> ()
    return
  }
}

// -----

module @vectors {
  func.func private @inputs() -> (tensor<4xf32>, tensor<4xf32>) {
    %x = stablehlo.constant dense<[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00]> : tensor<4xf32>
    %y = stablehlo.constant dense<[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]> : tensor<4xf32>
    return %x, %y : tensor<4xf32>, tensor<4xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<4xf32>, tensor<4xf32>)
    %r = stablehlo.dot %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-2.0e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
}

// -----

module @integers {
  func.func private @inputs() -> (tensor<3x4xi32>, tensor<4x5xi32>) {
    %x = stablehlo.constant dense<[[3, 1, 0, -2], [-2, -4, -4, -4], [-3, 3, 1, 4]]> : tensor<3x4xi32>
    %y = stablehlo.constant dense<[[3, 1, 0, -2, -2], [-4, -4, -4, -3, 3], [1, 4, 0, 1, 4], [2, 1, 0, 1, 4]]> : tensor<4x5xi32>
    return %x, %y : tensor<3x4xi32>, tensor<4x5xi32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x4xi32>, tensor<4x5xi32>)
    %r = stablehlo.dot %x, %y : (tensor<3x4xi32>, tensor<4x5xi32>) -> tensor<3x5xi32>
    %r_expected = stablehlo.constant dense<[[1, -3, -4, -11, -11], [-2, -6, 16, 8, -40], [-12, -7, -12, 2, 35]]> : tensor<3x5xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
}
