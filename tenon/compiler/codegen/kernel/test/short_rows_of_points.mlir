// Distances of 8 coordinates between 2,000 points and 10: a lane computes the whole sum of
// a pair. Ten pairs are a row, so that five registers of 16 lanes are a period, in which
// no element is loaded alone.
// RUN: tenon-compile %s -s llvm --arch x86_64 --cpu znver4 | FileCheck %s
// With 13 points in a row a period of 13 registers would be too long: the last register
// ends with the last pair, and there is one copy of the code.
// RUN: sed 's/x10x/x13x/g; s/<10x/<13x/g' %s | tenon-compile - -s llvm --arch x86_64 --cpu znver4 | FileCheck %s --check-prefix=LONG
//
// CHECK-LABEL: define internal void @loop.0.phase0(
// CHECK: loop:
// CHECK-NOT: load float
// CHECK-NOT: masked.gather
// CHECK-COUNT-5: store <16 x float>
// CHECK-NOT: store
// CHECK: ret void
//
// LONG-LABEL: define internal void @loop.0.phase0(
// LONG: loop:
// LONG: store <16 x float> %[[SUM:.*]], ptr
// LONG: store <16 x float> %[[SUM]], ptr
// LONG-NOT: store <
func.func @main(%x: tensor<2000x8xf32>, %y: tensor<10x8xf32>) -> tensor<2000x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2000x8xf32>) -> tensor<2000x10x8xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<10x8xf32>) -> tensor<2000x10x8xf32>
  %d = stablehlo.subtract %a, %b : tensor<2000x10x8xf32>
  %s = stablehlo.multiply %d, %d : tensor<2000x10x8xf32>
  %0 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2000x10x8xf32>, tensor<f32>) -> tensor<2000x10xf32>
  return %0 : tensor<2000x10xf32>
}
