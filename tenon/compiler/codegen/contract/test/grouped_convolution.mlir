// Groups of four features: a vector has the features of four groups. A shuffle broadcasts each
// input element to the lanes of its group, once for all taps along a row. All sums and a row of the
// filter stay in registers. Elements outside the input are not read, and there is no padded copy of
// the input.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK: {{^}}tile.convolution
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: vmovups ({{.*}}), %zmm{{[0-9]+}} {%k{{[0-9]}}} {z}
// CHECK: vshufps {{.*}}zmm
// CHECK-NOT: (%rsp)
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}zmm
// CHECK-NOT: (%rsp)
// CHECK: retq
func.func public @main(%x: tensor<1x56x56x128xf32>, %w: tensor<3x3x4x128xf32>)
    -> tensor<1x56x56x128xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 32 : i64}
      : (tensor<1x56x56x128xf32>, tensor<3x3x4x128xf32>) -> tensor<1x56x56x128xf32>
  return %0 : tensor<1x56x56x128xf32>
}
