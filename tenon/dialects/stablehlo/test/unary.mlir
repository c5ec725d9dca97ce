// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Elementwise ops of one tensor.

// CHECK-LABEL: func.func @math(
func.func @math(%x: tensor<2x?xf32>, %c: tensor<4xcomplex<f64>>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.cbrt %{{[^ ,:()]+}} : tensor<2x?xf32>
  %0 = stablehlo.cbrt %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.cosine %{{[^ ,:()]+}} : tensor<4xcomplex<f64>>
  %1 = stablehlo.cosine %c : tensor<4xcomplex<f64>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.exponential %{{[^ ,:()]+}} {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x?xf32>
  %2 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.exponential_minus_one %{{[^ ,:()]+}} : tensor<2x?xf32>
  %3 = stablehlo.exponential_minus_one %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.log %{{[^ ,:()]+}} : tensor<2x?xf32>
  %4 = stablehlo.log %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.log_plus_one %{{[^ ,:()]+}} : tensor<2x?xf32>
  %5 = stablehlo.log_plus_one %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.logistic %{{[^ ,:()]+}} : tensor<2x?xf32>
  %6 = stablehlo.logistic %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.rsqrt %{{[^ ,:()]+}} : tensor<2x?xf32>
  %7 = stablehlo.rsqrt %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.sine %{{[^ ,:()]+}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x?xf32>
  %8 = stablehlo.sine %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.sqrt %{{[^ ,:()]+}} : (tensor<2x?xf32>) -> tensor<2x4xf32>
  %9 = stablehlo.sqrt %x : (tensor<2x?xf32>) -> tensor<2x4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.tan %{{[^ ,:()]+}} : tensor<2x?xf32>
  %10 = stablehlo.tan %x : tensor<2x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.tanh %{{[^ ,:()]+}} : tensor<2x?xf32>
  %11 = stablehlo.tanh %x : tensor<2x?xf32>
  return
}

// CHECK-LABEL: func.func @rounding(
func.func @rounding(%x: tensor<4xbf16>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.ceil %{{[^ ,:()]+}} : tensor<4xbf16>
  %0 = stablehlo.ceil %x : tensor<4xbf16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.floor %{{[^ ,:()]+}} : tensor<4xbf16>
  %1 = stablehlo.floor %x : tensor<4xbf16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.round_nearest_afz %{{[^ ,:()]+}} : tensor<4xbf16>
  %2 = stablehlo.round_nearest_afz %x : tensor<4xbf16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.round_nearest_even %{{[^ ,:()]+}} : tensor<4xbf16>
  %3 = stablehlo.round_nearest_even %x : tensor<4xbf16>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reduce_precision %{{[^ ,:()]+}}, format = e5m2 : tensor<4xbf16>
  %4 = stablehlo.reduce_precision %x, format = e5m2 : tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @bits(
func.func @bits(%x: tensor<4xui8>, %p: tensor<4xi1>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.count_leading_zeros %{{[^ ,:()]+}} : tensor<4xui8>
  %0 = stablehlo.count_leading_zeros %x : tensor<4xui8>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.popcnt %{{[^ ,:()]+}} : tensor<4xui8>
  %1 = stablehlo.popcnt %x : tensor<4xui8>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.not %{{[^ ,:()]+}} : tensor<4xi1>
  %2 = stablehlo.not %p : tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @sign(
func.func @sign(%x: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.negate %{{[^ ,:()]+}} : tensor<4xi32>
  %0 = stablehlo.negate %x : tensor<4xi32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.sign %{{[^ ,:()]+}} : tensor<4xi32>
  %1 = stablehlo.sign %x : tensor<4xi32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.abs %{{[^ ,:()]+}} : tensor<4xi32>
  %2 = stablehlo.abs %x : tensor<4xi32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.abs %{{[^ ,:()]+}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = stablehlo.abs %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.real %{{[^ ,:()]+}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %4 = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.imag %{{[^ ,:()]+}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %5 = stablehlo.imag %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @conversions(
func.func @conversions(%x: tensor<4x2xf32>, %i: tensor<4x4xi4>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.convert %{{[^ ,:()]+}} : (tensor<4x2xf32>) -> tensor<4x2xf8E4M3FN>
  %0 = stablehlo.convert %x : (tensor<4x2xf32>) -> tensor<4x2xf8E4M3FN>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.is_finite %{{[^ ,:()]+}} : (tensor<4x2xf32>) -> tensor<4x2xi1>
  %1 = stablehlo.is_finite %x : (tensor<4x2xf32>) -> tensor<4x2xi1>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.bitcast_convert %{{[^ ,:()]+}} : (tensor<4x2xf32>) -> tensor<4xi64>
  %2 = stablehlo.bitcast_convert %x : (tensor<4x2xf32>) -> tensor<4xi64>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.bitcast_convert %{{[^ ,:()]+}} : (tensor<4x4xi4>) -> tensor<4xf16>
  %3 = stablehlo.bitcast_convert %i : (tensor<4x4xi4>) -> tensor<4xf16>
  return
}

// CHECK-LABEL: func.func @quantized(
func.func @quantized(%x: tensor<4x2xf32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.uniform_quantize %{{[^ ,:()]+}} : (tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %0 = stablehlo.uniform_quantize %x : (tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.uniform_quantize %{{[^ ,:()]+}} : (tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<u8:f32:1, {5.000000e-01,2.500000e-01:4}>>
  %1 = stablehlo.uniform_quantize %x : (tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<u8:f32:1, {5.000000e-01,2.500000e-01:4}>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.uniform_dequantize %{{[^ ,:()]+}} : (tensor<4x2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4x2xf32>
  %2 = stablehlo.uniform_dequantize %0 : (tensor<4x2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4x2xf32>
  return
}
