// wgmma: products of four warps together, from shared memory (sm_90a).
#ifndef TENON_COMPILER_TARGETS_NVPTX_WGMMA_H_
#define TENON_COMPILER_TARGETS_NVPTX_WGMMA_H_

#include "tenon/compiler/targets/matrix_instructions.h"

namespace tenon::compiler {

WideProduct WgmmaProduct();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_WGMMA_H_
