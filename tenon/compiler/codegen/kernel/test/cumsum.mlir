// A cumulative sum of a long row. Every block but the last is summed. Then each block is read once
// more and scanned in registers by shuffles. No window is summed by itself.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm | FileCheck %s

// PROGRAM-LABEL: tenon.program @main
// PROGRAM-COUNT-1: tenon.launch
// PROGRAM-NOT: tenon.launch
// PROGRAM: tenon.kernel
// PROGRAM: tenon.parallel [1, 6] grain 1
// PROGRAM: tenon.reduce [16384]
// PROGRAM: tenon.parallel [1, 7] grain 1
// PROGRAM: tenon.scan
// PROGRAM: stablehlo.abs
// PROGRAM: store {
// PROGRAM: stablehlo.negate
// PROGRAM: tenon.store
// PROGRAM-NOT: tenon.kernel

// CHECK: load <[[N:[0-9]+]] x float>
// CHECK-LABEL: define internal void @scan.0.phase1(
// CHECK: %[[X:.*]] = load <[[N]] x float>
// CHECK: call <[[N]] x float> @llvm.fabs
// CHECK: shufflevector <[[N]] x float>
// CHECK-NEXT: fadd {{(contract )?}}<[[N]] x float>
// CHECK-NEXT: shufflevector <[[N]] x float>
// CHECK-NEXT: fadd {{(contract )?}}<[[N]] x float>
// CHECK: store <[[N]] x float>
// CHECK-NEXT: add {{.*}}, [[N]]
// CHECK-NEXT: icmp
// CHECK-NEXT: br i1 {{.*}}, label %loop
func.func public @main(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.abs %x : tensor<100000xf32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[99999, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 100000>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %1 = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<100000xf32>, tensor<f32>) -> tensor<100000xf32>
  %2 = stablehlo.negate %0 : tensor<100000xf32>
  return %2 : tensor<100000xf32>
}
