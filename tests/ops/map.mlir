// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @two_operands {
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<3x4xf32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %y = stablehlo.constant dense<[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -2.0e+00, 2.0e+00, 2.0e+00], [-1.0e+00, -1.0e+00, 2.0e+00, 0.0e+00]]> : tensor<3x4xf32>
    return %x, %y : tensor<3x4xf32>, tensor<3x4xf32>
  }
  func.func @main() {
    %x, %y = call @inputs() : () -> (tensor<3x4xf32>, tensor<3x4xf32>)
    %r = "stablehlo.map"(%x, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.multiply %a, %b : tensor<f32>
        %s = stablehlo.subtract %p, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %r_expected = stablehlo.constant dense<[[0.0e+00, 0.0e+00, -1.0e+00, -4.0e+00], [4.0e+00, 6.0e+00, -6.0e+00, -6.0e+00], [3.0e+00, -1.0e+00, 0.0e+00, 0.0e+00]]> : tensor<3x4xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    return
  }
}

// -----

module @another_type {
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<3x4xi32>) {
    %x = stablehlo.constant dense<[[2.0e+00, 1.0e+00, 0.0e+00, -1.0e+00], [-1.0e+00, -2.0e+00, -2.0e+00, -2.0e+00], [-2.0e+00, 2.0e+00, 1.0e+00, 2.0e+00]]> : tensor<3x4xf32>
    %z = stablehlo.constant dense<[[3, -2, -4, -2], [-1, 3, 0, -4], [-1, 1, 3, 2]]> : tensor<3x4xi32>
    return %x, %z : tensor<3x4xf32>, tensor<3x4xi32>
  }
  func.func @main() {
    %x, %z = call @inputs() : () -> (tensor<3x4xf32>, tensor<3x4xi32>)
    %r = "stablehlo.map"(%x, %z) ({
      ^bb0(%a: tensor<f32>, %b: tensor<i32>):
        %f = stablehlo.convert %b : (tensor<i32>) -> tensor<f32>
        %s = stablehlo.compare LT, %a, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }) {dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %r_expected = stablehlo.constant dense<[[true, false, false, false], [false, true, true, false], [true, false, true, false]]> : tensor<3x4xi1>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<3x4xi1>, tensor<3x4xi1>) -> ()
    return
  }
}

// -----

module @scalar {
  func.func private @inputs() -> (tensor<f32>) {
    %x = stablehlo.constant dense<2.0e+00> : tensor<f32>
    return %x : tensor<f32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<f32>)
    %r = "stablehlo.map"(%x) ({
      ^bb0(%a: tensor<f32>):
        %s = stablehlo.negate %a : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
    %r_expected = stablehlo.constant dense<-2.0e+00> : tensor<f32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<0x2xf32>) {
    %x = stablehlo.constant dense<> : tensor<0x2xf32>
    return %x : tensor<0x2xf32>
  }
  func.func @main() {
    %x = call @inputs() : () -> (tensor<0x2xf32>)
    %r = "stablehlo.map"(%x) ({
      ^bb0(%a: tensor<f32>):
        %s = stablehlo.exponential %a : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {dimensions = array<i64: 0, 1>} : (tensor<0x2xf32>) -> tensor<0x2xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x2xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x2xf32>, tensor<0x2xf32>) -> ()
    return
  }
}
