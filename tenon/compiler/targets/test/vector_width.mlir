// RUN: tenon-compile %s -s asm --arch x86_64 --cpu sapphirerapids | FileCheck %s --check-prefix=W512
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu haswell | FileCheck %s --check-prefix=W256
// RUN: tenon-compile %s -s asm --arch x86_64 --cpu nehalem | FileCheck %s --check-prefix=W128
// RUN: tenon-compile %s -s asm --arch aarch64 --cpu generic | FileCheck %s --check-prefix=A64
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu haswell | FileCheck %s --check-prefix=LLVM

// An elementwise chain is one bottom-tested loop of whole vectors without calls. There is no
// tail, because the size is a multiple of the vector width.
//
// LLVM: define {{.*}}@loop.0.phase0(
// LLVM: load <8 x float>
// LLVM-NEXT: call <8 x float> @llvm.fabs.v8f32
// LLVM-NEXT: call <8 x float> @llvm.sqrt.v8f32
// LLVM: store <8 x float>
// LLVM: br i1
// LLVM-NOT: load <
// LLVM: ret void
//
// W512-LABEL: loop.0.phase0:
// W512: vsqrtps %zmm
// W512-NOT: call
// W512: addq $16,
// W512-NOT: vsqrt
// W512: retq
//
// W256-LABEL: loop.0.phase0:
// W256: vsqrtps %ymm
// W256-NOT: call
// W256: addq $8,
// W256-NOT: vsqrt
// W256: retq
//
// W128-LABEL: loop.0.phase0:
// W128: {{[[:space:]]}}sqrtps %xmm
// W128-NOT: call
// W128: addq $4,
// W128-NOT: sqrt
// W128: retq
//
// A64-LABEL: loop.0.phase0:
// A64: ldr q{{[0-9]+}},
// A64: fabs v{{[0-9]+}}.4s
// A64: fsqrt v{{[0-9]+}}.4s
// A64: str q{{[0-9]+}},
// A64-NOT: bl
// A64: ret
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.abs %x : tensor<1024xf32>
  %1 = stablehlo.sqrt %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
