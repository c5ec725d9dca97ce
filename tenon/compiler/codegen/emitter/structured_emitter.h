// Kernels with loops of their own (tenon.contract, convolution, sort) as phases.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_

#include <functional>

#include "tenon/compiler/codegen/contract/contract.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"

namespace tenon::codegen {

// Emits the ops of a region's block with the lanes set in the PointEmitter.
using BlockEmitter = std::function<Status(mlir::Block&)>;

struct StructuredKernel {
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  double estimated_ns = 0;
  // Emits the body of phase `phase` for chunk `chunk`, the kernel's arguments being
  // bound.
  std::function<Status(PointEmitter&, int phase, llvm::Value* chunk, BlockEmitter)>
      emit_phase;
};

// UNIMPLEMENTED for an op that is no structured kernel or has types it cannot do.
StatusOr<StructuredKernel> PlanStructured(mlir::Operation& op,
                                          const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_
