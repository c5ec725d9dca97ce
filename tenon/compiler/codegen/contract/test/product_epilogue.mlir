// The loops of a product's sums are functions of their own, so that the constants of the fused
// epilogue do not occupy registers in them. The width of a tile depends on the loads of a's
// elements.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK: {{^}}shared.micro_kernel.6x4{{.*}}:
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: vbroadcastss (%r{{.*}}, %zmm
// CHECK-NOT: (%rsp)
// CHECK-COUNT-24: vfmadd231ps {{.*}}zmm
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: retq
func.func public @main(%x: tensor<512x768xf32>, %w: tensor<768x512xf32>)
    -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<512x768xf32>, tensor<768x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.tanh %0 : tensor<512x512xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}
