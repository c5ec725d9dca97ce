// On a device with matrix instructions attention of 16-bit floats is one tenon.attention, whose
// scores stay in registers: sums of products of 16-bit floats, an exponential of each, and the
// sums as operands of the next product.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target nvptx64:sm_80 --dump %t -o %t/image
// RUN: cat %t/*program.mlir | FileCheck %s --check-prefix=PROGRAM
// RUN: cat %t/*device.ll | FileCheck %s

// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.attention{{.*}} softmax element {
// PROGRAM: stablehlo.multiply
// PROGRAM: tenon.yield {{.*}} : tensor<f32>
// PROGRAM: } row {
// PROGRAM-COUNT-2: tenon.store {{.*}} memref<4x128x1xf32>
// PROGRAM: } results {
// PROGRAM: tenon.store

// CHECK: define {{.*}} @attention_
// CHECK-NOT: alloca
// CHECK: call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16
// CHECK: call float @llvm.maximum.f32
// CHECK: call float @llvm.nvvm.shfl.sync.bfly.f32
// CHECK: call float @llvm.nvvm.ex2.approx.ftz.f32
// CHECK: fptrunc <2 x float> {{.*}} to <2 x bfloat>
// CHECK: call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16
func.func @main(%q: tensor<4x128x32xbf16>, %k: tensor<4x160x32xbf16>, %v: tensor<4x160x32xbf16>) -> (tensor<4x128x32xbf16>, tensor<4x128x1xf32>, tensor<4x128x1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<4x128x160xf32>
  %z = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x128x32xbf16>, tensor<4x160x32xbf16>) -> tensor<4x128x160xf32>
  %s = stablehlo.multiply %z, %half : tensor<4x128x160xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x128x160xf32>, tensor<f32>) -> tensor<4x128xf32>
  %mr = stablehlo.reshape %m : (tensor<4x128xf32>) -> tensor<4x128x1xf32>
  %mb = stablehlo.broadcast_in_dim %mr, dims = [0, 1, 2] : (tensor<4x128x1xf32>) -> tensor<4x128x160xf32>
  %d = stablehlo.subtract %s, %mb : tensor<4x128x160xf32>
  %e = stablehlo.exponential %d : tensor<4x128x160xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x128x160xf32>, tensor<f32>) -> tensor<4x128xf32>
  %tr = stablehlo.reshape %t : (tensor<4x128xf32>) -> tensor<4x128x1xf32>
  %tb = stablehlo.broadcast_in_dim %tr, dims = [0, 1, 2] : (tensor<4x128x1xf32>) -> tensor<4x128x160xf32>
  %p = stablehlo.divide %e, %tb : tensor<4x128x160xf32>
  %w = stablehlo.convert %p : (tensor<4x128x160xf32>) -> tensor<4x128x160xbf16>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x128x160xbf16>, tensor<4x160x32xbf16>) -> tensor<4x128x32xbf16>
  return %o, %mr, %tr : tensor<4x128x32xbf16>, tensor<4x128x1xf32>, tensor<4x128x1xf32>
}
