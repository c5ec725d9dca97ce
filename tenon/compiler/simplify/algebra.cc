#include "tenon/compiler/simplify/algebra.h"

#include "mlir/IR/Matchers.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

// The value of all elements, also behind broadcasts. Null if they differ or are unknown.
mlir::Attribute SplatOf(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  mlir::DenseElementsAttr dense;
  if (!mlir::matchPattern(value, mlir::m_Constant(&dense)) || !dense.isSplat())
    return nullptr;
  if (!dense.getElementType().isIntOrFloat()) return nullptr;
  return dense.getSplatValue<mlir::Attribute>();
}

bool IsFloatValue(Value value, double wanted, bool sign_matters) {
  auto number = llvm::dyn_cast_or_null<mlir::FloatAttr>(SplatOf(value));
  if (!number) return false;
  double is = number.getValueAsDouble();
  return is == wanted && (!sign_matters || std::signbit(is) == std::signbit(wanted));
}
bool IsInteger(Value value, int64_t wanted) {
  auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(SplatOf(value));
  return number && number.getValue().getSignificantBits() <= 64 &&
         number.getValue() ==
             llvm::APInt(number.getValue().getBitWidth(), wanted, true, true);
}
bool IsAllOnes(Value value) {
  auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(SplatOf(value));
  return number && number.getValue().isAllOnes();
}

LogicalResult Replace(PatternRewriter& rewriter, mlir::Operation* op, Value value) {
  if (value.getType() != op->getResult(0).getType()) return mlir::failure();
  rewriter.replaceOp(op, value);
  return mlir::success();
}

LogicalResult SimplifyAdd(stablehlo::AddOp op, PatternRewriter& rewriter) {
  // x + -0 = x for every float x, but -0 + 0 = 0.
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}})
    if (IsFloatValue(y, -0.0, true) || IsInteger(y, 0)) return Replace(rewriter, op, x);
  return mlir::failure();
}

LogicalResult SimplifySubtract(stablehlo::SubtractOp op, PatternRewriter& rewriter) {
  if (IsFloatValue(op.getRhs(), 0.0, true) || IsInteger(op.getRhs(), 0))
    return Replace(rewriter, op, op.getLhs());
  return mlir::failure();
}

LogicalResult SimplifyMultiply(stablehlo::MulOp op, PatternRewriter& rewriter) {
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
    if (IsFloatValue(y, 1.0, true) || IsInteger(y, 1)) return Replace(rewriter, op, x);
    if (IsInteger(y, 0)) return Replace(rewriter, op, y);
  }
  return mlir::failure();
}

LogicalResult SimplifyDivide(stablehlo::DivOp op, PatternRewriter& rewriter) {
  if (IsFloatValue(op.getRhs(), 1.0, true) || IsInteger(op.getRhs(), 1))
    return Replace(rewriter, op, op.getLhs());
  // Division by a power of two is an exact multiplication.
  auto divisor = llvm::dyn_cast_or_null<mlir::FloatAttr>(SplatOf(op.getRhs()));
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op.getType());
  if (!divisor || !type) return mlir::failure();
  llvm::APFloat inverse(divisor.getValue());
  if (!divisor.getValue().getExactInverse(&inverse)) return mlir::failure();
  Value factor = stablehlo::ConstantOp::create(
      rewriter, op.getLoc(), mlir::DenseElementsAttr::get(type, inverse));
  rewriter.replaceOpWithNewOp<stablehlo::MulOp>(op, type, op.getLhs(), factor);
  return mlir::success();
}

LogicalResult SimplifyAnd(stablehlo::AndOp op, PatternRewriter& rewriter) {
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
    if (IsAllOnes(y) || x == y) return Replace(rewriter, op, x);
    if (IsInteger(y, 0)) return Replace(rewriter, op, y);
  }
  return mlir::failure();
}

LogicalResult SimplifyOr(stablehlo::OrOp op, PatternRewriter& rewriter) {
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
    if (IsInteger(y, 0) || x == y) return Replace(rewriter, op, x);
    if (IsAllOnes(y)) return Replace(rewriter, op, y);
  }
  return mlir::failure();
}

template <typename Op>
LogicalResult SimplifyIdempotent(Op op, PatternRewriter& rewriter) {
  if (op.getLhs() != op.getRhs()) return mlir::failure();
  return Replace(rewriter, op, op.getLhs());
}

template <typename Op>
LogicalResult SimplifyInvolution(Op op, PatternRewriter& rewriter) {
  auto inner = op.getOperand().template getDefiningOp<Op>();
  if (!inner) return mlir::failure();
  return Replace(rewriter, op, inner.getOperand());
}

LogicalResult SimplifySelect(stablehlo::SelectOp op, PatternRewriter& rewriter) {
  if (op.getOnTrue() == op.getOnFalse()) return Replace(rewriter, op, op.getOnTrue());
  if (IsAllOnes(op.getPred())) return Replace(rewriter, op, op.getOnTrue());
  if (IsInteger(op.getPred(), 0)) return Replace(rewriter, op, op.getOnFalse());
  return mlir::failure();
}

// Inlines the branch that a constant predicate selects.
LogicalResult SimplifyIf(stablehlo::IfOp op, PatternRewriter& rewriter) {
  auto pred = llvm::dyn_cast_or_null<mlir::IntegerAttr>(SplatOf(op.getPred()));
  if (!pred) return mlir::failure();
  mlir::Region& taken =
      pred.getValue().isZero() ? op.getFalseBranch() : op.getTrueBranch();
  mlir::Block& block = taken.front();
  mlir::Operation* terminator = block.getTerminator();
  llvm::SmallVector<Value> results(terminator->getOperands());
  rewriter.eraseOp(terminator);
  rewriter.inlineBlockBefore(&block, op);
  rewriter.replaceOp(op, results);
  return mlir::success();
}

}  // namespace

void PopulateAlgebraPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(SimplifyAdd);
  patterns.add(SimplifySubtract);
  patterns.add(SimplifyMultiply);
  patterns.add(SimplifyDivide);
  patterns.add(SimplifyAnd);
  patterns.add(SimplifyOr);
  patterns.add(SimplifySelect);
  patterns.add(SimplifyIf);
  patterns.add(SimplifyIdempotent<stablehlo::MaxOp>);
  patterns.add(SimplifyIdempotent<stablehlo::MinOp>);
  patterns.add(SimplifyInvolution<stablehlo::NegOp>);
  patterns.add(SimplifyInvolution<stablehlo::NotOp>);
}

}  // namespace tenon::compiler
