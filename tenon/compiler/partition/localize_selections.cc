#include "tenon/compiler/partition/localize_selections.h"

#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/arg_reduction.h"

namespace tenon::compiler::partition {
namespace {

// Sorts values and their positions by descending values, in the total order of floats. Of
// equal values, the first stays first.
stablehlo::SortOp SortDescending(mlir::OpBuilder& b, mlir::Location location,
                                 mlir::Value values, mlir::Value positions, int64_t dim) {
  auto sort = stablehlo::SortOp::create(
      b, location, mlir::TypeRange{values.getType(), positions.getType()},
      mlir::ValueRange{values, positions}, dim, /*is_stable=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Block* block = b.createBlock(&sort.getComparator());
  for (mlir::Value operand : {values, values, positions, positions}) {
    block->addArgument(
        mlir::RankedTensorType::get({}, mlir::getElementTypeOrSelf(operand.getType())),
        location);
  }
  stablehlo::ComparisonTypeAttr type;
  if (llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(values.getType()))) {
    type = stablehlo::ComparisonTypeAttr::get(b.getContext(),
                                              stablehlo::ComparisonType::TOTALORDER);
  }
  mlir::Value greater = stablehlo::CompareOp::create(
      b, location, mlir::RankedTensorType::get({}, b.getI1Type()), block->getArgument(0),
      block->getArgument(1), stablehlo::ComparisonDirection::GT, type);
  stablehlo::ReturnOp::create(b, location, greater);
  return sort;
}

// The first `count` elements along the last dimension.
mlir::Value FirstAlongLast(mlir::OpBuilder& b, mlir::Location location, mlir::Value value,
                           int64_t count) {
  llvm::SmallVector<int64_t> limits(ShapeOf(value));
  limits.back() = count;
  const llvm::SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  return stablehlo::SliceOp::create(
      b, location,
      mlir::RankedTensorType::get(limits, mlir::getElementTypeOrSelf(value.getType())),
      value, starts, limits, strides);
}

// `sharding` without the axes of the last dimension, which split another one if they can.
Sharding MoveLastAxes(const Sharding& sharding, llvm::ArrayRef<int64_t> shape) {
  Sharding moved = sharding;
  const Axes axes = std::exchange(moved.dims.back().axes, {});
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    Axes& taken = moved.dims[d].axes;
    if (shape[d] % (SizeOf(taken) * SizeOf(axes)) != 0) continue;
    AppendAxes(taken, axes);
    break;
  }
  return moved;
}

}  // namespace

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

bool SelectsFromParts(chlo::TopKOp op, const Sharding& current) {
  const Axes& axes = current.dims.back().axes;
  return !axes.empty() &&
         static_cast<int64_t>(op.getK()) * SizeOf(axes) < ShapeOf(op.getOperand()).back();
}

// At most k - 1 elements come before one of the first k, also within its part. Candidates
// are in the order of the parts, and both sorts are stable, so that equal values stay in
// the order of their positions.
Status Localizer::RunTopK(chlo::TopKOp op, mlir::OpBuilder& b) {
  const mlir::Location location = op.getLoc();
  const Sharding split = CurrentOf(op.getOperand());
  const Axes& axes = split.dims.back().axes;
  const auto k = static_cast<int64_t>(op.getK());
  TENON_ASSIGN_OR_RETURN(mlir::Value part, Get(op.getOperand(), split, b, location));
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : op->getResultTypes()) {
    llvm::SmallVector<int64_t> shape(ShapeOf(part));
    shape.back() = k;
    types.push_back(mlir::RankedTensorType::get(shape, mlir::getElementTypeOrSelf(type)));
  }
  auto local = chlo::TopKOp::create(b, location, types, part, b.getI64IntegerAttr(k),
                                    b.getBoolAttr(true));
  mlir::Value offset = stablehlo::ConvertOp::create(
      b, location, mlir::RankedTensorType::get({}, mlir::getElementTypeOrSelf(types[1])),
      code_.ShardOffset(axes, ShapeOf(part).back()));
  offset = stablehlo::BroadcastInDimOp::create(b, location, types[1], offset,
                                               b.getDenseI64ArrayAttr({}));
  Values candidates{local.getValues(),
                    stablehlo::AddOp::create(b, location, local.getIndices(), offset)};

  llvm::SmallVector<int64_t> shape(ShapeOf(op.getOperand()));
  shape.back() = k * SizeOf(axes);
  const Sharding whole = MoveLastAxes(split, shape);
  const mlir::Location explained = code_.Explain(location, [] {
    return std::string("top_k selects from the results of all parts");
  });
  for (mlir::Value& candidate : candidates) {
    TENON_ASSIGN_OR_RETURN(candidate,
                           Move(candidate, split, whole, shape, "", b, explained));
  }
  auto sort = SortDescending(b, location, candidates[0], candidates[1],
                             static_cast<int64_t>(shape.size()) - 1);
  for (auto [global, sorted] : llvm::zip_equal(op->getResults(), sort->getResults())) {
    PartialResult result;
    result.local = FirstAlongLast(b, location, sorted, k);
    TENON_RETURN_IF_ERROR(DefineResult(global, result, whole, b));
  }
  return OkStatus();
}

}  // namespace tenon::compiler::partition
