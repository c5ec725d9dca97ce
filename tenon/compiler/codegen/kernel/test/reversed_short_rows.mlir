// Reverses rows of five elements, sixteen rows at a time. In each of five registers the loaded
// elements are at constant distances, so they are vector loads and shuffles. 256 rows leave no
// remainder.
// RUN: tenon-compile %s --stage=llvm --cpu=znver4 | FileCheck %s
// RUN: tenon-compile %s --stage=llvm --cpu=znver4 | FileCheck %s --check-prefix=STORES

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: {{insertelement|urem}}
// CHECK: load <16 x float>
// CHECK-NOT: {{insertelement|urem}}
// CHECK: shufflevector <16 x float>
// CHECK-NOT: {{insertelement|urem}}
// CHECK: ret void

// STORES-LABEL: define internal void @loop.0.phase0
// STORES-COUNT-5: store <16 x float>
// STORES-NOT: store
// STORES: ret void
func.func public @main(%x: tensor<256x5xf32>) -> tensor<256x5xf32> {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<256x5xf32>
  return %0 : tensor<256x5xf32>
}
