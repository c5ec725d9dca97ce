// Attention: scores and weights are in the local memory of a group, whose items share both
// products and the rows. Nothing is on the stack of an item.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %s

// CHECK: define spir_kernel void @attention_
// CHECK-NOT: alloca
// CHECK: call float @llvm.fma.f32
// CHECK: call spir_func void @_Z7barrierj
// CHECK: call float @llvm.fma.f32
func.func @main(%q: tensor<4x128x32xf32>, %k: tensor<4x160x32xf32>, %v: tensor<4x160x32xf32>) -> tensor<4x128x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x128x32xf32>, tensor<4x160x32xf32>) -> tensor<4x128x160xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x128x160xf32>, tensor<f32>) -> tensor<4x128xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x160xf32>
  %d = stablehlo.subtract %s, %mb : tensor<4x128x160xf32>
  %e = stablehlo.exponential %d : tensor<4x128x160xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x128x160xf32>, tensor<f32>) -> tensor<4x128xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x160xf32>
  %p = stablehlo.divide %e, %tb : tensor<4x128x160xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x128x160xf32>, tensor<4x160x32xf32>) -> tensor<4x128x32xf32>
  return %o : tensor<4x128x32xf32>
}
