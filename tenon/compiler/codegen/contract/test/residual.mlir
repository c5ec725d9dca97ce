// Code fused to a convolution reads a residual at the offset of the result. It is not computed from the
// indices (an image has 200704 elements), which would have to be divided out of those of one loop over
// images, rows and columns. The residual is prefetched before the sums.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver3 | FileCheck %s

// CHECK-LABEL: define internal void @convolution.0.phase0.1(
// CHECK: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 3, i32 1)
// CHECK-NOT: 200704
// CHECK: call void @shared.micro_kernel.
// CHECK-NOT: 200704
// CHECK-LABEL: define internal void @shared.micro_kernel.

func.func @main(%x: tensor<8x14x14x256xf32>, %w: tensor<1x1x256x1024xf32>, %r: tensor<8x14x14x1024xf32>) -> tensor<8x14x14x1024xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x14x14x256xf32>, tensor<1x1x256x1024xf32>) -> tensor<8x14x14x1024xf32>
  %1 = stablehlo.add %0, %r : tensor<8x14x14x1024xf32>
  return %1 : tensor<8x14x14x1024xf32>
}
