// NVIDIA's matrix instructions, for products that target-neutral code plans.
#ifndef TENON_COMPILER_TARGETS_NVPTX_MATRIX_H_
#define TENON_COMPILER_TARGETS_NVPTX_MATRIX_H_

#include <string_view>

#include "tenon/compiler/targets/matrix_instructions.h"

namespace tenon::compiler {

// mma.sync, ldmatrix and cp.async of sm_80 and later, and wgmma of sm_90a. The result
// lives as long as the process.
const MatrixInstructions& NvptxMatrixInstructions(std::string_view processor);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_MATRIX_H_
