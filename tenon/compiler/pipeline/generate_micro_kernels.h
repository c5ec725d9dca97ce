// Generates the micro-kernels of matrix products and convolutions for built-in code.
#ifndef TENON_COMPILER_PIPELINE_GENERATE_MICRO_KERNELS_H_
#define TENON_COMPILER_PIPELINE_GENERATE_MICRO_KERNELS_H_

#include "tenon/compiler/pipeline/generate_code.h"

namespace tenon::compiler {

// Generates the shared functions (shared_code.h) of register tiles of f32 and f64 that
// plans choose for `options.target`, and calls `options.on_shared_code` with each. Does
// nothing for a target whose programs do not share tiles.
Status GenerateMicroKernels(const CodeOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_GENERATE_MICRO_KERNELS_H_
