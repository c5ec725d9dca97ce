// RUN: tenon-compile %s -s asm --target aarch64:neoverse-v1 | FileCheck %s --check-prefix=A64
// RUN: tenon-compile %s -s asm --target neoverse-v1 | FileCheck %s --check-prefix=A64
// RUN: tenon-compile %s -s asm --target aarch64 | FileCheck %s --check-prefix=A64
// RUN: tenon-compile %s -s asm --target x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: tenon-compile %s -s asm --target x86_64:x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tenon-compile %s -s asm --target x86-64-v2 | FileCheck %s --check-prefix=V2
// RUN: tenon-compile %s -s asm --target x86_64 | FileCheck %s --check-prefix=V2
// RUN: tenon-compile %s -s asm --target x86-64-v2,aarch64 | FileCheck %s --check-prefix=V2
// RUN: tenon-compile %s --target x86-64-v2,aarch64,native -o %t
// RUN: head -c 8 %t | grep -c Tenon
// RUN: not tenon-compile %s --target sloth 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tenon-compile %s --target aarch64:znver4 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not tenon-compile %s --target host,,aarch64 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tenon-compile %s --target x86-64-v3,aarch64 --features=+avx2 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not tenon-compile %s --target host --cpu znver4 2>&1 | FileCheck %s --check-prefix=BOTH

// Target names. Each target is planned and compiled with its own registers; of several, the first
// is shown. Processors with scalable vectors get code with 128-bit vectors.
//
// A64-LABEL: loop.0.phase0:
// A64-NOT: {{[[:space:]]}}z{{[0-9]+}}
// A64: fmul v{{[0-9]+}}.4s
// A64-NOT: {{[[:space:]]}}z{{[0-9]+}}
// A64: ret
// V4-LABEL: loop.0.phase0:
// V4: vmulps {{.*}}%zmm
// V3-LABEL: loop.0.phase0:
// V3: vmulps {{.*}}%ymm
// V2-LABEL: loop.0.phase0:
// V2: {{[[:space:]]}}mulps
// UNKNOWN: tenon-compile: INVALID_ARGUMENT: unknown target 'sloth': use host, an architecture ({{.*}}), LLVM's name of a processor, or ARCHITECTURE:PROCESSOR
// MIXED: tenon-compile: INVALID_ARGUMENT: unknown target 'aarch64:znver4'
// EMPTY: tenon-compile: INVALID_ARGUMENT: unknown target ''
// FEATURE: tenon-compile: INVALID_ARGUMENT: unknown feature '+avx2' of aarch64
// BOTH: excludes
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
