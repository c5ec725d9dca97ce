// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// Ops that create tensors or change their shape.

// CHECK-LABEL: func.func @constants(
func.func @constants() {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.constant {note = "kept"} dense<1.500000e+00> : tensor<2x3xf32>
  %1 = stablehlo.constant {note = "kept"} dense<1.500000e+00> : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  %2 = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.iota dim = 1 : tensor<2x3xi64>
  %3 = stablehlo.iota dim = 1 : tensor<2x3xi64>
  return
}

// CHECK-LABEL: func.func @static(
func.func @static(%x: tensor<2x3xf32>, %s: tensor<f32>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.broadcast %{{[^ ,:()]+}}, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %0 = stablehlo.broadcast %x, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.broadcast_in_dim %{{[^ ,:()]+}}, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.broadcast_in_dim %{{[^ ,:()]+}}, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reshape %{{[^ ,:()]+}} : (tensor<2x3xf32>) -> tensor<6xf32>
  %3 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.transpose %{{[^ ,:()]+}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.reverse %{{[^ ,:()]+}}, dims = [0, 1] : tensor<2x3xf32>
  %5 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.get_dimension_size %{{[^ ,:()]+}}, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %6 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%x: tensor<?x3xf32>, %n: tensor<i32>, %shape: tensor<2xi64>) {
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_iota %{{[^ ,:()]+}}, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_broadcast_in_dim %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.dynamic_reshape %{{[^ ,:()]+}}, %{{[^ ,:()]+}} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  %2 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  // CHECK: %{{[^ ,:()]+}} = stablehlo.set_dimension_size %{{[^ ,:()]+}}, %{{[^ ,:()]+}}, dim = 0 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  %3 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return
}
