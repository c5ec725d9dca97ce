// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Elementwise ops after a product are computed on its accumulators.

// CHECK-LABEL: func.func @dense_layer(
// CHECK: %[[F:.*]] = tenon.fusion contract(
// CHECK: stablehlo.dot_general
// CHECK-NEXT: stablehlo.broadcast_in_dim
// CHECK-NEXT: stablehlo.add
// CHECK: stablehlo.maximum
// CHECK-NEXT: tenon.yield
// CHECK-NOT: tenon.fusion
// CHECK: return %[[F]]
func.func @dense_layer(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>)
    -> tensor<32x48xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<48xf32>) -> tensor<32x48xf32>
  %2 = stablehlo.add %0, %1 : tensor<32x48xf32>
  %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<32x48xf32>
  %4 = stablehlo.maximum %2, %3 : tensor<32x48xf32>
  return %4 : tensor<32x48xf32>
}

// CHECK-LABEL: func.func @convolution_relu(
// CHECK-NEXT: %[[F:.*]] = tenon.fusion convolution(
// CHECK: stablehlo.convolution
// CHECK-NEXT: stablehlo.maximum
// CHECK-NEXT: tenon.yield
// CHECK-NOT: tenon.fusion
// CHECK: return %[[F]]
func.func @convolution_relu(%x: tensor<1x16x16x8xf32>, %k: tensor<3x3x8x4xf32>)
    -> tensor<1x16x16x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x16x16x4xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x16x8xf32>, tensor<3x3x8x4xf32>) -> tensor<1x16x16x4xf32>
  %1 = stablehlo.maximum %0, %zero : tensor<1x16x16x4xf32>
  return %1 : tensor<1x16x16x4xf32>
}

// A product with two users is computed once. One of the users may be in its kernel.
// CHECK-LABEL: func.func @two_users(
// CHECK: tenon.fusion contract
// CHECK-COUNT-1: stablehlo.dot_general
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @two_users(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8x8xf32>
}

// A product does not fuse with another product: two kernels.
// CHECK-LABEL: func.func @two_products(
// CHECK: %[[A:.*]] = tenon.fusion contract
// CHECK: stablehlo.dot_general
// CHECK-NEXT: stablehlo.tanh
// CHECK: tenon.fusion contract(%[[A]], %{{.*}}) {
// CHECK: stablehlo.dot_general
// CHECK-NEXT: tenon.yield
func.func @two_products(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
