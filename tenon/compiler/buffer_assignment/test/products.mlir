// RUN: split-file %s %t
// RUN: tenon-compile %t/update.mlir -s program | FileCheck %s --check-prefix=UPDATE
// RUN: tenon-compile %t/turned.mlir -s program | FileCheck %s --check-prefix=TURNED

// A training step: the product that updates the weights runs after the product that reads them,
// and updates them in place.
// UPDATE: tenon.program @main parameters 3 arena {{.*}} aliases [0, -1]
// UPDATE: ^bb0({{.*}}, %[[R:.*]]: memref<64x64xf32>, %[[DX:.*]]: memref<64x64xf32>):
// UPDATE-NOT: tenon.copy
// UPDATE: tenon.launch @contract.0({{.*}}%[[DX]]
// UPDATE-NOT: tenon.copy
// UPDATE: tenon.launch @contract.1({{.*}}, %[[R]], %[[R]], {{.*}})
// UPDATE-NOT: tenon.copy
// UPDATE-NOT: tenon.launch

// A product does not overwrite its factors, or arrays that its epilogue reads at other elements.
// TURNED: tenon.program @main
// TURNED: tenon.launch @contract.0(
// TURNED: tenon.launch @contract.1(
// TURNED-COUNT-2: tenon.copy

//--- update.mlir
func.func @main(%w: tensor<64x64xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<64x64xf32>, %dy: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %rate = stablehlo.constant dense<0.01> : tensor<64x64xf32>
  %dw = stablehlo.dot_general %dy, %x, contracting_dims = [0] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = stablehlo.transpose %dw, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %dx = stablehlo.dot_general %dy, %w, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = stablehlo.multiply %t, %rate : tensor<64x64xf32>
  %n = stablehlo.subtract %w, %s : tensor<64x64xf32>
  return %n, %dx : tensor<64x64xf32>, tensor<64x64xf32>
}

//--- turned.mlir
func.func @main(%w: tensor<64x64xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<64x64xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %b = stablehlo.broadcast_in_dim %w, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.add %0, %b : tensor<64x64xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.add %2, %x : tensor<64x64xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}
