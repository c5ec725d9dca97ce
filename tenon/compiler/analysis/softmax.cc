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
    if (!exponential || !sum ||
        !IsReduction<stablehlo::AddOp>(sum, exponential.getResult(),
                                       mlir::m_AnyZeroFloat()))
      return std::nullopt;
    auto subtract = Skip(exponential.getOperand()).getDefiningOp<stablehlo::SubtractOp>();
    if (!subtract) return std::nullopt;
    mlir::Value scores = Skip(subtract.getLhs());
    auto maximum =
        WithoutLowest(RowValue(subtract.getRhs())).getDefiningOp<stablehlo::ReduceOp>();
    if (!maximum ||
        !IsReduction<stablehlo::MaxOp>(maximum, scores, mlir::m_NegInfFloat()))
      return std::nullopt;
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
  // Whether `value` has one element, which `matcher` takes. Types do not matter: 0 and
  // -inf are the same in all.
  template <typename Matcher>
  static bool IsConstant(mlir::Value value, Matcher matcher) {
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
  // max(-inf, x) is x.
  mlir::Value WithoutLowest(mlir::Value value) {
    auto maximum = value.getDefiningOp<stablehlo::MaxOp>();
    if (!maximum) return value;
    for (int number : {0, 1})
      if (IsConstant(maximum->getOperand(number), mlir::m_NegInfFloat()))
        return RowValue(maximum->getOperand(1 - number));
    return value;
  }
  template <typename Op, typename Init>
  bool IsReduction(stablehlo::ReduceOp reduce, mlir::Value elements, Init init) {
    if (reduce->getNumResults() != 1 || Skip(reduce.getInputs()[0]) != elements ||
        !IsConstant(reduce.getInitValues()[0], init))
      return false;
    const int64_t rank = TypeOf(elements).getRank();
    mlir::Block& body = reduce.getBody().front();
    auto op = llvm::dyn_cast<Op>(body.front());
    return reduce.getDimensions() == llvm::ArrayRef<int64_t>(rank - 1) && op &&
           llvm::range_size(body) == 2 && body.back().getOperand(0) == op->getResult(0) &&
           op->getOperand(0) != op->getOperand(1) &&
           llvm::all_of(op->getOperands(), llvm::IsaPred<mlir::BlockArgument>);
  }

  bool ignores_rounding_;
};

}  // namespace

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
