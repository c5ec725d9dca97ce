// Items of a subgroup exchange partial results in registers, and subgroups theirs in local memory, with
// one barrier. A row that is read several times is loaded once, where an item has few elements of it.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*device.ptx | FileCheck %s

// CHECK: .reqntid 128
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: bar.sync
// CHECK-NOT: ld.global
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: bar.sync
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<4096x1024xf32>
  return %2 : tensor<4096x1024xf32>
}
