// RUN: tenon-compile %s -s program | FileCheck %s
// RUN: tenon-compile %s -s llvm | FileCheck %s --check-prefix=LLVM

// Whole rows of the result are written, in one phase.
//
// CHECK: tenon.kernel @concatenate.0
// CHECK: tenon.parallel [256]
// CHECK-COUNT-2: tenon.map
// CHECK-NOT: tenon.parallel
//
// Long contiguous ranges are moved by memmove.
// LLVM-LABEL: define {{.*}}@concatenate.0.phase0(
// LLVM-COUNT-2: call void @llvm.memmove
// LLVM-NOT: load <
// LLVM: ret void
func.func @main(%x: tensor<256x1024xf32>, %y: tensor<256x512xf32>) -> tensor<256x1536xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<256x1024xf32>, tensor<256x512xf32>) -> tensor<256x1536xf32>
  return %0 : tensor<256x1536xf32>
}
