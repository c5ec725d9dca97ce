// An item loads and stores 16 bytes at a time where all accesses are contiguous and aligned. Memory that
// a kernel does not write is read through the read-only cache.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: tenon-compile %t/aligned.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*device.ptx | FileCheck %t/aligned.mlir
// RUN: rm %t/*.ptx && tenon-compile %t/tail.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*device.ptx | FileCheck %t/tail.mlir
// RUN: rm %t/*.ptx && tenon-compile %t/rows.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*device.ptx | FileCheck %t/rows.mlir
// RUN: rm %t/*.ptx && tenon-compile %t/slice.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*device.ptx | FileCheck %t/slice.mlir
// RUN: rm %t/*.ptx && tenon-compile %t/in_place.mlir --target nvptx64:sm_90a --dump %t -o %t/image
// RUN: cat %t/*device.ptx | FileCheck %t/in_place.mlir

//--- aligned.mlir
// Two dimensions are one loop. The loads of all iterations may be under way.
// CHECK-NOT: bra
// CHECK: ld.global.nc.v4.b32
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: ld.global.nc.b32
func.func @main(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.add %x, %y : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

//--- tail.mlir
// The last element has code of its own.
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
// CHECK: ld.global.nc.b16
// CHECK: st.global.b16
func.func @main(%x: tensor<100001xbf16>) -> tensor<100001xbf16> {
  %0 = stablehlo.add %x, %x : tensor<100001xbf16>
  return %0 : tensor<100001xbf16>
}

//--- rows.mlir
// Every other row begins between vectors of 16 bytes.
// CHECK-NOT: .v4
// CHECK: ld.global.nc.v2.b32
func.func @main(%x: tensor<1000x510xf32>, %y: tensor<510xf32>) -> tensor<1000x510xf32> {
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<510xf32>) -> tensor<1000x510xf32>
  %0 = stablehlo.add %x, %b : tensor<1000x510xf32>
  return %0 : tensor<1000x510xf32>
}

//--- slice.mlir
// All rows do.
// CHECK-NOT: .v4
// CHECK: ld.global.nc.b32
func.func @main(%x: tensor<1000x1024xf32>) -> tensor<1000x512xf32> {
  %s = stablehlo.slice %x [0:1000, 1:513] : (tensor<1000x1024xf32>) -> tensor<1000x512xf32>
  %0 = stablehlo.add %s, %s : tensor<1000x512xf32>
  return %0 : tensor<1000x512xf32>
}

//--- in_place.mlir
// The argument's memory is written, so it is not read-only.
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<100000xf32> {tf.aliasing_output = 0 : i32}) -> tensor<100000xf32> {
  %0 = stablehlo.add %x, %x : tensor<100000xf32>
  return %0 : tensor<100000xf32>
}
