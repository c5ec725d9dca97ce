// softmax(q k^T) v is one kernel. Keys are transposed once. A block of rows of scores goes through
// both products in memory of its chunk, so the 32 MiB of scores never exist at once.
// RUN: tenon-compile %s --stage=program --arch=x86_64 --cpu=znver4 | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s

// PROGRAM: tenon.program @main parameters 3 arena {{1[0-9][0-9][0-9][0-9][0-9][0-9][0-9]}} aliases
// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.kernel
// PROGRAM: tenon.parallel
// PROGRAM: tenon.tile [64, 1024]
// PROGRAM: tenon.parallel [8, 16] grain 4
// PROGRAM: tenon.contract {{.*}} accumulate f32
// PROGRAM: tenon.store {{.*}} memref<64x1024xf32, strided<[1040, 1]>>
// PROGRAM: memref<1x64x64xf32{{.*}}, memref<1x64x1024xf32
// PROGRAM: tenon.for
// PROGRAM-COUNT-1: stablehlo.exponential
// PROGRAM-NOT: stablehlo.exponential
// PROGRAM: tenon.contract
// PROGRAM: memref<1x64x1024xf32{{.*}}, memref<1x1024x64xf32
// PROGRAM-NOT: tenon.parallel

// Two phases. The second one calls register tiles for both products.
// CHECK: define internal void @attention.0.phase0(
// CHECK: define internal void @attention.0.phase1(
// CHECK: call void @shared.micro_kernel.4x4.
// CHECK: call void @shared.micro_kernel.13x2.
// CHECK: call void @shared.micro_kernel.12x2.
// CHECK-NOT: phase2
func.func public @main(%q: tensor<8x1024x64xf32>, %k: tensor<8x1024x64xf32>,
                       %v: tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x1024x64xf32>, tensor<8x1024x64xf32>) -> tensor<8x1024x1024xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x1024x1024xf32>, tensor<f32>) -> tensor<8x1024xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<8x1024xf32>) -> tensor<8x1024x1024xf32>
  %d = stablehlo.subtract %s, %mb : tensor<8x1024x1024xf32>
  %e = stablehlo.exponential %d : tensor<8x1024x1024xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x1024x1024xf32>, tensor<f32>) -> tensor<8x1024xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x1024xf32>) -> tensor<8x1024x1024xf32>
  %w = stablehlo.divide %e, %tb : tensor<8x1024x1024xf32>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x1024x1024xf32>, tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  return %o : tensor<8x1024x64xf32>
}
