#include "tenon/compiler/analysis/softmax.h"

#include "mlir/IR/Matchers.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

bool IsRounding(stablehlo::ConvertOp convert) {
  auto is_float = [](mlir::Type type) {
    return type.isF32() || type.isF16() || type.isBF16();
  };
  return is_float(ElementOf(convert.getOperand())) &&
         is_float(ElementOf(convert.getResult()));
}

// Whether `value` has one element, which `matcher` takes. Types do not matter: 0 and
// -inf are the same in all.
template <typename Matcher>
bool IsConstant(mlir::Value value, Matcher matcher) {
  while (true) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      auto fusion =
          llvm::dyn_cast_or_null<ir::FusionOp>(argument.getOwner()->getParentOp());
      if (!fusion) return false;
      value = fusion.getInputs()[argument.getArgNumber()];
    } else if (llvm::isa_and_nonnull<stablehlo::ConvertOp, stablehlo::BroadcastInDimOp,
                                     stablehlo::ReshapeOp>(value.getDefiningOp())) {
      value = value.getDefiningOp()->getOperand(0);
    } else {
      return mlir::matchPattern(value, matcher);
    }
  }
}

// Whether the reduction applies Op to the accumulator and the value.
template <typename Op>
bool Applies(stablehlo::ReduceOp reduce) {
  mlir::Block& body = reduce.getBody().front();
  auto op = llvm::dyn_cast<Op>(body.front());
  return op && llvm::range_size(body) == 2 &&
         body.back().getOperand(0) == op->getResult(0) &&
         op->getOperand(0) != op->getOperand(1) &&
         llvm::all_of(op->getOperands(), llvm::IsaPred<mlir::BlockArgument>);
}

class Finder {
 public:
  explicit Finder(bool ignores_rounding) : ignores_rounding_(ignores_rounding) {}

  std::optional<Softmax> Find(mlir::Value weights) {
    if (auto convert = weights.getDefiningOp<stablehlo::ConvertOp>();
        convert && IsRounding(convert))
      weights = convert.getOperand();
    auto divide = Skip(weights).getDefiningOp<stablehlo::DivOp>();
    if (!divide) return std::nullopt;
    auto exponential = Skip(divide.getLhs()).getDefiningOp<stablehlo::ExpOp>();
    auto sum = RowValue(divide.getRhs()).getDefiningOp<stablehlo::ReduceOp>();
    if (!exponential || !sum || !IsReduction(sum, RowFold::kSum, exponential.getResult()))
      return std::nullopt;
    auto subtract = Skip(exponential.getOperand()).getDefiningOp<stablehlo::SubtractOp>();
    if (!subtract) return std::nullopt;
    mlir::Value scores = Skip(subtract.getLhs());
    auto maximum =
        WithoutLowest(RowValue(subtract.getRhs())).getDefiningOp<stablehlo::ReduceOp>();
    if (!maximum || !IsReduction(maximum, RowFold::kMaximum, scores)) return std::nullopt;
    return Softmax{scores, maximum.getResult(0), sum.getResult(0)};
  }

 private:
  // The value before roundings.
  mlir::Value Skip(mlir::Value value) {
    while (auto convert = value.getDefiningOp<stablehlo::ConvertOp>()) {
      if (!ignores_rounding_ || !IsRounding(convert)) break;
      value = convert.getOperand();
    }
    return value;
  }
  // The value of a row that `elements` has along the row.
  mlir::Value RowValue(mlir::Value elements) {
    for (mlir::Value value = elements;;) {
      value = Skip(value);
      mlir::Operation* op = value.getDefiningOp();
      if (!op || !llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
        return value;
      value = op->getOperand(0);
    }
  }
  // max(-inf, x) is x.
  mlir::Value WithoutLowest(mlir::Value value) {
    auto maximum = value.getDefiningOp<stablehlo::MaxOp>();
    if (!maximum) return value;
    for (int number : {0, 1})
      if (IsConstant(maximum->getOperand(number), mlir::m_NegInfFloat()))
        return RowValue(maximum->getOperand(1 - number));
    return value;
  }
  bool IsReduction(stablehlo::ReduceOp reduce, RowFold fold, mlir::Value elements) {
    return FoldOf(reduce) == fold && Skip(reduce.getInputs()[0]) == elements;
  }

  bool ignores_rounding_;
};

}  // namespace

std::optional<RowFold> FoldOf(stablehlo::ReduceOp reduce) {
  if (reduce->getNumResults() != 1) return std::nullopt;
  const int64_t rank = TypeOf(reduce.getInputs()[0]).getRank();
  if (reduce.getDimensions() != llvm::ArrayRef<int64_t>(rank - 1)) return std::nullopt;
  mlir::Value init = reduce.getInitValues()[0];
  if (Applies<stablehlo::AddOp>(reduce) && IsConstant(init, mlir::m_AnyZeroFloat()))
    return RowFold::kSum;
  if (Applies<stablehlo::MaxOp>(reduce) && IsConstant(init, mlir::m_NegInfFloat()))
    return RowFold::kMaximum;
  return std::nullopt;
}

bool IsExactFold(stablehlo::ReduceOp reduce) {
  const mlir::Type type = ElementOf(reduce.getInputs()[0]);
  const auto fold = FoldOf(reduce);
  return fold && (type.isF32() ||
                  (*fold == RowFold::kMaximum && (type.isF16() || type.isBF16())));
}

std::optional<Softmax> FindSoftmax(mlir::Value weights, bool ignores_rounding) {
  return Finder(ignores_rounding).Find(weights);
}

bool IsOfPoint(mlir::Value value, mlir::Operation* product,
               llvm::function_ref<bool(mlir::Operation*)> is_inside) {
  llvm::SmallVector<mlir::Value> work{value};
  llvm::SmallPtrSet<mlir::Operation*, 16> seen;
  while (!work.empty()) {
    mlir::Operation* op = work.pop_back_val().getDefiningOp();
    if (!op || op == product || !is_inside(op) || !seen.insert(op).second) continue;
    if (llvm::isa<stablehlo::ReduceOp, stablehlo::DotGeneralOp>(op)) return false;
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

}  // namespace tenon::compiler
