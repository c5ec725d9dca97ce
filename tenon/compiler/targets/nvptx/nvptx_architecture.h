// The architecture `nvptx64`: kernels for NVIDIA's processors from sm_80 on.
#ifndef TENON_COMPILER_TARGETS_NVPTX_NVPTX_ARCHITECTURE_H_
#define TENON_COMPILER_TARGETS_NVPTX_NVPTX_ARCHITECTURE_H_

namespace tenon::compiler {

// Adds the architecture. Only before the first compilation.
void AddNvptxArchitecture();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_NVPTX_ARCHITECTURE_H_
