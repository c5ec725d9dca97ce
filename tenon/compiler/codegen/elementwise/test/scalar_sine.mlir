// The sine of a scalar is computed in a small register, and a small angle is not reduced.
// RUN: tenon-compile %s --stage=llvm | FileCheck %s

// CHECK-LABEL: define hidden i32 @tenon_entry
// CHECK: br i1 {{.*}}, label %reduce, label %reduced
// CHECK: reduced:
// CHECK: phi <4 x float>
// CHECK: extractelement <4 x float>
func.func public @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  return %0 : tensor<f32>
}
