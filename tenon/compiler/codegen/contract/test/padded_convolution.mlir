// A padded convolution reads its input in place, in one phase and without scratch memory. Tiles at
// the ends of a row of pixels skip the taps outside the input. There are three loops over taps and
// features, and all sums stay in registers.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK-NOT: phase1
// CHECK: {{^}}shared.micro_kernel.14x2{{.*}}:
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: vbroadcastss {{.*}}zmm
// CHECK: vfmadd231ps {{.*}}zmm
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: retq
// CHECK-NOT: phase1
func.func public @main(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>)
    -> tensor<1x56x56x64xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}
