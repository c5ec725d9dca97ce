#include "tenon/compiler/plan/structured_plan.h"

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/plan/device_product.h"

namespace tenon::compiler {
namespace {

template <typename Plan>
StructuredPlan WithFunctions(Plan plan) {
  StructuredPlan result{
      plan.scratch_bytes, plan.phase_chunks, plan.estimated_ns, plan.function_of, {}};
  result.details = std::move(plan);
  return result;
}

}  // namespace

StructuredPlan AsStructuredPlan(KernelPlan plan) {
  StructuredPlan result{plan.scratch_bytes, plan.phase_chunks, plan.estimated_ns, {}, {}};
  result.details = std::move(plan);
  return result;
}

StructuredPlan AsStructuredPlan(FftPlan plan) {
  StructuredPlan result{plan.scratch_bytes, {}, plan.estimated_ns, {}, {}};
  for (const FftPhase& phase : plan.phases) result.phase_chunks.push_back(phase.chunks);
  result.details = std::move(plan);
  return result;
}

StructuredPlan AsStructuredPlan(LinalgPlan plan) {
  return WithFunctions(std::move(plan));
}

StructuredPlan AsStructuredPlan(SortPlan plan) { return WithFunctions(std::move(plan)); }

bool IsTiledOnDevice(ElementType accumulate) {
  const ElementType real = RealType(accumulate);
  if (IsFloat(real)) return ElementBits(real) >= 32;
  return real != ElementType::kPred && ElementBits(real) >= 8;
}

StatusOr<StructuredPlan> PlanStructured(mlir::Operation& op, const TargetTraits& target) {
  auto product = [&](KernelPlan plan, const auto& spec) {
    if (target.device && IsTiledOnDevice(spec.accumulate))
      plan.scratch_bytes = PlanDeviceProduct(spec).scratch_bytes();
    return AsStructuredPlan(std::move(plan));
  };
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    const ContractSpec spec = SpecOf(contract).spec;
    return product(PlanContract(spec, target), spec);
  }
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op)) {
    const ConvSpec spec = SpecOf(convolution).spec;
    return product(PlanConv(spec, target), spec);
  }
  if (auto fft = llvm::dyn_cast<ir::FftOp>(op)) {
    if (auto plan = PlanFft(SpecOf(fft), target))
      return AsStructuredPlan(std::move(*plan));
    return UnsupportedOp(op, "Fourier transforms of these lengths are not supported");
  }
  if (auto linalg = llvm::dyn_cast<ir::LinalgOp>(op))
    return AsStructuredPlan(PlanLinalg(SpecOf(linalg), target));
  if (auto sort = llvm::dyn_cast<ir::SortOp>(op)) {
    TENON_ASSIGN_OR_RETURN(SortPlan plan, PlanSort(sort, target));
    return AsStructuredPlan(std::move(plan));
  }
  return UnsupportedOp(op, "this op is not a structured kernel");
}

ContractResources ResourcesInChunk(mlir::MemRefType lhs, mlir::MemRefType rhs,
                                   mlir::Type accumulate, const TargetTraits& target) {
  KernelPlan plan = PlanContract(SpecInChunk(lhs, rhs, accumulate), target);
  return {plan.scratch_bytes, plan.estimated_ns};
}

}  // namespace tenon::compiler
