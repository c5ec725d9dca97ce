// Written by scripts/make_op_tests.py.
// REQUIRES: plugin
// RUN: tenon-run --check --quiet --plugin %plugin %s
// RUN: tenon-run --check --quiet --reference %s

module @uniform_f32 {
  func.func private @inputs() -> (tensor<f32>, tensor<f32>) {
    %a = stablehlo.constant dense<-2.0e+00> : tensor<f32>
    %b = stablehlo.constant dense<3.0e+00> : tensor<f32>
    return %a, %b : tensor<f32>, tensor<f32>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<f32>, tensor<f32>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<50x40xf32>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<50x40xf32>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<50x40xf32>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xf32>, tensor<50x40xf32>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xf32>, tensor<50x40xf32>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xf32>) -> tensor<1x1xf32>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<50x40xf32>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xf32>, tensor<50x40xf32>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_f64 {
  func.func private @inputs() -> (tensor<f64>, tensor<f64>) {
    %a = stablehlo.constant dense<0.0e+00> : tensor<f64>
    %b = stablehlo.constant dense<1.0e+00> : tensor<f64>
    return %a, %b : tensor<f64>, tensor<f64>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<f64>, tensor<f64>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<50x40xf64>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f64>) -> tensor<50x40xf64>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f64>) -> tensor<50x40xf64>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xf64>, tensor<50x40xf64>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xf64>, tensor<50x40xf64>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xf64>) -> tensor<1x1xf64>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<50x40xf64>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xf64>, tensor<50x40xf64>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_f16 {
  func.func private @inputs() -> (tensor<f16>, tensor<f16>) {
    %a = stablehlo.constant dense<"0x0000"> : tensor<f16>
    %b = stablehlo.constant dense<"0x003C"> : tensor<f16>
    return %a, %b : tensor<f16>, tensor<f16>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<f16>, tensor<f16>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f16>, tensor<f16>, tensor<2xi64>) -> tensor<50x40xf16>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f16>) -> tensor<50x40xf16>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f16>) -> tensor<50x40xf16>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xf16>, tensor<50x40xf16>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xf16>, tensor<50x40xf16>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xf16>) -> tensor<1x1xf16>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xf16>) -> tensor<50x40xf16>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xf16>, tensor<50x40xf16>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_bf16 {
  func.func private @inputs() -> (tensor<bf16>, tensor<bf16>) {
    %a = stablehlo.constant dense<"0x80BF"> : tensor<bf16>
    %b = stablehlo.constant dense<"0x803F"> : tensor<bf16>
    return %a, %b : tensor<bf16>, tensor<bf16>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<bf16>, tensor<bf16>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<2xi64>) -> tensor<50x40xbf16>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<bf16>) -> tensor<50x40xbf16>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<bf16>) -> tensor<50x40xbf16>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xbf16>, tensor<50x40xbf16>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xbf16>, tensor<50x40xbf16>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xbf16>) -> tensor<1x1xbf16>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xbf16>) -> tensor<50x40xbf16>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xbf16>, tensor<50x40xbf16>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_i32 {
  func.func private @inputs() -> (tensor<i32>, tensor<i32>) {
    %a = stablehlo.constant dense<-5> : tensor<i32>
    %b = stablehlo.constant dense<5> : tensor<i32>
    return %a, %b : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<i32>, tensor<i32>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<50x40xi32>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<50x40xi32>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<50x40xi32>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xi32>, tensor<50x40xi32>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xi32>, tensor<50x40xi32>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xi32>) -> tensor<1x1xi32>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<50x40xi32>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xi32>, tensor<50x40xi32>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_i64 {
  func.func private @inputs() -> (tensor<i64>, tensor<i64>) {
    %a = stablehlo.constant dense<0> : tensor<i64>
    %b = stablehlo.constant dense<1000> : tensor<i64>
    return %a, %b : tensor<i64>, tensor<i64>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<i64>, tensor<i64>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i64>, tensor<i64>, tensor<2xi64>) -> tensor<50x40xi64>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i64>) -> tensor<50x40xi64>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i64>) -> tensor<50x40xi64>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xi64>, tensor<50x40xi64>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xi64>, tensor<50x40xi64>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xi64>) -> tensor<1x1xi64>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xi64>) -> tensor<50x40xi64>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xi64>, tensor<50x40xi64>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_ui8 {
  func.func private @inputs() -> (tensor<ui8>, tensor<ui8>) {
    %a = stablehlo.constant dense<3> : tensor<ui8>
    %b = stablehlo.constant dense<200> : tensor<ui8>
    return %a, %b : tensor<ui8>, tensor<ui8>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<ui8>, tensor<ui8>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<ui8>, tensor<ui8>, tensor<2xi64>) -> tensor<50x40xui8>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<ui8>) -> tensor<50x40xui8>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<ui8>) -> tensor<50x40xui8>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xui8>, tensor<50x40xui8>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xui8>, tensor<50x40xui8>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xui8>) -> tensor<1x1xui8>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xui8>) -> tensor<50x40xui8>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xui8>, tensor<50x40xui8>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_i8 {
  func.func private @inputs() -> (tensor<i8>, tensor<i8>) {
    %a = stablehlo.constant dense<-100> : tensor<i8>
    %b = stablehlo.constant dense<100> : tensor<i8>
    return %a, %b : tensor<i8>, tensor<i8>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<i8>, tensor<i8>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<2xi64>) -> tensor<50x40xi8>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i8>) -> tensor<50x40xi8>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i8>) -> tensor<50x40xi8>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xi8>, tensor<50x40xi8>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xi8>, tensor<50x40xi8>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xi8>) -> tensor<1x1xi8>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xi8>) -> tensor<50x40xi8>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xi8>, tensor<50x40xi8>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @uniform_ui32 {
  func.func private @inputs() -> (tensor<ui32>, tensor<ui32>) {
    %a = stablehlo.constant dense<0> : tensor<ui32>
    %b = stablehlo.constant dense<7> : tensor<ui32>
    return %a, %b : tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<ui32>, tensor<ui32>)
    %shape = stablehlo.constant dense<[50, 40]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<ui32>, tensor<ui32>, tensor<2xi64>) -> tensor<50x40xui32>
    %l = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<ui32>) -> tensor<50x40xui32>
    %h = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<ui32>) -> tensor<50x40xui32>
    %0 = stablehlo.compare GE, %x, %l : (tensor<50x40xui32>, tensor<50x40xui32>) -> tensor<50x40xi1>
    %1 = stablehlo.compare LT, %x, %h : (tensor<50x40xui32>, tensor<50x40xui32>) -> tensor<50x40xi1>
    %2 = stablehlo.and %0, %1 : tensor<50x40xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %first = stablehlo.slice %x [0:1, 0:1] : (tensor<50x40xui32>) -> tensor<1x1xui32>
    %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<50x40xui32>
    %3 = stablehlo.compare EQ, %x, %all : (tensor<50x40xui32>, tensor<50x40xui32>) -> tensor<50x40xi1>
    %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
      : (tensor<50x40xi1>, tensor<i1>) -> tensor<i1>
    %inside_expected = stablehlo.constant dense<true> : tensor<i1>
    %same_expected = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @check.expect_eq(%inside, %inside_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    stablehlo.custom_call @check.expect_eq(%same, %same_expected) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}

