// RUN: tenon-compile %s -s program | FileCheck %s

// The epilogue of the first product stores a value of the weights' type, f32, that needs no
// reduction. Reductions of the bias run once per row, not per element, and so do conversions to f64.
// CHECK: tenon.kernel @attention.0
// CHECK: tenon.contract {{.*}} accumulate f32
// CHECK-NOT: tenon.reduce
// CHECK: stablehlo.multiply
// CHECK-NOT: tenon.reduce
// CHECK-NOT: stablehlo.convert
// CHECK: tenon.store {{.*}} : tensor<f32>, memref<{{[0-9]+}}x256xf32
// CHECK: tenon.for
// CHECK-COUNT-2: tenon.reduce [256]
// CHECK: stablehlo.convert
// CHECK: tenon.contract
func.func @main(%q: tensor<512x32xf32>, %k: tensor<32x256xf32>, %v: tensor<256x32xf32>, %b: tensor<512x256xf32>) -> tensor<512x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zero64 = stablehlo.constant dense<0.0> : tensor<f64>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<512x32xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
  %x = stablehlo.multiply %s, %b : tensor<512x256xf32>
  %n = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  %nb = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<512xf32>) -> tensor<512x256xf32>
  %y = stablehlo.subtract %x, %nb : tensor<512x256xf32>
  %z = stablehlo.convert %y : (tensor<512x256xf32>) -> tensor<512x256xf64>
  %t = stablehlo.reduce(%z init: %zero64) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf64>, tensor<f64>) -> tensor<512xf64>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<512xf64>) -> tensor<512x256xf64>
  %w = stablehlo.divide %z, %tb : tensor<512x256xf64>
  %f = stablehlo.convert %w : (tensor<512x256xf64>) -> tensor<512x256xf32>
  %o = stablehlo.dot_general %f, %v, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x32xf32>) -> tensor<512x32xf32>
  return %o : tensor<512x32xf32>
}
