// Squared distances of points to 10 centres, which each lane computes whole. Chunks of the loop begin
// with a row of the result, so that the columns of lanes are constants, and no lane's index is divided.
// RUN: tenon-compile %s --stage=llvm --cpu=x86-64-v3 | FileCheck %s

// CHECK-LABEL: define internal void @loop.0.phase0
// CHECK: loop:
// CHECK-NOT: {{urem|udiv|extractelement}} <
// CHECK: sdiv exact i64 %{{.*}}, 10
func.func @main(%x: tensor<20000x8xf32>, %c: tensor<10x8xf32>) -> tensor<20000x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<20000x8xf32>) -> tensor<20000x10x8xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<10x8xf32>) -> tensor<20000x10x8xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<20000x10x8xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<20000x10x8xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<20000x10x8xf32>, tensor<f32>) -> tensor<20000x10xf32>
  return %4 : tensor<20000x10xf32>
}
