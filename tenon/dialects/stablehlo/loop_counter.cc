#include "tenon/dialects/stablehlo/loop_counter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::stablehlo {

std::optional<int64_t> SmallIntegerOf(mlir::Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue())
                        : nullptr;
  if (!dense || !dense.isSplat()) return std::nullopt;
  auto type = llvm::dyn_cast<mlir::IntegerType>(dense.getElementType());
  if (!type || type.getWidth() == 1 || type.getWidth() > 64) return std::nullopt;
  llvm::APInt number = dense.getSplatValue<llvm::APInt>();
  // Sums and products of 32-bit numbers do not overflow 64 bits.
  if (type.isUnsigned() ? !number.isIntN(32) : !number.isSignedIntN(32))
    return std::nullopt;
  return type.isUnsigned() ? static_cast<int64_t>(number.getZExtValue())
                           : number.getSExtValue();
}

std::optional<LoopCounter> CounterOf(WhileOp loop) {
  mlir::Block &condition = loop.getCond().front(), &body = loop.getBody().front();
  auto compare = condition.getTerminator()->getOperand(0).getDefiningOp<CompareOp>();
  if (!compare || compare.getComparisonDirection() != ComparisonDirection::LT)
    return std::nullopt;
  for (mlir::Operation& op : condition.without_terminator())
    if (&op != compare && !llvm::isa<ConstantOp>(op)) return std::nullopt;
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  if (!argument || argument.getOwner() != &condition ||
      llvm::cast<mlir::RankedTensorType>(argument.getType()).getRank() != 0)
    return std::nullopt;
  LoopCounter counter{argument.getArgNumber()};
  auto last = SmallIntegerOf(compare.getRhs());
  auto first = SmallIntegerOf(loop.getOperand()[counter.number]);
  mlir::Value carried = body.getArgument(counter.number);
  auto next = body.getTerminator()->getOperand(counter.number).getDefiningOp<AddOp>();
  if (!last || !first || !next) return std::nullopt;
  bool forward = next.getLhs() == carried;
  if (!forward && next.getRhs() != carried) return std::nullopt;
  auto step = SmallIntegerOf(forward ? next.getRhs() : next.getLhs());
  if (!step || *step <= 0) return std::nullopt;
  counter.first = *first;
  counter.step = *step;
  counter.trip_count = std::max<int64_t>(0, (*last - *first + *step - 1) / *step);
  // The counter must not wrap around.
  auto type = llvm::cast<mlir::IntegerType>(
      llvm::cast<mlir::RankedTensorType>(argument.getType()).getElementType());
  unsigned bits = type.getWidth() - (type.isUnsigned() ? 0 : 1);
  if (bits < 63 &&
      counter.first + counter.trip_count * counter.step >= (int64_t{1} << bits))
    return std::nullopt;
  return counter;
}

}  // namespace tenon::stablehlo
