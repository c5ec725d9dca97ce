#include "tenon/compiler/analysis/sort_order.h"

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

using stablehlo::CompareOp;
using stablehlo::ComparisonDirection;

class Recognizer {
 public:
  explicit Recognizer(mlir::Block& block) : block_(block) {}

  std::optional<SortOrder> Run() {
    if (!Keys(block_.getTerminator()->getOperand(0))) return std::nullopt;
    for (const SortKey& key : order_.keys) {
      int bits = SortKeyBits(key.type);
      if (bits == 0) return std::nullopt;
      order_.bits += bits;
    }
    if (order_.bits > 64) return std::nullopt;
    for (mlir::Operation& op : block_.without_terminator())
      if (needed_.contains(&op)) order_.ops.push_back(&op);
    llvm::sort(order_.operands);
    order_.operands.erase(llvm::unique(order_.operands), order_.operands.end());
    order_.is_value = order_.keys.size() == 1 && IsValue(order_.keys[0].value);
    return std::move(order_);
  }

 private:
  // Whether x and y apply the same function to the arguments of opposite sides. `x_side`
  // is 0 if x reads the left arguments (a), 1 if it reads the right ones (b).
  bool SameOnOppositeSides(mlir::Value x, mlir::Value y, unsigned x_side) {
    if (x.getType() != y.getType()) return false;
    auto x_argument = llvm::dyn_cast<mlir::BlockArgument>(x);
    auto y_argument = llvm::dyn_cast<mlir::BlockArgument>(y);
    if (x_argument || y_argument) {
      if (x == y) return x.getParentBlock() != &block_;  // a scalar from outside
      if (!x_argument || !y_argument || x_argument.getOwner() != &block_ ||
          y_argument.getOwner() != &block_)
        return false;
      return x_argument.getArgNumber() % 2 == x_side &&
             y_argument.getArgNumber() == (x_argument.getArgNumber() ^ 1);
    }
    mlir::Operation *x_op = x.getDefiningOp(), *y_op = y.getDefiningOp();
    if (x_op->getBlock() != &block_ || y_op->getBlock() != &block_) return x == y;
    if (x_op->getName() != y_op->getName() || x_op->getNumResults() != 1 ||
        y_op->getNumResults() != 1 || x_op->getNumRegions() != 0 ||
        x_op->getNumOperands() != y_op->getNumOperands() ||
        x_op->getAttrDictionary() != y_op->getAttrDictionary())
      return false;
    return llvm::all_of(
        llvm::zip_equal(x_op->getOperands(), y_op->getOperands()), [&](auto pair) {
          return SameOnOppositeSides(std::get<0>(pair), std::get<1>(pair), x_side);
        });
  }

  // Marks the ops and arguments that `value` is computed from.
  void Need(mlir::Value value) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      if (argument.getOwner() == &block_)
        order_.operands.push_back(argument.getArgNumber() / 2);
      return;
    }
    mlir::Operation* op = value.getDefiningOp();
    if (op->getBlock() != &block_ || !needed_.insert(op).second) return;
    for (mlir::Value operand : op->getOperands()) Need(operand);
  }

  // A comparison f(a) < f(b), or the like. The sides of a comparison of f(b) with f(a)
  // are swapped.
  struct Comparison {
    mlir::Value left;
    ComparisonDirection direction;
    bool total_order;
  };
  std::optional<Comparison> AsComparison(mlir::Value value) {
    auto compare = value.getDefiningOp<CompareOp>();
    if (!compare) return std::nullopt;
    auto type = compare.getCompareType();
    bool total = type && *type == stablehlo::ComparisonType::TOTALORDER;
    ComparisonDirection direction = compare.getComparisonDirection();
    if (SameOnOppositeSides(compare.getLhs(), compare.getRhs(), 0))
      return Comparison{compare.getLhs(), direction, total};
    if (!SameOnOppositeSides(compare.getLhs(), compare.getRhs(), 1)) return std::nullopt;
    if (direction == ComparisonDirection::LT)
      direction = ComparisonDirection::GT;
    else if (direction == ComparisonDirection::GT)
      direction = ComparisonDirection::LT;
    return Comparison{compare.getRhs(), direction, total};
  }

  bool AddKey(mlir::Value value) {
    auto comparison = AsComparison(value);
    if (!comparison) return false;
    bool descending = comparison->direction == ComparisonDirection::GT;
    if (!descending && comparison->direction != ComparisonDirection::LT) return false;
    Need(comparison->left);
    order_.keys.push_back({comparison->left,
                           ir::ElementTypeOfShaped(comparison->left.getType()),
                           descending, comparison->total_order});
    return true;
  }

  // Whether `value` says that the last key added is equal on both sides.
  bool IsTie(mlir::Value value) {
    auto comparison = AsComparison(value);
    const SortKey& key = order_.keys.back();
    return comparison && comparison->direction == ComparisonDirection::EQ &&
           comparison->total_order == key.total_order && comparison->left == key.value;
  }

  // Matches f < f', or f < f' | (f == f' & the same form for the remaining keys).
  bool Keys(mlir::Value value) {
    for (;;) {
      auto either = value.getDefiningOp<stablehlo::OrOp>();
      if (!either) return AddKey(value);
      mlir::Value first = either.getLhs(), second = either.getRhs();
      if (!second.getDefiningOp<stablehlo::AndOp>()) std::swap(first, second);
      auto tie = second.getDefiningOp<stablehlo::AndOp>();
      if (!tie || !AddKey(first)) return false;
      if (IsTie(tie.getLhs()))
        value = tie.getRhs();
      else if (IsTie(tie.getRhs()))
        value = tie.getLhs();
      else
        return false;
    }
  }

  // Matches operand 0, or a select between a constant and such a value.
  bool IsValue(mlir::Value value) {
    while (auto select = value.getDefiningOp<stablehlo::SelectOp>()) {
      mlir::Value merged = select.getOnTrue();
      if (merged.getParentBlock() == &block_ &&
          !merged.getDefiningOp<stablehlo::ConstantOp>())
        return false;
      order_.merged.push_back(merged);
      value = select.getOnFalse();
    }
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    return argument && argument.getOwner() == &block_ && argument.getArgNumber() == 0;
  }

  mlir::Block& block_;
  SortOrder order_;
  llvm::SmallPtrSet<mlir::Operation*, 16> needed_;
};

}  // namespace

int SortKeyBits(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBF16:
      return 16;
    case ElementType::kF32:
      return 32;
    case ElementType::kF64:
      return 64;
    case ElementType::kPred:
      return 8;
    default:
      if (!IsInteger(type)) return 0;
      return std::max(8, static_cast<int>(ElementBits(type)));
  }
}

std::optional<SortOrder> RecognizeSortOrder(mlir::Block& comparator) {
  return Recognizer(comparator).Run();
}

}  // namespace tenon::compiler
