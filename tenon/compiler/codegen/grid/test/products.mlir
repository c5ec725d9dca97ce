// A product is tiled: both operands go through local memory, and the bias is added to the sums in
// registers. A convolution is a product, too.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*device.ll | FileCheck %s
// RUN: cat %t/*device.ll | FileCheck %s --check-prefix=BIAS

// Two blocks of each operand; the lines of the first are 4 numbers longer than its rows.
// CHECK: internal addrspace(3) global [8704 x i8] undef
// CHECK: internal addrspace(3) global [8192 x i8] undef
// CHECK: define spir_kernel void @contract_0_phase0({{.*}} !reqd_work_group_size ![[SIZE:[0-9]+]]
// Sixteen sums in registers, 16 deep: the next blocks are loaded, the present ones
// multiplied, and then the others stored.
// CHECK: call spir_func void @_Z7barrierj
// CHECK-COUNT-2: load <4 x float>
// CHECK-COUNT-256: call float @llvm.fma.f32
// CHECK-COUNT-4: store float
// CHECK: store <4 x float>
// CHECK: call spir_func void @_Z7barrierj
// BIAS-COUNT-4: fadd <4 x float>
// CHECK: ![[SIZE]] = !{i32 256, i32 1, i32 1}
func.func @main(%x: tensor<1024x512xf32>, %w: tensor<512x1024xf32>, %b: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
  %2 = stablehlo.add %0, %1 : tensor<1024x1024xf32>
  return %2 : tensor<1024x1024xf32>
}
