// Kernels of structured ops, which have loops of their own (tenon.contract, convolution,
// fft, linalg, sort), as phases.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_STRUCTURED_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_STRUCTURED_EMITTER_H_

#include "tenon/compiler/codegen/point/structured_kernel.h"

namespace tenon::codegen {

// Returns the kernel of a structured op for its plan.
StructuredKernel BindStructured(mlir::Operation& op, StructuredPlan plan,
                                const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_STRUCTURED_EMITTER_H_
