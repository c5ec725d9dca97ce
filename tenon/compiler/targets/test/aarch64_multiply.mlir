// RUN: tenon-compile %s -s asm --arch aarch64 --cpu generic | FileCheck %s

// Arithmetic on AArch64 is in whole q registers.
//
// CHECK-LABEL: loop.0.phase0:
// CHECK: ldr q{{[0-9]+}},
// CHECK: fmul v{{[0-9]+}}.4s
// CHECK: str q{{[0-9]+}},
// CHECK: ret
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
