// A reduction over no more elements than its accumulators hold is not a loop.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s
//
// CHECK-LABEL: define internal void @loop.0.phase0(
// CHECK-NOT: phi <16 x float>
// CHECK-COUNT-4: fsub <16 x float>
// CHECK-NOT: fsub <16 x float>
// CHECK-NOT: phi <16 x float>
// CHECK: ret void
func.func @main(%x: tensor<100x64xf32>, %y: tensor<100x64xf32>) -> tensor<100x100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<100x64xf32>) -> tensor<100x100x64xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<100x64xf32>) -> tensor<100x100x64xf32>
  %d = stablehlo.subtract %a, %b : tensor<100x100x64xf32>
  %s = stablehlo.multiply %d, %d : tensor<100x100x64xf32>
  %0 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<100x100x64xf32>, tensor<f32>) -> tensor<100x100xf32>
  return %0 : tensor<100x100xf32>
}
