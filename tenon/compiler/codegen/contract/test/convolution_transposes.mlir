// A transposed convolution with channels first. Blocks that are transposed in registers copy the
// input and store the results. A phase has every other pixel, which is stored with a mask of whole
// registers. There is no gather and no scatter.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver5 > %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=NONE < %t

// CHECK: vmovups ({{.*}}), %zmm{{[0-9]+}} {{[{]%k[1-7][}] [{]z[}]}}
// CHECK: vpermt2ps %zmm
// CHECK: vmovups %zmm{{[0-9]+}}, ({{.*}}) {{[{]%k[1-7][}]}}
// NONE-NOT: {{vgather|vscatter}}
func.func public @main(%x: tensor<1x64x32x32xf32>, %w: tensor<48x64x4x4xf32>)
    -> tensor<1x48x64x64xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
      window = {pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x64x32x32xf32>, tensor<48x64x4x4xf32>) -> tensor<1x48x64x64xf32>
  return %0 : tensor<1x48x64x64xf32>
}
