// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @scalar_bounds {
  func.func private @inputs() -> (tensor<f32>, tensor<2x3xf32>, tensor<f32>) {
    %low = stablehlo.constant dense<-2.0e+00> : tensor<f32>
    %x = stablehlo.constant dense<"0x000040C0000080BF000000000000803F000040400000C07F"> : tensor<2x3xf32>
    %high = stablehlo.constant dense<2.0e+00> : tensor<f32>
    return %low, %x, %high : tensor<f32>, tensor<2x3xf32>, tensor<f32>
  }
  func.func @main() {
    %low, %x, %high = call @inputs() : () -> (tensor<f32>, tensor<2x3xf32>, tensor<f32>)
    %r = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %r_expected = stablehlo.constant dense<"0x000000C0000080BF000000000000803F000000400000C07F"> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    return
  }
}

// -----

module @bounds_of_each {
  func.func private @inputs() -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %low = stablehlo.constant dense<-2.0e+00> : tensor<2x3xf32>
    %x = stablehlo.constant dense<"0x000040C0000080BF000000000000803F000040400000C07F"> : tensor<2x3xf32>
    %high = stablehlo.constant dense<2.0e+00> : tensor<2x3xf32>
    return %low, %x, %high : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
  func.func @main() {
    %low, %x, %high = call @inputs() : () -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
    %r = stablehlo.clamp %low, %x, %high : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %r_expected = stablehlo.constant dense<"0x000000C0000080BF000000000000803F000000400000C07F"> : tensor<2x3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    return
  }
}

// -----

module @bounds_crossed {
  func.func private @inputs() -> (tensor<i32>, tensor<2xi32>, tensor<i32>) {
    %low = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<[0, 7]> : tensor<2xi32>
    %high = stablehlo.constant dense<3> : tensor<i32>
    return %low, %x, %high : tensor<i32>, tensor<2xi32>, tensor<i32>
  }
  func.func @main() {
    %low, %x, %high = call @inputs() : () -> (tensor<i32>, tensor<2xi32>, tensor<i32>)
    %r = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    %r_expected = stablehlo.constant dense<3> : tensor<2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<i32>, tensor<0x2xi32>, tensor<i32>) {
    %low = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<> : tensor<0x2xi32>
    %high = stablehlo.constant dense<3> : tensor<i32>
    return %low, %x, %high : tensor<i32>, tensor<0x2xi32>, tensor<i32>
  }
  func.func @main() {
    %low, %x, %high = call @inputs() : () -> (tensor<i32>, tensor<0x2xi32>, tensor<i32>)
    %r = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<0x2xi32>, tensor<i32>) -> tensor<0x2xi32>
    %r_expected = stablehlo.constant dense<> : tensor<0x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x2xi32>, tensor<0x2xi32>) -> ()
    return
  }
}
