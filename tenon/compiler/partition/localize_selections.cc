#include "tenon/compiler/partition/localize_selections.h"

#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/arg_reduction.h"

namespace tenon::compiler::partition {

bool IsSelection(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce || reduce.getDimensions().size() != 1) return false;
  if (stablehlo::PositionOperand(reduce)) return true;
  // Of equal values, zeros, the sign of the selected one may depend on the grouping.
  auto position = stablehlo::PositionOperand(reduce, /*ignore_ties=*/true);
  return position && reduce.getResult(1 - *position).use_empty();
}

bool IsWorthSplitting(AxesRef axes, int64_t size) {
  return SizeOf(axes) <= size / SizeOf(axes);
}

Status Localizer::CombineSelections(stablehlo::ReduceOp op, mlir::Operation* local,
                                    const Decision& decision, mlir::OpBuilder& b) {
  const int64_t dim = op.getDimensions()[0];
  const Axes& axes = decision.operands[0].dims[dim].axes;
  const mlir::Location location = code_.Explain(op.getLoc(), [] {
    return std::string("reduce combines the results of all parts");
  });
  Values operands;
  llvm::SmallVector<mlir::Type> types;
  for (auto [result, sharding] : llvm::zip_equal(local->getResults(), decision.results)) {
    // One more dimension, for the parts.
    auto type = llvm::cast<mlir::RankedTensorType>(result.getType());
    llvm::SmallVector<int64_t> part{1};
    part.append(type.getShape().begin(), type.getShape().end());
    mlir::Value stacked = stablehlo::ReshapeOp::create(
        b, op.getLoc(), mlir::RankedTensorType::get(part, type.getElementType()), result);
    auto rank = static_cast<int64_t>(part.size());
    Sharding to = Sharding::Replicated(/*mesh=*/0, rank, /*open=*/false);
    for (int64_t d = 1; d < rank; ++d) to.dims[d] = sharding.dims[d - 1];
    Sharding from = to;
    from.dims[0].axes = axes;
    llvm::SmallVector<int64_t> shape{SizeOf(axes)};
    for (auto [size, split] : llvm::zip_equal(type.getShape(), sharding.dims))
      shape.push_back(size * SizeOf(split.axes));
    TENON_ASSIGN_OR_RETURN(operands.emplace_back(),
                           Move(stacked, from, to, shape, "", b, location));
    types.push_back(type);
  }
  // The same initial values.
  llvm::append_range(operands, local->getOperands().drop_front(types.size()));
  TENON_ASSIGN_OR_RETURN(mlir::Operation * combined, Clone(op, operands, types, b));
  llvm::cast<stablehlo::ReduceOp>(combined).setDimensions(0);
  for (auto [global, result, sharding] :
       llvm::zip_equal(op->getResults(), combined->getResults(), decision.results)) {
    Sharding whole = sharding;
    whole.unreduced.clear();
    PartialResult part;
    part.local = result;
    TENON_RETURN_IF_ERROR(DefineResult(global, part, whole, b));
  }
  return OkStatus();
}

}  // namespace tenon::compiler::partition
