// An image with three channels, shifted along its rows and added. Columns and channels are
// collapsed into one dimension, whose neighbours are contiguous in memory. No index is divided, and
// no element is loaded by itself.
// RUN: tenon-compile %s --stage=asm --arch x86_64 --cpu=znver4 | FileCheck %s

// CHECK-LABEL: loop.0.phase0:
// CHECK-NOT: {{vpmul|vpinsr|vinsert|gather}}
// CHECK: vaddps {{.*}}(%{{.*}}), %zmm
// CHECK-NOT: {{vpmul|vpinsr|vinsert|gather}}
// CHECK: retq
func.func public @main(%x: tensor<64x80x3xf32>) -> tensor<62x77x3xf32> {
  %0 = stablehlo.slice %x [0:62, 3:80, 0:3] : (tensor<64x80x3xf32>) -> tensor<62x77x3xf32>
  %1 = stablehlo.slice %x [2:64, 1:78, 0:3] : (tensor<64x80x3xf32>) -> tensor<62x77x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<62x77x3xf32>
  return %2 : tensor<62x77x3xf32>
}
