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

// What the function of a phase computes. Phases with equal code share a function.
struct PhaseArguments {
  int first_phase = 0;           // of the phases that share the function
  llvm::Value* phase = nullptr;  // i64: the phase that runs
  llvm::Value* chunk = nullptr;  // i64
};

// A plan and the emitter of its phases.
struct StructuredKernel {
  StructuredPlan plan;
  // Emits the body of a phase. The kernel's arguments are bound.
  std::function<Status(PointEmitter&, const PhaseArguments&, BlockEmitter)> emit_phase;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_STRUCTURED_KERNEL_H_
