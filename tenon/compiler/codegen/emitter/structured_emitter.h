// Kernels with loops of their own (tenon.contract, convolution, fft, linalg, sort) as
// phases.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_

#include <functional>

#include "tenon/compiler/codegen/contract/contract.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"
#include "tenon/compiler/codegen/fft/fft_plan.h"

namespace tenon::codegen {

// Emits the ops of a region's block with the lanes set in the PointEmitter.
using BlockEmitter = std::function<Status(mlir::Block&)>;

// What a function of phases is emitted for.
struct PhaseSite {
  int phase = 0;                  // the first phase that it is for
  llvm::Value* number = nullptr;  // i64: the phase that runs; constant if it is one only
  llvm::Value* chunk = nullptr;
};

struct StructuredKernel {
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  double estimated_ns = 0;
  // Emits the body of a phase, the kernel's arguments being bound.
  std::function<Status(PointEmitter&, const PhaseSite&, BlockEmitter)> emit_phase;
  // Phase i runs the function of phase function_of[i] <= i. Empty: each has its own.
  std::vector<int> function_of;
};

// A transform from an array of one type to one of the other.
FftSpec FftSpecOf(mlir::ShapedType input, mlir::ShapedType output,
                  llvm::ArrayRef<int64_t> lengths, bool inverse);

// What a tenon.contract of these types takes as part of a chunk.
struct ContractNeeds {
  int64_t scratch_bytes = 0;
  double ns = 0;  // estimated
};
ContractNeeds NeedsInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                           mlir::Type accumulate, const TargetTraits& target);

// UNIMPLEMENTED for an op that is no structured kernel or has types it cannot do.
StatusOr<StructuredKernel> PlanStructured(mlir::Operation& op,
                                          const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_
