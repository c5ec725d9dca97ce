// Elements with a stride of three are loaded as whole vectors and shuffled, those of the last few
// lanes too, of which no vector reaches beyond the last element. None is loaded by itself.
// RUN: tenon-compile %s --stage=llvm --cpu=znver4 | FileCheck %s

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK-NOT: insertelement
// CHECK: load <16 x float>
// CHECK: shufflevector <16 x float>
// CHECK-NOT: insertelement
// CHECK: load <16 x float>
// CHECK-NOT: {{insertelement|masked.load}}
// CHECK: ret void
func.func public @main(%x: tensor<73x3xf32>) -> tensor<73xf32> {
  %0 = stablehlo.slice %x [0:73, 1:2] : (tensor<73x3xf32>) -> tensor<73x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<73x1xf32>) -> tensor<73xf32>
  %2 = stablehlo.negate %1 : tensor<73xf32>
  return %2 : tensor<73xf32>
}
