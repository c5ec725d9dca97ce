// abs(sqrt(x)) on f32[1024] is one kernel with one vectorized loop: a load, both operations on a
// vector, a store, no remainder.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s
// RUN: tenon-compile %s --stage=llvm --arch=aarch64 --cpu=generic | FileCheck %s

// PROGRAM-LABEL: tenon.program @main
// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.kernel
// PROGRAM: stablehlo.sqrt
// PROGRAM-NEXT: stablehlo.abs
// PROGRAM-NOT: tenon.kernel

// CHECK: loop:
// CHECK: %[[IN:.*]] = load <[[N:[0-9]+]] x float>
// CHECK-NEXT: %[[ROOT:.*]] = call <[[N]] x float> @llvm.sqrt.v[[N]]f32(<[[N]] x float> %[[IN]])
// CHECK-NEXT: %[[ABS:.*]] = call <[[N]] x float> @llvm.fabs.v[[N]]f32(<[[N]] x float> %[[ROOT]])
// CHECK: store <[[N]] x float> %[[ABS]]
// CHECK: add {{.*}}, [[N]]
// CHECK-NEXT: icmp
// CHECK-NEXT: br i1 {{.*}}, label %loop
// CHECK-NOT: @llvm.sqrt.f32(
func.func public @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.sqrt %x : tensor<1024xf32>
  %1 = stablehlo.abs %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
