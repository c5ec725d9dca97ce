// The plan of a structured op: a kernel whose loops Tenon emits itself (tenon.contract,
// convolution, fft, linalg, sort). It has the phases and the scratch. Pure functions; any
// thread.
#ifndef TENON_COMPILER_PLAN_STRUCTURED_PLAN_H_
#define TENON_COMPILER_PLAN_STRUCTURED_PLAN_H_

#include <variant>

#include "tenon/compiler/plan/op_specs.h"
#include "tenon/compiler/plan/sort_plan.h"

namespace tenon::compiler {

struct StructuredPlan {
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  double estimated_ns = 0;
  // Phase i runs the function emitted for phase function_of[i] <= i. Empty: each phase
  // has its own function.
  std::vector<int> function_of;
  // The plan of the op's kind. KernelPlan is for products and convolutions.
  std::variant<KernelPlan, FftPlan, LinalgPlan, SortPlan> details;
};

StructuredPlan AsStructuredPlan(KernelPlan plan);
StructuredPlan AsStructuredPlan(FftPlan plan);
StructuredPlan AsStructuredPlan(LinalgPlan plan);
StructuredPlan AsStructuredPlan(SortPlan plan);

// Whether products and convolutions with sums of this type are computed by tiles on a
// device (codegen/grid/tiled_product.h). plan/device_product.h has their scratch.
bool IsTiledOnDevice(ElementType accumulate);

// UNIMPLEMENTED if `op` is not a structured op, or its types are not supported.
StatusOr<StructuredPlan> PlanStructured(mlir::Operation& op, const TargetTraits& target);

// The resources of a tenon.contract of these types that is emitted inside a chunk of
// another kernel.
struct ContractResources {
  int64_t scratch_bytes = 0;
  double ns = 0;  // estimated
};
ContractResources ResourcesInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                                   mlir::Type accumulate, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_STRUCTURED_PLAN_H_
