// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Products, convolutions, factorizations, transforms, normalizations.

// CHECK-LABEL: func.func @dot(
func.func @dot(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>, %b: tensor<2x4x6xf32>, %c: tensor<2x6x8xf32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.dot %x, %y : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, precision = [HIGH, DEFAULT] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot_general %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot_general %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  %3 = stablehlo.dot_general %b, %c, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot_general %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot_general %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dot_general %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, contracting_dims = [] x [] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6x4x6xf32>
  %6 = stablehlo.dot_general %x, %x, contracting_dims = [] x [] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6x4x6xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.einsum %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, config = "ab,bc->ac" : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %7 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.unary_einsum %{{[^ ,:()]+}}, config = "a...->..." : (tensor<4x6xf32>) -> tensor<6xf32>
  %8 = stablehlo.unary_einsum %x, config = "a...->..." : (tensor<4x6xf32>) -> tensor<6xf32>
  return
}

// CHECK-LABEL: func.func @convolution(
func.func @convolution(%x: tensor<2x9x9x4xf32>, %w: tensor<3x3x2x8xf32>, %p: tensor<2x2xi32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.convolution(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = {{\[\[}}1, 1], [0, -1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x14x8xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, -1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x14x8xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.convolution(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[0, b, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>) -> tensor<7x2x7x8xf32>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[0, b, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>) -> tensor<7x2x7x8xf32>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.dynamic_conv"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>, tensor<2x2xi32>) -> tensor<2x?x?x8xf32>
  %2 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (tensor<2x9x9x4xf32>, tensor<3x3x2x8xf32>, tensor<2x2xi32>) -> tensor<2x?x?x8xf32>
  return
}

// CHECK-LABEL: func.func @linalg(
func.func @linalg(%a: tensor<5x4x4xf64>, %b: tensor<5x4x2xf64>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.cholesky %{{[^ ,:()]+}} : tensor<5x4x4xf64>
  %0 = stablehlo.cholesky %a : tensor<5x4x4xf64>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.cholesky %{{[^ ,:()]+}}, lower = true : tensor<5x4x4xf64>
  %1 = stablehlo.cholesky %a, lower = true : tensor<5x4x4xf64>
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.triangular_solve"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<5x4x4xf64>, tensor<5x4x2xf64>) -> tensor<5x4x2xf64>
  %2 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<5x4x4xf64>, tensor<5x4x2xf64>) -> tensor<5x4x2xf64>
  return
}

// CHECK-LABEL: func.func @fft(
func.func @fft(%c: tensor<3x9xcomplex<f32>>, %r: tensor<3x9xf32>, %h: tensor<3x5xcomplex<f32>>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.fft %{{[^ ,:()]+}}, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %0 = stablehlo.fft %c, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.fft %{{[^ ,:()]+}}, type = IFFT, length = [3, 9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %1 = stablehlo.fft %c, type = IFFT, length = [3, 9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.fft %{{[^ ,:()]+}}, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
  %2 = stablehlo.fft %r, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x5xcomplex<f32>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.fft %{{[^ ,:()]+}}, type = IRFFT, length = [9] : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
  %3 = stablehlo.fft %h, type = IRFFT, length = [9] : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
  return
}

// CHECK-LABEL: func.func @batch_norm(
func.func @batch_norm(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>) {
  // CHECK: %{{[^ ,:()]+}} = "stablehlo.batch_norm_inference"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  // CHECK: %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} = "stablehlo.batch_norm_training"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  %1:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}} = "stablehlo.batch_norm_grad"(%{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, %{{[^ ,:()]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  %2:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
