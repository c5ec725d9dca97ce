// A Cholesky factorization is one kernel. It works on panels of columns and keeps a group of their
// rows in registers while it subtracts multiples of the rows above. There is no loop of the program
// and no separate product.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s

// PROGRAM-LABEL: tenon.program @main
// PROGRAM-NOT: tenon.while
// PROGRAM-COUNT-2: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.linalg cholesky

// Sixteen panels are read, the first one is factored, and the others are updated.
// CHECK-LABEL: define {{.*}}void @linalg.0(
// CHECK: i64 16)
// CHECK: i64 15)
// CHECK: i64 2)
// CHECK-LABEL: define internal void @linalg.0.phase0.1(
// The loop over rows: two vectors of one row, eight factors, sixteen sums.
// CHECK: phi <16 x float>
// CHECK-COUNT-15: phi <16 x float>
// CHECK-NOT: phi <16 x float>
// CHECK: load <16 x float>
// CHECK: load <16 x float>
// CHECK-COUNT-16: call {{.*}}<16 x float> @llvm.fma
// CHECK: br i1
func.func public @main(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
