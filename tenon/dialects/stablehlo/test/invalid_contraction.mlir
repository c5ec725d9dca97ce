// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of products, convolutions, factorizations, transforms, normalizations.
// Each case is named after the constraint of the specification that it violates.

func.func @dot(%x: tensor<4x6xf32>) {
  // expected-error @below {{contracting dimension 1 of}}
  %0 = stablehlo.dot %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dot_general_c1(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{different numbers of batching or contracting}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [], contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c3(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{lhs dimensions has the element 1 twice}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 1] x [0, 1] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c6(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{lhs_contracting_dimensions = [2] has an element outside}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c8(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{rhs_contracting_dimensions = [-1] has an element outside}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [-1] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c9(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{batching dimension 0 of}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x6x8xf32>
  return
}

// -----

func.func @dot_general_c10(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{contracting dimension 1 of}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c11(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{precision_config has 3 elements}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, HIGH, HIGH] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c12(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{does not have the inferred shape [4, 8]}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @dot_general_c14(%x: tensor<4x6x!quant.uniform<i8:f32, 1.0>>, %y: tensor<6x8xf32>) {
  // expected-error @below {{element types do not match}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x6x!quant.uniform<i8:f32, 1.0>>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c21(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{expected DEFAULT}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dot_general_c22(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{dot algorithm needs positive counts}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @einsum_letters(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{has the new letter 'd'}}
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ad" : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @einsum_sizes(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{dimensions 'a' of einsum_config have the sizes 4 and 6}}
  %0 = stablehlo.einsum %x, %y, config = "ab,ac->bc" : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @einsum_rank(%x: tensor<4x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @below {{does not fit type}}
  %0 = stablehlo.einsum %x, %y, config = "a,bc->ac" : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @convolution_c1(%x: tensor<2x9x4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @below {{must be equal and at least 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c2(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{window strides has 2 elements, expected 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c3(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{has an element less than 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c4(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{expected the shape [1, 2]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c9(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{window_reversal has 2 elements, expected 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c11(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{input feature count 4 is not divisible by the 3 groups}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c12(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{input dimensions has 4 elements, expected 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c13(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{unexpected dimension `b`}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, b]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c14(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{kernel has 4 input features, expected 4 / 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c22(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{value is positive}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c23(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{has both feature_group_count}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_c25(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{does not have the inferred shape [2, 7, 8]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x9x8xf32>
  return
}

// -----

func.func @convolution_window(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{`stride` given twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @convolution_missing(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>) {
  // expected-error @below {{spatial dimension 0 is missing}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 1, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x4xf32>, tensor<3x4x8xf32>) -> tensor<2x7x8xf32>
  return
}

// -----

func.func @dynamic_conv_c4(%x: tensor<2x9x4xf32>, %w: tensor<3x4x8xf32>, %p: tensor<2x2xi32>) {
  // expected-error @below {{expected the shape [1, 2]}}
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<2x9x4xf32>, tensor<3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x?x8xf32>
  return
}

// -----

func.func @cholesky_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected square matrices}}
  %0 = stablehlo.cholesky %x : tensor<4xf32>
  return
}

// -----

func.func @cholesky_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{expected square matrices}}
  %0 = stablehlo.cholesky %x : tensor<4x6xf32>
  return
}

// -----

func.func @triangular_solve_c3(%x: tensor<4x4xf32>, %y: tensor<6x4xf32>) {
  // expected-error @below {{do not fit with left_side = true}}
  %0 = "stablehlo.triangular_solve"(%x, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @fft_c1(%x: tensor<9xcomplex<f32>>) {
  // expected-error @below {{needs 1 to 3 elements}}
  %0 = stablehlo.fft %x, type = FFT, length = [3, 9] : (tensor<9xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  return
}

// -----

func.func @fft_c2(%x: tensor<9xf32>) {
  // expected-error @below {{FFT cannot take}}
  %0 = stablehlo.fft %x, type = FFT, length = [9] : (tensor<9xf32>) -> tensor<9xcomplex<f32>>
  return
}

// -----

func.func @fft_c4(%x: tensor<9xf32>) {
  // expected-error @below {{does not fit}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<9xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @fft_c5(%x: tensor<9xf32>) {
  // expected-error @below {{does not have the inferred shape [5]}}
  %0 = stablehlo.fft %x, type = RFFT, length = [9] : (tensor<9xf32>) -> tensor<9xcomplex<f32>>
  return
}

// -----

func.func @batch_norm_inference_c1(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{feature_index = 2 is not in the range}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 0.0 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_training_c3(%x: tensor<2x3xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{expected 3 features}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