// -----

module @normal_f32 {
  func.func private @inputs() -> (tensor<f32>, tensor<f32>) {
    %a = stablehlo.constant dense<3.0e+00> : tensor<f32>
    %b = stablehlo.constant dense<2.0e+00> : tensor<f32>
    return %a, %b : tensor<f32>, tensor<f32>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<f32>, tensor<f32>)
    %shape = stablehlo.constant dense<[100, 1000]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = NORMAL
      : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<100x1000xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<100x1000xf32>, tensor<f32>) -> tensor<f32>
    %y = stablehlo.multiply %x, %x : tensor<100x1000xf32>
    %squares = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<100x1000xf32>, tensor<f32>) -> tensor<f32>
    %count = stablehlo.constant dense<100000.0> : tensor<f32>
    %mean = stablehlo.divide %sum, %count : tensor<f32>
    %square = stablehlo.divide %squares, %count : tensor<f32>
    %mean_expected = stablehlo.constant dense<3.0e+00> : tensor<f32>
    %square_expected = stablehlo.constant dense<1.3e+01> : tensor<f32>
    stablehlo.custom_call @check.expect_almost_eq(%mean, %mean_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 2.0e-02 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%square, %square_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 2.0e-02 : f64}} : (tensor<f32>, tensor<f32>) -> ()
    return
  }
}

// -----

module @normal_f64 {
  func.func private @inputs() -> (tensor<f64>, tensor<f64>) {
    %a = stablehlo.constant dense<3.0e+00> : tensor<f64>
    %b = stablehlo.constant dense<2.0e+00> : tensor<f64>
    return %a, %b : tensor<f64>, tensor<f64>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<f64>, tensor<f64>)
    %shape = stablehlo.constant dense<[100, 1000]> : tensor<2xi64>
    %x = stablehlo.rng %a, %b, %shape, distribution = NORMAL
      : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<100x1000xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<100x1000xf64>, tensor<f64>) -> tensor<f64>
    %y = stablehlo.multiply %x, %x : tensor<100x1000xf64>
    %squares = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<100x1000xf64>, tensor<f64>) -> tensor<f64>
    %count = stablehlo.constant dense<100000.0> : tensor<f64>
    %mean = stablehlo.divide %sum, %count : tensor<f64>
    %square = stablehlo.divide %squares, %count : tensor<f64>
    %mean_expected = stablehlo.constant dense<3.0e+00> : tensor<f64>
    %square_expected = stablehlo.constant dense<1.3e+01> : tensor<f64>
    stablehlo.custom_call @check.expect_almost_eq(%mean, %mean_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 2.0e-02 : f64}} : (tensor<f64>, tensor<f64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%square, %square_expected) {has_side_effect = true, api_version = 4 : i32, backend_config = {tolerance = 2.0e-02 : f64}} : (tensor<f64>, tensor<f64>) -> ()
    return
  }
}

// -----

module @zero_extent {
  func.func private @inputs() -> (tensor<f32>, tensor<f32>) {
    %a = stablehlo.constant dense<0.0e+00> : tensor<f32>
    %b = stablehlo.constant dense<1.0e+00> : tensor<f32>
    return %a, %b : tensor<f32>, tensor<f32>
  }
  func.func @main() {
    %a, %b = call @inputs() : () -> (tensor<f32>, tensor<f32>)
    %shape = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
    %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<0x3xf32>
    %r_expected = stablehlo.constant dense<> : tensor<0x3xf32>
    stablehlo.custom_call @check.expect_eq(%r, %r_expected) {has_side_effect = true} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    return
  }
}
