// A transpose goes through local memory, 64 x 64 elements of 4 bytes at a time, in rows of 65 elements.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %s

// CHECK: internal addrspace(3) global [16640 x i8] undef
// CHECK: define spir_kernel void @loop_0_phase0(
// CHECK: getelementptr float, {{.*}}@loop_0_phase0_local to ptr)
// CHECK: call spir_func void @_Z7barrierj
// CHECK: getelementptr float, {{.*}}@loop_0_phase0_local to ptr)
func.func @main(%x: tensor<1000x500xf32>) -> tensor<500x1000xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<1000x500xf32>) -> tensor<500x1000xf32>
  return %0 : tensor<500x1000xf32>
}
