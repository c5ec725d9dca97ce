// The architecture `spirv64`: kernels for any OpenCL device.
#ifndef TENON_COMPILER_TARGETS_SPIRV_SPIRV_ARCHITECTURE_H_
#define TENON_COMPILER_TARGETS_SPIRV_SPIRV_ARCHITECTURE_H_

namespace tenon::compiler {

// Adds the architecture and registers its LLVM target. Only before the first compilation.
void AddSpirvArchitecture();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_SPIRV_SPIRV_ARCHITECTURE_H_
