// Kernels with loops of their own (tenon.contract, convolution, fft, linalg, sort): their
// phases and scratch. Pure; any thread.
#ifndef TENON_COMPILER_PLAN_STRUCTURED_PLAN_H_
#define TENON_COMPILER_PLAN_STRUCTURED_PLAN_H_

#include <variant>

#include "tenon/compiler/plan/op_specs.h"
#include "tenon/compiler/plan/sort_plan.h"

namespace tenon::codegen {

struct StructuredPlan {
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  double estimated_ns = 0;
  // Phase i runs the function of phase function_of[i] <= i. Empty: each has its own.
  std::vector<int> function_of;
  // Of the op's kind: KernelPlan for products and convolutions.
  std::variant<KernelPlan, FftPlan, LinalgPlan, SortPlan> details;
};

StructuredPlan AsStructuredPlan(KernelPlan plan);
StructuredPlan AsStructuredPlan(FftPlan plan);
StructuredPlan AsStructuredPlan(LinalgPlan plan);
StructuredPlan AsStructuredPlan(SortPlan plan);

// UNIMPLEMENTED for an op that is no structured kernel or has types it cannot do.
StatusOr<StructuredPlan> PlanStructured(mlir::Operation& op, const TargetTraits& target);

// What a tenon.contract of these types takes as part of a chunk.
struct ContractNeeds {
  int64_t scratch_bytes = 0;
  double ns = 0;  // estimated
};
ContractNeeds NeedsInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                           mlir::Type accumulate, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_STRUCTURED_PLAN_H_
