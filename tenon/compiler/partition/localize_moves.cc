// Moves of parts, and ops on partial results.
#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/redistribute.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

// The minor axes of a dimension that are all in `axes`, which has the same cuts.
Axes MinorAxesIn(AxesRef dim, AxesRef axes) {
  size_t first = dim.size();
  while (first > 0 && llvm::is_contained(axes, dim[first - 1])) --first;
  return Axes(dim.drop_front(first));
}

Axes Without(AxesRef axes, AxesRef removed) {
  Axes kept;
  for (Axis axis : axes) {
    if (!llvm::is_contained(removed, axis)) kept.push_back(axis);
  }
  return kept;
}

mlir::Value Zeros(mlir::OpBuilder& b, mlir::Location location,
                  mlir::RankedTensorType type) {
  mlir::TypedAttr zero = b.getZeroAttr(type.getElementType());
  if (!zero) return {};
  return stablehlo::ConstantOp::create(b, location,
                                       mlir::DenseElementsAttr::get(type, zero));
}

// Whether the op of sums is the sum of the op: of its results if the operands in the
// result are partial sums. Marks these operands.
bool IsLinear(mlir::Operation* op, llvm::ArrayRef<bool> is_partial,
              llvm::SmallVectorImpl<bool>& must_be_partial) {
  must_be_partial.assign(op->getNumOperands(), false);
  if (llvm::isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::NegOp,
                stablehlo::TransposeOp, stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp,
                stablehlo::ReverseOp, stablehlo::SliceOp, stablehlo::ConcatenateOp>(op)) {
    must_be_partial.assign(op->getNumOperands(), true);
    return true;
  }
  if (llvm::isa<stablehlo::DynamicSliceOp, stablehlo::ConvertOp>(op)) {
    must_be_partial[0] = true;
    return !llvm::isa<stablehlo::ConvertOp>(op) ||
           (llvm::isa<mlir::FloatType>(TypeOf(op->getOperand(0)).getElementType()) &&
            llvm::isa<mlir::FloatType>(TypeOf(op->getResult(0)).getElementType()));
  }
  if (llvm::isa<stablehlo::DynamicUpdateSliceOp>(op)) {
    must_be_partial[0] = must_be_partial[1] = true;
    return true;
  }
  if (llvm::isa<stablehlo::SelectOp>(op)) {
    must_be_partial[1] = must_be_partial[2] = true;
    return true;
  }
  // Products with a value that is the same on every device.
  if (llvm::isa<stablehlo::MulOp, stablehlo::DotGeneralOp>(op) &&
      is_partial[0] != is_partial[1]) {
    must_be_partial.assign(is_partial.begin(), is_partial.end());
    return true;
  }
  if (llvm::isa<stablehlo::DivOp>(op) && is_partial[0] && !is_partial[1] &&
      !TypeOf(op->getResult(0)).getElementType().isInteger()) {
    must_be_partial[0] = true;
    return true;
  }
  return false;
}

}  // namespace

mlir::Value Localizer::ChangeOrder(mlir::Value local, int32_t from, int32_t to,
                                   mlir::OpBuilder& b, mlir::Location location) {
  if (from == to) return local;
  const DeviceOrder& source = shardings_.orders[from];
  const DeviceOrder& target = shardings_.orders[to];
  llvm::SmallVector<int64_t> pairs;
  for (int64_t position = 0; position < code_.mesh().num_devices(); ++position) {
    pairs.push_back(source.empty() ? position : source[position]);
    pairs.push_back(target.empty() ? position : target[position]);
  }
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(pairs.size()) / 2, 2},
                                          b.getI64Type());
  mlir::OperationState state(location,
                             stablehlo::CollectivePermuteOp::getOperationName());
  state.addOperands(local);
  state.addTypes(local.getType());
  state.addAttribute("source_target_pairs", mlir::DenseIntElementsAttr::get(
                                                type, llvm::ArrayRef<int64_t>(pairs)));
  state.addAttribute("channel_handle", stablehlo::ChannelHandleAttr::get(
                                           b.getContext(), /*handle=*/1, /*type=*/1));
  return b.create(state)->getResult(0);
}

mlir::Value Localizer::SpreadAsPartial(mlir::Value local, Sharding& from,
                                       const Sharding& to, mlir::OpBuilder& b,
                                       mlir::Location location) {
  if (to.unreduced.empty() || to.reduction != sdy::ReductionOp::SUM) return local;
  if (!from.unreduced.empty() && from.reduction != sdy::ReductionOp::SUM) return local;
  Axes cuts = from.UsedAxes();
  cuts.append(from.unreduced);
  const Axes wanted =
      Without(SplitAt(to.unreduced, cuts), SplitAt(from.unreduced, to.unreduced));
  auto type = TypeOf(local);
  llvm::SmallVector<int64_t> shape(type.getShape());
  llvm::SmallVector<mlir::Value> starts(shape.size());
  Axes spread;
  for (auto [i, dim] : llvm::enumerate(from.dims)) {
    const Axes axes = SplitAt(dim.axes, to.unreduced);
    const Axes moved = MinorAxesIn(axes, wanted);
    if (moved.empty()) continue;
    starts[i] = code_.ShardOffset(moved, shape[i]);
    shape[i] *= SizeOf(moved);
    spread.append(moved);
    dim.axes.clear();
    AppendAxes(dim.axes, AxesRef(axes).drop_back(moved.size()));
  }
  if (spread.empty()) return local;
  from.unreduced.append(spread);
  SortAndMerge(from.unreduced);
  for (mlir::Value& start : starts) {
    if (!start) start = code_.Constant(0);
  }
  mlir::Value zeros = Zeros(b, location, type.clone(shape));
  return stablehlo::DynamicUpdateSliceOp::create(b, location, zeros.getType(), zeros,
                                                 local, starts);
}

StatusOr<mlir::Value> Localizer::Move(mlir::Value local, Sharding from,
                                      const Sharding& to, llvm::ArrayRef<int64_t> shape,
                                      llvm::StringRef combiner, mlir::OpBuilder& b,
                                      mlir::Location location) {
  local = SpreadAsPartial(local, from, to, b, location);
  return Redistribute(b, location, local, {from, to, shape, combiner}, code_);
}

bool Localizer::KeepPartial(mlir::Operation* op, Decision& decision) const {
  if (op->getNumResults() != 1 || !shardings_.Find(op->getResult(0))) return false;
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  const Sharding wanted = WantedFor(op->getResult(0));
  if (!type || type.getElementType().isInteger(1) || wanted.unreduced.empty() ||
      wanted.reduction != sdy::ReductionOp::SUM ||
      !decision.results[0].unreduced.empty()) {
    return false;
  }
  llvm::SmallVector<bool> is_partial, must_be_partial;
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), decision.operands)) {
    const Sharding current = CurrentOf(operand);
    is_partial.push_back(current.unreduced == wanted.unreduced &&
                         current.reduction == sdy::ReductionOp::SUM);
    for (Axis axis : sharding.UsedAxes()) {
      if (OverlapsAny(axis, wanted.unreduced)) return false;
    }
  }
  if (!llvm::is_contained(is_partial, true) ||
      !IsLinear(op, is_partial, must_be_partial)) {
    return false;
  }
  for (auto [sharding, partial] : llvm::zip_equal(decision.operands, must_be_partial)) {
    if (partial) sharding.unreduced = wanted.unreduced;
  }
  decision.results[0].unreduced = wanted.unreduced;
  return true;
}

}  // namespace tenon::compiler::partition
