// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu haswell | FileCheck %s
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu nehalem | FileCheck %s --check-prefix=OTHER

// The remainder after whole vectors is one masked vector, not a loop of scalars. It is stored in
// parts: many processors take long for masked stores without mask registers.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=MASKS
//
// CHECK: define {{.*}}@loop.0.phase0(
// CHECK: load <8 x float>
// CHECK: call <8 x float> @llvm.masked.load.v8f32
// CHECK-NOT: masked.store
// CHECK: store <2 x float> %{{.*}}, ptr %[[REST:.*]], align 4
// CHECK: %[[LAST:.*]] = getelementptr [4 x i8], ptr %[[REST]], i64 1
// CHECK: store <2 x float> %{{.*}}, ptr %[[LAST]], align 4
// CHECK: ret void
//
// MASKS: call void @llvm.masked.store.v16f32
//
// OTHER: define {{.*}}@loop.0.phase0(
// OTHER: load <4 x float>
// OTHER: ret void
func.func @main(%x: tensor<1003xf32>) -> tensor<1003xf32> {
  %0 = stablehlo.negate %x : tensor<1003xf32>
  return %0 : tensor<1003xf32>
}
