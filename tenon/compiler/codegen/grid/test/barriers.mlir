// Items of a group wait for each other only where one may access what another one writes.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/separate.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %t/separate.mlir
// RUN: rm %t/*.ll && tenon-compile %t/in_place.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %t/in_place.mlir
// RUN: rm %t/*.ll && tenon-compile %t/rows.mlir --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %t/rows.mlir

//--- separate.mlir
// Each row reads its first element, and is written elsewhere.
// CHECK: define spir_kernel void @loop_0_phase0(
// CHECK-NOT: barrier
// CHECK: ret void
func.func @main(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %0 = stablehlo.slice %x [0:64, 0:1] : (tensor<64x1000xf32>) -> tensor<64x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<64x1xf32>) -> tensor<64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<64x1000xf32>
  return %3 : tensor<64x1000xf32>
}

//--- in_place.mlir
// A sum of each row must be complete before the row is overwritten: the items wait in the reduction,
// and before they store.
// CHECK: define spir_kernel void @loop_0_phase0(
// CHECK: call spir_func void @_Z7barrierj
// CHECK: fsub <4 x float>
// CHECK: ret void
func.func @main(%x: tensor<64x1000xf32> {tf.aliasing_output = 0 : i32}) -> tensor<64x1000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x1000xf32>
  return %2 : tensor<64x1000xf32>
}

//--- rows.mlir
// Many short rows: an item sums a whole row, without local memory.
// CHECK-NOT: addrspace(3)
// CHECK: define spir_kernel void @loop_0_phase0(
// CHECK-NOT: barrier
// CHECK: ret void
func.func @main(%x: tensor<100000x20xf32>) -> tensor<100000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<100000x20xf32>, tensor<f32>) -> tensor<100000xf32>
  return %0 : tensor<100000xf32>
}
