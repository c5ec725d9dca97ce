#include "tenon/compiler/analysis/row_exchanges.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using stablehlo::ComparisonDirection;

bool IsSplat(Value value, int64_t number) {
  mlir::DenseIntElementsAttr constant;
  return mlir::matchPattern(value, mlir::m_Constant(&constant)) && constant.isSplat() &&
         constant.getSplatValue<llvm::APInt>() == number;
}

Value SkipReshape(Value value) {
  auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>();
  return reshape ? reshape.getOperand() : value;
}

bool IsSum(Value value, Value x, int64_t number) {
  auto sum = value.getDefiningOp<stablehlo::AddOp>();
  return sum && sum.getLhs() == x && IsSplat(sum.getRhs(), number);
}

// x itself, if `value` is `x < 0 ? x + size : x`, as JAX writes an index.
Value SkipWrap(Value value, int64_t size) {
  auto select = value.getDefiningOp<stablehlo::SelectOp>();
  if (!select) return value;
  Value x = select.getOnFalse();
  auto compare = select.getPred().getDefiningOp<stablehlo::CompareOp>();
  const bool wraps = compare && compare.getLhs() == x && IsSplat(compare.getRhs(), 0) &&
                     compare.getComparisonDirection() == ComparisonDirection::LT &&
                     IsSum(select.getOnTrue(), x, size);
  return wraps ? x : value;
}

// The index of the one element that `value` reads of `from`; null if it does not.
Value IndexOf(Value value, Value from) {
  auto slice = SkipReshape(value).getDefiningOp<stablehlo::DynamicSliceOp>();
  if (!slice || slice.getOperand() != from || slice.getStartIndices().size() != 1 ||
      ShapeOf(slice.getResult())[0] != 1)
    return nullptr;
  return SkipReshape(slice.getStartIndices()[0]);
}

// A scatter that writes one element of a vector.
struct Write {
  Value vector, index, value;
};

std::optional<Write> WriteOf(Value result) {
  auto scatter = result.getDefiningOp<stablehlo::ScatterOp>();
  if (!scatter || scatter.getInputs().size() != 1 || TypeOf(result).getRank() != 1 ||
      TypeOf(scatter.getUpdates()[0]).getNumElements() != 1)
    return std::nullopt;
  mlir::Block& body = scatter.getUpdateComputation().front();
  if (body.getTerminator()->getOperand(0) != body.getArgument(1)) return std::nullopt;
  return Write{scatter.getInputs()[0], SkipReshape(scatter.getScatterIndices()),
               SkipReshape(scatter.getUpdates()[0])};
}

// Whether argument `number` of the loop counts from 0.
bool Counts(stablehlo::WhileOp loop, unsigned number) {
  mlir::Block& body = loop.getBody().front();
  return IsSplat(loop->getOperand(number), 0) &&
         IsSum(body.getTerminator()->getOperand(number), body.getArgument(number), 1);
}

// The number of the loop's argument that its body exchanges: those of `rows` elements
// that are numbered i and pivots[i]. nullopt if it does anything else with it.
std::optional<unsigned> Exchanged(stablehlo::WhileOp loop, Value pivots) {
  mlir::Block& body = loop.getBody().front();
  for (auto [number, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    const auto last = WriteOf(result);
    const auto first = last ? WriteOf(last->vector) : std::nullopt;
    Value vector = body.getArgument(number);
    if (!first || first->vector != vector || !ElementOf(vector).isSignlessInteger(32))
      continue;
    auto init = loop->getOperand(number).getDefiningOp<stablehlo::IotaOp>();
    const int64_t rows = ShapeOf(vector)[0];
    Value i = first->index, j = last->index;
    auto counter = llvm::dyn_cast<mlir::BlockArgument>(SkipWrap(i, rows));
    Value pivot = IndexOf(SkipWrap(j, rows), pivots);
    if (init && counter && counter.getOwner() == &body && pivot &&
        Counts(loop, counter.getArgNumber()) &&
        SkipWrap(pivot, ShapeOf(pivots)[0]) == counter &&
        IndexOf(first->value, vector) == j && IndexOf(last->value, vector) == i)
      return static_cast<unsigned>(number);
  }
  return std::nullopt;
}

// Whether nothing is lost with the loop if its results are known.
bool HasNoEffects(stablehlo::WhileOp loop) {
  return llvm::all_of(loop->getRegions(), [](mlir::Region& region) {
    return llvm::all_of(region.front().without_terminator(), [](mlir::Operation& op) {
      return mlir::isMemoryEffectFree(&op);
    });
  });
}

bool Iterates(stablehlo::WhileOp loop, int64_t count) {
  auto more = loop.getCond()
                  .front()
                  .getTerminator()
                  ->getOperand(0)
                  .getDefiningOp<stablehlo::CompareOp>();
  if (!more || more.getComparisonDirection() != ComparisonDirection::LT ||
      !IsSplat(more.getRhs(), count))
    return false;
  auto counter = llvm::dyn_cast<mlir::BlockArgument>(more.getLhs());
  return counter && counter.getOwner() == &loop.getCond().front() &&
         Counts(loop, counter.getArgNumber());
}

}  // namespace

Value PermutationOf(ir::LuOp op) {
  Value pivots = op.getPivots();
  if (TypeOf(pivots).getRank() != 1) return nullptr;
  for (mlir::Operation* user : pivots.getUsers()) {
    auto from_zero = llvm::dyn_cast<stablehlo::SubtractOp>(user);
    if (!from_zero || !IsSplat(from_zero.getRhs(), 1)) continue;
    for (mlir::Operation* reader : from_zero.getResult().getUsers()) {
      auto loop = llvm::dyn_cast<stablehlo::WhileOp>(reader->getParentOp());
      if (!loop || !Iterates(loop, ShapeOf(pivots)[0]) || !HasNoEffects(loop)) continue;
      auto number = Exchanged(loop, from_zero);
      if (number && ShapeOf(loop.getResult(*number))[0] == ShapeOf(op.getFactors())[0])
        return loop.getResult(*number);
    }
  }
  return nullptr;
}

}  // namespace tenon::compiler
