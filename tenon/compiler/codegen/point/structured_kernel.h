// A structured op (tenon.contract, convolution, fft, linalg, sort), which has loops of
// its own, as phases of a kernel. Value types; used by one emitter at a time.
#ifndef TENON_COMPILER_CODEGEN_POINT_STRUCTURED_KERNEL_H_
#define TENON_COMPILER_CODEGEN_POINT_STRUCTURED_KERNEL_H_

#include <functional>

#include "tenon/compiler/codegen/ir/plan_names.h"
#include "tenon/compiler/codegen/point/point_emitter.h"

namespace tenon::codegen {

// Emits the ops of a region's block with the lanes set in the PointEmitter.
using BlockEmitter = std::function<Status(mlir::Block&)>;

// The phases that a function is emitted for.
struct PhaseSite {
  int phase = 0;                  // the first phase that the function runs
  llvm::Value* number = nullptr;  // i64: the phase that runs
  llvm::Value* chunk = nullptr;
};

// A plan and the emitter of its phases.
struct StructuredKernel {
  StructuredPlan plan;
  // Emits the body of a phase. The kernel's arguments are bound.
  std::function<Status(PointEmitter&, const PhaseSite&, BlockEmitter)> emit_phase;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_STRUCTURED_KERNEL_H_
