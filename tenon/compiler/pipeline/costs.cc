#include "tenon/compiler/pipeline/costs.h"

#include "llvm/Support/MathExtras.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

Costs operator+(Costs a, Costs b) {
  return {a.flops + b.flops, a.transcendentals + b.transcendentals};
}
Costs operator*(double times, Costs costs) {
  return {times * costs.flops, times * costs.transcendentals};
}

double Elements(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? static_cast<double>(type.getNumElements()) : 0.0;
}

double Product(llvm::ArrayRef<int64_t> sizes) {
  double product = 1;
  for (int64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

bool IsTranscendental(mlir::Operation* op) {
  return llvm::isa<stablehlo::Atan2Op, stablehlo::CbrtOp, stablehlo::CosineOp,
                   stablehlo::ExpOp, stablehlo::Expm1Op, stablehlo::LogOp,
                   stablehlo::Log1pOp, stablehlo::LogisticOp, stablehlo::PowOp,
                   stablehlo::RsqrtOp, stablehlo::SineOp, stablehlo::SqrtOp,
                   stablehlo::TanOp, stablehlo::TanhOp>(op);
}

Costs OfOp(mlir::Operation* op);

Costs OfRegion(mlir::Region& region) {
  Costs costs;
  for (mlir::Operation& op : region.getOps()) costs = costs + OfOp(&op);
  return costs;
}

Costs OfBranches(mlir::Operation* op) {
  Costs most_expensive;
  for (mlir::Region& region : op->getRegions()) {
    Costs costs = OfRegion(region);
    if (costs.flops + costs.transcendentals >
        most_expensive.flops + most_expensive.transcendentals)
      most_expensive = costs;
  }
  return most_expensive;
}

Costs OfOp(mlir::Operation* op) {
  if (op->getNumResults() == 0) return {};
  const double results = Elements(op->getResult(0));
  if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    double k = 1;
    auto lhs = llvm::cast<mlir::RankedTensorType>(dot.getLhs().getType());
    for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      k *= static_cast<double>(lhs.getDimSize(dim));
    return {2 * k * results, 0};
  }
  if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
    auto kernel = llvm::cast<mlir::RankedTensorType>(conv.getRhs().getType());
    auto features = static_cast<double>(
        kernel.getDimSize(conv.getDimensionNumbers().getKernelOutputFeatureDimension()));
    return {2 * results * Elements(conv.getRhs()) / std::max(features, 1.0), 0};
  }
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
    return (Elements(reduce.getInputs()[0]) - results) * OfRegion(reduce.getBody());
  if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op))
    return results * (Product(window.getWindowDimensions()) - 1) *
           OfRegion(window.getBody());
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op))
    return Elements(scatter.getUpdates()[0]) * OfRegion(scatter.getUpdateComputation());
  if (auto sort = llvm::dyn_cast<stablehlo::SortOp>(op)) {
    const double elements = Elements(sort.getInputs()[0]);
    return {elements * llvm::Log2_64_Ceil(
                           std::max<uint64_t>(static_cast<uint64_t>(elements), 1)),
            0};
  }
  if (llvm::isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) return OfBranches(op);
  if (op->getNumRegions() > 0) {
    Costs costs;
    for (mlir::Region& region : op->getRegions()) costs = costs + OfRegion(region);
    return costs;
  }
  if (op->getNumOperands() == 0) return {};
  if (IsTranscendental(op)) return {0, results};
  // an elementwise function
  if (llvm::isa<stablehlo::CompositeOp>(op)) return {0, results};
  const bool elementwise = op->hasTrait<mlir::OpTrait::Elementwise>() ||
                           llvm::isa<stablehlo::SelectOp, stablehlo::ClampOp>(op);
  return {elementwise ? results : 0, 0};
}

}  // namespace

Costs CountCosts(mlir::func::FuncOp function) { return OfRegion(function.getBody()); }

}  // namespace tenon::compiler
