// A product without an epilogue stores its results directly from the registers of the tile: there
// is no buffer, and the kernel has nothing to do after the call.
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu znver5 | FileCheck %s

// CHECK: {{^}}contract.0.phase0.0:
// CHECK-NOT: zmm
// CHECK: {{^}}shared.micro_kernel.{{.*}}:
// CHECK: vmovups %zmm{{[0-9]+}}, {{.*}}(%r
// CHECK-NOT: zmm{{[0-9]+}}, {{.*}}(%rsp)
// CHECK: retq
func.func public @main(%x: tensor<256x64xf32>, %w: tensor<64x64xf32>)
    -> tensor<256x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<256x64xf32>, tensor<64x64xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}
