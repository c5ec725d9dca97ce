// What tenon-compile writes for a device: LLVM IR of the kernels as a stage, and all code as a dump.
// RUN: tenon-compile %s --target spirv64 -s llvm | FileCheck %s
// RUN: not tenon-compile %s --target spirv64 -s asm 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: rm -rf %t && mkdir %t
// RUN: tenon-compile %s --target spirv64 --dump %t -o %t/image
// RUN: cat %t/*.device.spirv | spirv-val --target-env opencl2.2 -
// RUN: cat %t/*.device.spirv | spirv-dis - | FileCheck %s --check-prefix=SPIRV
// RUN: cat %t/*.launcher.ll | FileCheck %s --check-prefix=LAUNCHER

// CHECK: define spir_kernel void @loop_0_phase0(ptr addrspace(1)
// ASM: target 'spirv64' has no stage 'asm'; --dump writes all that it has
// SPIRV: OpEntryPoint Kernel {{.*}} "loop_0_phase0"
// LAUNCHER: define {{.*}}i32 @tenon_entry(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
