#include "tenon/compiler/plan/structured_plan.h"

#include "tenon/compiler/diagnostics_to_status.h"

namespace tenon::codegen {
namespace {

StructuredPlan Wrapped(KernelPlan plan) {
  return {plan.scratch_bytes, plan.phase_chunks, plan.estimated_ns, {}, std::move(plan)};
}

StructuredPlan Wrapped(FftPlan plan) {
  StructuredPlan result{plan.scratch_bytes, {}, plan.estimated_ns, {}, {}};
  for (const FftPhase& phase : plan.phases) result.phase_chunks.push_back(phase.chunks);
  result.details = std::move(plan);
  return result;
}

template <typename Plan>
StructuredPlan WithFunctions(Plan plan) {
  return {plan.scratch_bytes, plan.phase_chunks, plan.estimated_ns, plan.function_of,
          std::move(plan)};
}

}  // namespace

StatusOr<StructuredPlan> PlanStructured(mlir::Operation& op, const TargetTraits& target) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
    return Wrapped(PlanContract(SpecOf(contract).spec, target));
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op))
    return Wrapped(PlanConv(SpecOf(convolution).spec, target));
  if (auto fft = llvm::dyn_cast<ir::FftOp>(op)) {
    if (auto plan = PlanFft(SpecOf(fft), target)) return Wrapped(std::move(*plan));
    return compiler::UnsupportedOp(op, "no kernel is generated for these lengths");
  }
  if (auto linalg = llvm::dyn_cast<ir::LinalgOp>(op))
    return WithFunctions(PlanLinalg(SpecOf(linalg), target));
  if (auto sort = llvm::dyn_cast<ir::SortOp>(op)) {
    TENON_ASSIGN_OR_RETURN(SortPlan plan, PlanSort(sort, target));
    return WithFunctions(std::move(plan));
  }
  return compiler::UnsupportedOp(op, "no kernel is generated for this op");
}

ContractNeeds NeedsInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                           mlir::Type accumulate, const TargetTraits& target) {
  KernelPlan plan = PlanContract(SpecInChunk(lhs, rhs, accumulate), target);
  return {plan.scratch_bytes, plan.estimated_ns};
}

}  // namespace tenon::codegen
