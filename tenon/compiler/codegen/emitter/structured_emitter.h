// Kernels with loops of their own (tenon.contract, convolution, fft, linalg, sort) as
// phases.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_

#include <functional>

#include "tenon/compiler/codegen/emitter/point_emitter.h"
#include "tenon/compiler/plan/structured_plan.h"

namespace tenon::codegen {

// Emits the ops of a region's block with the lanes set in the PointEmitter.
using BlockEmitter = std::function<Status(mlir::Block&)>;

// What a function of phases is emitted for.
struct PhaseSite {
  int phase = 0;                  // the first phase that it is for
  llvm::Value* number = nullptr;  // i64: the phase that runs; constant if it is one only
  llvm::Value* chunk = nullptr;
};

// A plan and what emits its phases.
struct StructuredKernel {
  StructuredPlan plan;
  // Emits the body of a phase, the kernel's arguments being bound.
  std::function<Status(PointEmitter&, const PhaseSite&, BlockEmitter)> emit_phase;
};

// The kernel of a structured op by its plan.
StructuredKernel BindStructured(mlir::Operation& op, StructuredPlan plan,
                                const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_STRUCTURED_EMITTER_H_
