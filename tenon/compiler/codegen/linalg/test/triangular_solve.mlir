// A triangular solve is one kernel with one phase: panels of right-hand sides, with eight rows of
// two vectors in registers. Systems with one right-hand side use narrow vectors.
// RUN: split-file %s %t
// RUN: tenon-compile %t/many.mlir --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %t/many.mlir --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s
// RUN: tenon-compile %t/one.mlir --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s --check-prefix=ONE

// PROGRAM-LABEL: tenon.program @main
// PROGRAM-NOT: tenon.while
// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.linalg triangular_solve

// CHECK-LABEL: define internal void @linalg.0.phase0.0(
// The rows of a group, then the sums of a block of products.
// CHECK-COUNT-16: fdiv {{.*}}<16 x float>
// CHECK-COUNT-16: phi <16 x float>
// CHECK-NOT: phi <16 x float>
// CHECK-COUNT-16: call {{.*}}<16 x float> @llvm.fma
// CHECK: br i1

// ONE-LABEL: define internal void @linalg.0.phase0.0(
// ONE-COUNT-8: phi <4 x float>
// ONE-NOT: <16 x float>

//--- many.mlir
func.func public @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
//--- one.mlir
func.func public @main(%a: tensor<512x512xf32>, %b: tensor<512x1xf32>) -> tensor<512x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<512x512xf32>, tensor<512x1xf32>) -> tensor<512x1xf32>
  return %0 : tensor<512x1xf32>
}
