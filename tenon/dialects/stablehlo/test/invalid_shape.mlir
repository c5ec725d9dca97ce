// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// Constraints of the ops that create tensors or change their shape.
// Each case is named after the constraint of the specification that it violates.

func.func @constant_c1() {
  // expected-error @below {{does not fit result type}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error @below {{iota_dimension = 2 is not in the range [0, 2)}}
  %0 = stablehlo.iota dim = 2 : tensor<4x6xi32>
  return
}

// -----

func.func @dynamic_iota_c2(%s: tensor<2xi64>) {
  // expected-error @below {{output_shape has 2 elements}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?xi32>
  return
}

// -----

func.func @broadcast(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [2, 4, 6]}}
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<4x6xf32>) -> tensor<3x4x6xf32>
  return
}

// -----

func.func @broadcast_in_dim_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{broadcast_dimensions has 1 elements, expected 2}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @broadcast_in_dim_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{has an element outside the range [0, 2)}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @broadcast_in_dim_c4(%x: tensor<4x4xf32>) {
  // expected-error @below {{has the element 0 twice}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_in_dim_c5(%x: tensor<4x6xf32>) {
  // expected-error @below {{dimension 1 of size 6}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @broadcast_in_dim_c6(%x: tensor<2x1x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  // expected-error @below {{does not become quantized dimension 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x1x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0,2.0}>>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c8(%x: tensor<4x6xf32>, %s: tensor<2xi64>) {
  // expected-error @below {{has the element 0 twice}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{number of elements changes from 24}}
  %0 = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @reshape_huge(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @below {{number of elements changes}}
  %0 = stablehlo.reshape %x : (tensor<4294967296x4294967296xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @dynamic_reshape_c4(%x: tensor<4x6xf32>, %s: tensor<3xi64>) {
  // expected-error @below {{output_shape has 3 elements}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{has the element 1 twice}}
  %0 = stablehlo.transpose %x, dims = [1, 1] : (tensor<4x6xf32>) -> tensor<6x6xf32>
  return
}

// -----

func.func @transpose_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{does not have the inferred shape [6, 4]}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @reverse_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{has the element 0 twice}}
  %0 = stablehlo.reverse %x, dims = [0, 0] : tensor<4x6xf32>
  return
}

// -----

func.func @reverse_c3(%x: tensor<4x6xf32>) {
  // expected-error @below {{has an element outside}}
  %0 = stablehlo.reverse %x, dims = [-1] : tensor<4x6xf32>
  return
}

// -----

func.func @get_dimension_size_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{dimension = 2 is not in the range}}
  %0 = stablehlo.get_dimension_size %x, dim = 2 : (tensor<4x6xf32>) -> tensor<i32>
  return
}

// -----

func.func @set_dimension_size(%x: tensor<4x6xf32>, %n: tensor<1xi32>) {
  // expected-error @below {{size must be a scalar}}
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4x6xf32>, tensor<1xi32>) -> tensor<?x6xf32>
  return
}

// -----

// expected-error @below {{number of bounds 2 differs from the rank 1}}
func.func @bounds_rank(%x: tensor<?xf32, #stablehlo.bounds<4, 4>>) {
  return
}

// -----

// expected-error @below {{static dimension 0 cannot have a bound}}
func.func @bounds_static(%x: tensor<4xf32, #stablehlo.bounds<4>>) {
  return
}
