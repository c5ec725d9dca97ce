// A padded convolution reads its input in place, in one phase and without scratch memory. At the
// ends of a row of pixels, rows of a tile read zeros for the taps outside the input, so that one loop
// over taps and features serves all tiles: 14 x 2 multiply-adds. All sums stay in registers, and
// elements of the input are addressed by the loop's index.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver5 > %t
// RUN: FileCheck %s < %t
// RUN: awk '/^tile.convolution/,/retq/' %t | grep -c vfmadd231ps | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}28{{$}}

// CHECK-NOT: phase1
// CHECK: {{^}}tile.convolution
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: vbroadcastss 256(%[[A:r[a-z0-9]+]],%[[INDEX:r[a-z0-9]+]],4), %zmm
// CHECK: vfmadd231ps {{.*}}zmm
// CHECK: vbroadcastss 512(%[[A]],%[[INDEX]],4), %zmm
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
