// NVIDIA's instructions for bf16, which compute two elements at a time.
#ifndef TENON_COMPILER_TARGETS_NVPTX_BF16_H_
#define TENON_COMPILER_TARGETS_NVPTX_BF16_H_

#include "tenon/compiler/targets/elementwise_options.h"

namespace tenon::compiler {

// Of sm_80 and later. The result lives as long as the process.
const Bf16Instructions& NvptxBf16Instructions();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_BF16_H_
