#include "tenon/compiler/kernels/loop_counter.h"

#include "tenon/compiler/codegen/elementwise/element_value.h"
#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/dialects/tenon/tensor_types.h"
#include "tenon/compiler/kernels/point_ops.h"

namespace tenon::compiler {

std::optional<int64_t> SmallIntegerOf(mlir::Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant || !IsSplatConstant(constant)) return std::nullopt;
  ElementType type = ir::ElementTypeOfShaped(value.getType());
  if (!IsInteger(type) || ElementBits(type) > 32) return std::nullopt;
  llvm::APInt number = llvm::cast<mlir::DenseElementsAttr>(constant.getValue())
                           .getSplatValue<llvm::APInt>();
  return IsSignedInteger(type) ? number.getSExtValue()
                               : static_cast<int64_t>(number.getZExtValue());
}

std::optional<LoopCounter> CounterOf(stablehlo::WhileOp loop) {
  mlir::Block &condition = loop.getCond().front(), &body = loop.getBody().front();
  auto compare =
      condition.getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare.getComparisonDirection() != stablehlo::ComparisonDirection::LT)
    return std::nullopt;
  for (mlir::Operation& op : condition.without_terminator())
    if (&op != compare && !IsSplatConstant(&op)) return std::nullopt;
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  if (!argument || argument.getOwner() != &condition || !IsRankZero(argument.getType()))
    return std::nullopt;
  LoopCounter counter{argument.getArgNumber()};
  auto last = SmallIntegerOf(compare.getRhs());
  auto first = SmallIntegerOf(loop.getOperand()[counter.number]);
  mlir::Value carried = body.getArgument(counter.number);
  auto next =
      body.getTerminator()->getOperand(counter.number).getDefiningOp<stablehlo::AddOp>();
  if (!last || !first || !next) return std::nullopt;
  bool forward = next.getLhs() == carried;
  if (!forward && next.getRhs() != carried) return std::nullopt;
  auto step = SmallIntegerOf(forward ? next.getRhs() : next.getLhs());
  if (!step || *step <= 0) return std::nullopt;
  counter.first = *first;
  counter.step = *step;
  counter.rounds = std::max<int64_t>(0, (*last - *first + *step - 1) / *step);
  // Nor may it wrap around.
  ElementType type = ir::ElementTypeOfShaped(argument.getType());
  int bits = ElementBits(type) - (IsSignedInteger(type) ? 1 : 0);
  if (counter.first + counter.rounds * counter.step >= (int64_t{1} << bits))
    return std::nullopt;
  return counter;
}

}  // namespace tenon::compiler
