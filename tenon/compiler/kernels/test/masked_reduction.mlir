// RUN: tenon-compile %s -s program | FileCheck %s

// A reduction to a scalar that is used under a mask, here in one part of a concatenation of
// different tensors, is computed once, outside the loop.
// CHECK: tenon.kernel
// CHECK: tenon.reduce [100]
// CHECK: tenon.map
// CHECK-NOT: tenon.reduce
func.func @main(%x: tensor<100xf32>, %y: tensor<8x10xf32>, %z: tensor<8x7xf32>) -> tensor<8x17xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100xf32>, tensor<f32>) -> tensor<f32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
  %a = stablehlo.multiply %sb, %y : tensor<8x10xf32>
  %c = stablehlo.concatenate %a, %z, dim = 1 : (tensor<8x10xf32>, tensor<8x7xf32>) -> tensor<8x17xf32>
  %r = stablehlo.reverse %c, dims = [1] : tensor<8x17xf32>
  %t = stablehlo.add %r, %c : tensor<8x17xf32>
  return %t : tensor<8x17xf32>
}
