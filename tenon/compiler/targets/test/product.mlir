// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=W512
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu haswell | FileCheck %s --check-prefix=W256
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu nehalem | FileCheck %s --check-prefix=W128
// RUN: tenon-compile %s -s asm --arch aarch64 --cpu generic | FileCheck %s --check-prefix=A64

// A product of f32 keeps many accumulators in whole vectors, and uses fused multiply-adds where
// the target has them.
//
// W512-COUNT-4: vfmadd{{.*}}ps {{.*}}%zmm
// W256-COUNT-4: vfmadd{{.*}}ps {{.*}}%ymm
// W128-COUNT-4: {{[[:space:]]}}mulps
// W128: {{[[:space:]]}}addps
// A64-COUNT-4: fmla v{{[0-9]+}}.4s
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
