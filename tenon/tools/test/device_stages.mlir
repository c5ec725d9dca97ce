// What tenon-compile writes for a device: LLVM IR of the kernels as a stage, and all code as a dump.
// RUN: tenon-compile %s --target spirv64 -s llvm | FileCheck %s
// RUN: not tenon-compile %s --target spirv64 -s asm 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: rm -rf %t
// RUN: tenon-compile %s --target spirv64 --dump %t/new/dump -o %t/image
// RUN: not tenon-compile %s --dump %t/image/dump 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: cat %t/new/dump/*.device.spirv | spirv-val --target-env opencl2.2 -
// RUN: cat %t/new/dump/*.device.spirv | spirv-dis - | FileCheck %s --check-prefix=SPIRV
// RUN: cat %t/new/dump/*.launcher.ll | FileCheck %s --check-prefix=LAUNCHER

// CHECK: define spir_kernel void @loop_0_phase0(ptr addrspace(1)
// ASM: target 'spirv64' has no stage 'asm'; --dump writes all that it has
// FOLDER: tenon-compile: cannot create the folder '{{.*}}/image/dump' of --dump: Not a directory
// SPIRV: OpEntryPoint Kernel {{.*}} "loop_0_phase0"
// LAUNCHER: define {{.*}}i32 @tenon_entry(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
