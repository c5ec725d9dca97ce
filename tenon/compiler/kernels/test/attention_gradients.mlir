// The gradients of attention are two kernels without an array of scores. In the second one, a block
// of rows of both products with scores stays in memory of its chunk, where three products read it.
// Separate phases add up the sums over rows of all chunks.
// RUN: tenon-compile %s --stage=program --arch=x86_64 --cpu=znver4 | FileCheck %s

// CHECK-COUNT-2: tenon.launch
// CHECK-NOT: tenon.launch
// CHECK: tenon.kernel @attention.0
// CHECK-COUNT-2: tenon.contract
// CHECK-NOT: tenon.contract
// CHECK: tenon.kernel @attention.1
// CHECK: tenon.parallel [1, 32] grain 2
// CHECK: tenon.contract
// CHECK: stablehlo.exponential
// CHECK: tenon.contract
// CHECK: tenon.for
// CHECK: tenon.reduce [1024]
// CHECK-NOT: tenon.reduce
// CHECK-COUNT-3: tenon.contract
// CHECK: tenon.parallel [1, 1024]
// CHECK: tenon.parallel [1, 1024]
// CHECK-NOT: tenon.contract
func.func public @main(%q: tensor<1024x64xf32>, %k: tensor<1024x64xf32>, %v: tensor<1024x64xf32>) -> (tensor<1024x64xf32>, tensor<1024x64xf32>, tensor<1024x64xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<1024x1024xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %m1 = stablehlo.reshape %m : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %mb = stablehlo.broadcast_in_dim %m1, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  %x = stablehlo.subtract %s, %mb : tensor<1024x1024xf32>
  %e = stablehlo.exponential %x : tensor<1024x1024xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %t1 = stablehlo.reshape %t : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %tb = stablehlo.broadcast_in_dim %t1, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  %p = stablehlo.divide %e, %tb : tensor<1024x1024xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %u = stablehlo.add %o, %o : tensor<1024x64xf32>
  %dv = stablehlo.dot_general %p, %u, contracting_dims = [0] x [0] : (tensor<1024x1024xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %dp = stablehlo.dot_general %u, %v, contracting_dims = [1] x [1] : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<1024x1024xf32>
  %g = stablehlo.multiply %dp, %e : tensor<1024x1024xf32>
  %r = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
  %h = stablehlo.subtract %dp, %rb : tensor<1024x1024xf32>
  %i = stablehlo.divide %h, %tb : tensor<1024x1024xf32>
  %ds = stablehlo.multiply %i, %e : tensor<1024x1024xf32>
  %dk = stablehlo.dot_general %ds, %q, contracting_dims = [0] x [0] : (tensor<1024x1024xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %dq = stablehlo.dot_general %ds, %k, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32>
  return %dq, %dk, %dv : tensor<1024x64xf32>, tensor<1024x64xf32>, tensor<1024x64xf32>
}
