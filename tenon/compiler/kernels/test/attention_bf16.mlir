// Attention of bf16: the memory of a chunk holds scores in f32 and, beside them, weights in bf16.
// Both products use the matrix unit. No operand is copied before the products, which pack it
// themselves.
// RUN: tenon-compile %s --stage=program --arch=x86_64 --cpu=sapphirerapids | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm --arch=x86_64 --cpu=sapphirerapids | FileCheck %s

// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.kernel
// PROGRAM: tenon.parallel [8, 8] grain 4
// PROGRAM: tenon.contract {{.*}} accumulate f32
// PROGRAM: tenon.store {{.*}} memref<128x1024xf32, strided<[1040, 1]>>
// PROGRAM: tenon.for
// PROGRAM: tenon.store {{.*}} memref<128x1024xbf16, strided<[1056, 1]>>
// PROGRAM: tenon.contract
// PROGRAM-NOT: tenon.parallel

// CHECK: define internal void @attention.0.phase0(
// CHECK-COUNT-2: define internal void @tile.attention.0.phase0
// CHECK: call void @llvm.x86.tdpbf16ps
// CHECK-NOT: phase1
func.func public @main(%q: tensor<8x1024x64xbf16>, %k: tensor<8x1024x64xbf16>,
                       %v: tensor<8x1024x64xbf16>) -> tensor<8x1024x64xbf16> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x1024x64xbf16>, tensor<8x1024x64xbf16>) -> tensor<8x1024x1024xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x1024x1024xf32>, tensor<f32>) -> tensor<8x1024xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<8x1024xf32>) -> tensor<8x1024x1024xf32>
  %d = stablehlo.subtract %s, %mb : tensor<8x1024x1024xf32>
  %e = stablehlo.exponential %d : tensor<8x1024x1024xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x1024x1024xf32>, tensor<f32>) -> tensor<8x1024xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<8x1024xf32>) -> tensor<8x1024x1024xf32>
  %w = stablehlo.divide %e, %tb : tensor<8x1024x1024xf32>
  %n = stablehlo.convert %w : (tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xbf16>
  %o = stablehlo.dot_general %n, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x1024x1024xbf16>, tensor<8x1024x64xbf16>) -> tensor<8x1024x64xbf16>
  return %o : tensor<8x1024x64xbf16>
}
