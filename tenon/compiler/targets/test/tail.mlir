// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu haswell | FileCheck %s
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu nehalem | FileCheck %s --check-prefix=OTHER

// The remainder after whole vectors is one masked vector, not a loop of scalars.
//
// CHECK: define {{.*}}@loop.0.phase0(
// CHECK: load <8 x float>
// CHECK: call <8 x float> @llvm.masked.load.v8f32
// CHECK: call void @llvm.masked.store.v8f32
// CHECK: ret void
//
// OTHER: define {{.*}}@loop.0.phase0(
// OTHER: load <4 x float>
// OTHER: ret void
func.func @main(%x: tensor<1003xf32>) -> tensor<1003xf32> {
  %0 = stablehlo.negate %x : tensor<1003xf32>
  return %0 : tensor<1003xf32>
}
