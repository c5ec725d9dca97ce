// RUN: tenon-compile %s -s program | FileCheck %s

// The transpose of an outer product reads no array with a stride, so it needs no tiles.
// CHECK-LABEL: tenon.kernel @loop.0
// CHECK-NOT: tenon.tile
// An array among the operands, or a broadcast array that varies along both dimensions.
// CHECK-LABEL: tenon.kernel @loop.1
// CHECK: tenon.tile
// CHECK-LABEL: tenon.kernel @loop.2
// CHECK: tenon.tile
func.func @main(%x: tensor<120xf32>, %y: tensor<90xf32>, %z: tensor<120x90xf32>)
    -> (tensor<90x120xf32>, tensor<90x120xf32>, tensor<3x90x120xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<120xf32>) -> tensor<120x90xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<90xf32>) -> tensor<120x90xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<120x90xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<120x90xf32>) -> tensor<90x120xf32>
  %4 = stablehlo.subtract %0, %z : tensor<120x90xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<120x90xf32>) -> tensor<90x120xf32>
  %6 = stablehlo.broadcast_in_dim %z, dims = [1, 2] : (tensor<120x90xf32>) -> tensor<3x120x90xf32>
  %7 = stablehlo.sine %6 : tensor<3x120x90xf32>
  %8 = stablehlo.transpose %7, dims = [0, 2, 1] : (tensor<3x120x90xf32>) -> tensor<3x90x120xf32>
  return %3, %5, %8 : tensor<90x120xf32>, tensor<90x120xf32>, tensor<3x90x120xf32>
}
