// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of the elementwise ops.
// Each case is named after the constraint of the specification that it violates.

func.func @abs_c2(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{is not the real element type}}
  %0 = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @abs_unsigned(%x: tensor<4xui8>) {
  // expected-error @below {{must be ranked tensor}}
  %0 = stablehlo.abs %x : tensor<4xui8>
  return
}

// -----

func.func @add_c1(%x: tensor<4x6xf32>, %y: tensor<4x6xf64>) {
  // expected-error @below {{is not compatible with result type}}
  %0 = stablehlo.add %x, %y : (tensor<4x6xf32>, tensor<4x6xf64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @add_shape(%x: tensor<4x6xf32>, %y: tensor<4x5xf32>) {
  // expected-error @below {{must have the same shape and base type}}
  %0 = stablehlo.add %x, %y : (tensor<4x6xf32>, tensor<4x5xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @add_c5(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @below {{are not quantized along the same dimension}}
  %0 = stablehlo.add %x, %x : (tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @bitcast_convert_c1(%x: tensor<4xf32>) {
  // expected-error @below {{innermost dimension must make up for 32 against 8 bits}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x3xi8>
  return
}

// -----

func.func @bitcast_convert_c2(%x: tensor<4xcomplex<f32>>) {
  // expected-error @below {{cannot convert between complex and real}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xcomplex<f32>>) -> tensor<4xi64>
  return
}

// -----

func.func @clamp_c1(%x: tensor<4x6xf32>, %m: tensor<6xf32>) {
  // expected-error @below {{shapes of min}}
  %0 = stablehlo.clamp %m, %x, %x : (tensor<6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @clamp_c3(%x: tensor<4x6xf32>, %m: tensor<f64>) {
  // expected-error @below {{differs from the result}}
  %0 = stablehlo.clamp %m, %x, %x : (tensor<f64>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @compare_c1(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>) {
  // expected-error @below {{element types of}}
  %0 = stablehlo.compare LT, %x, %y : (tensor<4x6xf32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  return
}

// -----

func.func @compare_c3(%x: tensor<4x6xi32>) {
  // expected-error @below {{comparison type FLOAT does not fit}}
  %0 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  return
}

// -----

func.func @compare_c3_pred(%x: tensor<4xi1>) {
  // expected-error @below {{comparison type SIGNED does not fit}}
  %0 = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @complex_c3(%x: tensor<4xf32>) {
  // expected-error @below {{is not complex over}}
  %0 = stablehlo.complex %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @reduce_precision_c2(%x: tensor<4xf32>) {
  // expected-error @below {{value is positive}}
  %0 = stablehlo.reduce_precision %x, format = e0m2 : tensor<4xf32>
  return
}

// -----

func.func @reduce_precision_format(%x: tensor<4xf32>) {
  // expected-error @below {{expected a format like e5m10}}
  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<4xf32>
  return
}

// -----

func.func @result_accuracy(%x: tensor<4xf32>) {
  // expected-error @below {{tolerances are given, but the mode is DEFAULT}}
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// -----

func.func @select_c1(%x: tensor<4x6xf32>, %p: tensor<4xi1>) {
  // expected-error @below {{shapes of pred}}
  %0 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4x6xf32>
  return
}

// -----

func.func @select_c2(%x: tensor<4x6xf32>, %p: tensor<i1>, %y: tensor<4x6xf64>) {
  // expected-error @below {{types of on_true}}
  %0 = stablehlo.select %p, %x, %y : (tensor<i1>, tensor<4x6xf32>, tensor<4x6xf64>) -> tensor<4x6xf32>
  return
}

// -----

func.func @uniform_quantize_c2(%x: tensor<4xf64>) {
  // expected-error @below {{expressed type 'f64' expected}}
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf64>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @uniform_dequantize_c2(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error @below {{expressed type 'f32' expected}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4xf64>
  return
}

// -----

func.func @quantized_zero_point(%x: tensor<4x!quant.uniform<i8:f32, 1.0:300>>) {
  // expected-error @below {{must be ranked tensor}}
  %0 = stablehlo.negate %x : tensor<4x!quant.uniform<i8:f32, 1.0:300>>
  return
}
