// NVIDIA's approximations of functions of f32, whose errors the PTX ISA bounds.
#ifndef TENON_COMPILER_TARGETS_NVPTX_APPROXIMATIONS_H_
#define TENON_COMPILER_TARGETS_NVPTX_APPROXIMATIONS_H_

#include "tenon/compiler/targets/elementwise_options.h"

namespace tenon::compiler {

// The result lives as long as the process.
const Approximations& NvptxApproximations();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_APPROXIMATIONS_H_
