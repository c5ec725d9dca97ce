// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-fuse))' | FileCheck %s

// Unit dimensions of matrix products, and of the ops that follow, are dropped. Attention from
// jax.nn.dot_product_attention then is one kernel without superfluous dimensions.

// CHECK-LABEL: func.func @attention_of_groups_of_one(
// CHECK: tenon.fusion attention(
// CHECK-NOT: x1x
// CHECK: tenon.yield {{.*}} : tensor<8x32x128xf32>
// CHECK: tenon.fusion loop(
// CHECK: stablehlo.transpose {{.*}}, dims = [2, 0, 1] : (tensor<8x32x128xf32>) -> tensor<128x8x32xf32>
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @attention_of_groups_of_one(%q: tensor<1x128x8x1x32xf32>, %k: tensor<1x128x8x32xf32>, %v: tensor<1x128x8x32xf32>, %mask: tensor<128x128xi1>) -> tensor<1x1x128x8x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<-1.0e9> : tensor<1x1x8x128x128xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<1x128x8x1x32xf32>, tensor<1x128x8x32xf32>) -> tensor<1x8x128x1x128xf32>
  %r = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<1x8x128x1x128xf32>) -> tensor<1x1x8x128x128xf32>
  %mb = stablehlo.broadcast_in_dim %mask, dims = [3, 4] : (tensor<128x128xi1>) -> tensor<1x1x8x128x128xi1>
  %x = stablehlo.select %mb, %r, %none : (tensor<1x1x8x128x128xi1>, tensor<1x1x8x128x128xf32>, tensor<1x1x8x128x128xf32>) -> tensor<1x1x8x128x128xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [4] : (tensor<1x1x8x128x128xf32>, tensor<f32>) -> tensor<1x1x8x128xf32>
  %m1 = stablehlo.reshape %m : (tensor<1x1x8x128xf32>) -> tensor<1x1x8x128x1xf32>
  %m2 = stablehlo.reduce(%m1 init: %zero) applies stablehlo.add across dimensions = [0, 4] : (tensor<1x1x8x128x1xf32>, tensor<f32>) -> tensor<1x8x128xf32>
  %m3 = stablehlo.broadcast_in_dim %m2, dims = [1, 2, 3] : (tensor<1x8x128xf32>) -> tensor<1x1x8x128x128xf32>
  %d = stablehlo.subtract %x, %m3 : tensor<1x1x8x128x128xf32>
  %e = stablehlo.exponential %d : tensor<1x1x8x128x128xf32>
  %o = stablehlo.dot_general %v, %e, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<1x128x8x32xf32>, tensor<1x1x8x128x128xf32>) -> tensor<1x8x32x1x128xf32>
  %y = stablehlo.transpose %o, dims = [3, 0, 4, 1, 2] : (tensor<1x8x32x1x128xf32>) -> tensor<1x1x128x8x32xf32>
  return %y : tensor<1x1x128x8x32xf32>
}

// Matrix-vector products keep their unit dimensions.
// CHECK-LABEL: func.func @product_by_a_vector(
// CHECK: stablehlo.dot_general {{.*}} -> tensor<65536x1xf32>
// CHECK-NOT: stablehlo.reshape
// CHECK: return
func.func @product_by_a_vector(%a: tensor<65536x32xf32>, %b: tensor<32x1xf32>) -> tensor<65536x1xf32> {
  %s = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<65536x32xf32>, tensor<32x1xf32>) -> tensor<65536x1xf32>
  %e = stablehlo.exponential %s : tensor<65536x1xf32>
  return %e : tensor<65536x1xf32>
}
