// Two columns are interleaved with a row in each lane, by vector loads. A loop over the rows of two
// elements would stall: its scalar loads wait for earlier stores.
// RUN: tenon-compile %s --stage=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tenon-compile %s --stage=llvm --arch=x86_64 --cpu=znver4 | FileCheck %s

// PROGRAM: tenon.launch @loop.0
// PROGRAM-NOT: tenon.launch

// CHECK-LABEL: define internal void @loop.0.phase0(
// CHECK: load <16 x i32>
// CHECK: load <16 x i32>
// CHECK: shufflevector
// CHECK-NOT: masked
// CHECK: store <16 x i32>
// CHECK: store <16 x i32>
func.func public @main(%a: tensor<4096x1xi32>, %b: tensor<4096x1xi32>) -> tensor<4096x2xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<4096x1xi32>, tensor<4096x1xi32>) -> tensor<4096x2xi32>
  return %0 : tensor<4096x2xi32>
}
