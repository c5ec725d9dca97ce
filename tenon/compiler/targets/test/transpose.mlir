// RUN: tenon-compile %s -s program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s

// A transpose loads and stores whole vectors, shuffled in registers: no gathers, no scatters.
//
// PROGRAM: tenon.parallel [32, 32] grain
// PROGRAM: tenon.tile [2048, 2048] block 64
//
// CHECK-LABEL: loop.0.phase0:
// CHECK-NOT: gather
// CHECK-COUNT-16: vmovup{{[sd]}} {{.*}}(%{{.*}}), %zmm
// CHECK-COUNT-60: vpermt2ps
// CHECK-NOT: gather
// CHECK-NOT: scatter
// CHECK: retq
func.func @main(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}
