#include "tenon/compiler/simplify/algebra.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/dialects/stablehlo/combiner.h"
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

// Whether `value` compares `with` with integers that are all `number`.
bool ComparesWith(Value value, stablehlo::ComparisonDirection direction, Value with,
                  int64_t number) {
  auto compare = value.getDefiningOp<stablehlo::CompareOp>();
  return compare && compare.getComparisonDirection() == direction &&
         compare.getLhs() == with && IsInteger(compare.getRhs(), number);
}

LogicalResult SimplifyCompare(stablehlo::CompareOp op, PatternRewriter& rewriter) {
  using enum stablehlo::ComparisonDirection;
  auto type = llvm::cast<mlir::ShapedType>(op.getLhs().getType());
  if (!type.getElementType().isInteger(1)) return mlir::failure();
  const auto direction = op.getComparisonDirection();
  if ((direction == NE && IsInteger(op.getRhs(), 0)) ||
      (direction == EQ && IsAllOnes(op.getRhs())))
    return Replace(rewriter, op, op.getLhs());
  return mlir::failure();
}

LogicalResult SimplifyAnd(stablehlo::AndOp op, PatternRewriter& rewriter) {
  using enum stablehlo::ComparisonDirection;
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
    if (IsAllOnes(y) || x == y) return Replace(rewriter, op, x);
    if (IsInteger(y, 0)) return Replace(rewriter, op, y);
    // What is negative is not 0.
    if (auto less = x.getDefiningOp<stablehlo::CompareOp>();
        less && ComparesWith(x, LT, less.getLhs(), 0) &&
        ComparesWith(y, NE, less.getLhs(), 0))
      return Replace(rewriter, op, x);
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

// Returns k if `value` is 2^k, k > 0, of a signed type, in all elements.
std::optional<unsigned> SignedPowerOfTwo(Value value) {
  auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(SplatOf(value));
  if (!number || number.getType().isUnsignedInteger()) return std::nullopt;
  const llvm::APInt bits = number.getValue();
  if (!bits.isStrictlyPositive() || !bits.isPowerOf2() || bits.isOne())
    return std::nullopt;
  return bits.logBase2();
}

template <typename Op>
LogicalResult ReplaceByConstant(PatternRewriter& rewriter, stablehlo::SelectOp op,
                                Value x, const llvm::APInt& by) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() || x.getType() != type) return mlir::failure();
  Value constant = stablehlo::ConstantOp::create(rewriter, op.getLoc(),
                                                 mlir::DenseElementsAttr::get(type, by));
  rewriter.replaceOpWithNewOp<Op>(op, type, x, constant);
  return mlir::success();
}

// Remainders and quotients that are rounded down, as frameworks write them with those
// that are rounded to zero, of powers of two.
LogicalResult SimplifyFloorRemainder(stablehlo::SelectOp op, PatternRewriter& rewriter) {
  auto remainder = op.getOnFalse().getDefiningOp<stablehlo::RemOp>();
  auto add = op.getOnTrue().getDefiningOp<stablehlo::AddOp>();
  if (!remainder || !add ||
      !ComparesWith(op.getPred(), stablehlo::ComparisonDirection::LT, remainder, 0))
    return mlir::failure();
  Value divisor = remainder.getRhs();
  const std::optional<unsigned> bits = SignedPowerOfTwo(divisor);
  if (!bits || add.getLhs() != remainder.getResult() ||
      SignedPowerOfTwo(add.getRhs()) != bits)
    return mlir::failure();
  const unsigned width =
      llvm::cast<mlir::ShapedType>(divisor.getType()).getElementTypeBitWidth();
  return ReplaceByConstant<stablehlo::AndOp>(rewriter, op, remainder.getLhs(),
                                             llvm::APInt::getLowBitsSet(width, *bits));
}

LogicalResult SimplifyFloorQuotient(stablehlo::SelectOp op, PatternRewriter& rewriter) {
  using enum stablehlo::ComparisonDirection;
  auto quotient = op.getOnFalse().getDefiningOp<stablehlo::DivOp>();
  auto less = op.getOnTrue().getDefiningOp<stablehlo::SubtractOp>();
  auto both = op.getPred().getDefiningOp<stablehlo::AndOp>();
  if (!quotient || !less || !both || less.getLhs() != quotient.getResult() ||
      !IsInteger(less.getRhs(), 1))
    return mlir::failure();
  const std::optional<unsigned> bits = SignedPowerOfTwo(quotient.getRhs());
  if (!bits) return mlir::failure();
  // The signs differ, and the remainder is not 0.
  auto of = [](Value value) {
    auto compare = value.getDefiningOp<stablehlo::CompareOp>();
    return compare ? compare.getLhs() : Value();
  };
  for (auto [x, y] : {std::pair(both.getLhs(), both.getRhs()),
                      std::pair(both.getRhs(), both.getLhs())}) {
    if (!of(x) || !of(y)) continue;
    auto sign = of(x).getDefiningOp<stablehlo::SignOp>();
    auto remainder = of(y).getDefiningOp<stablehlo::RemOp>();
    if (!sign || !remainder || sign.getOperand() != quotient.getLhs() ||
        remainder.getLhs() != quotient.getLhs() ||
        SignedPowerOfTwo(remainder.getRhs()) != bits || !ComparesWith(x, NE, sign, 1) ||
        !ComparesWith(y, NE, remainder, 0))
      continue;
    const unsigned width =
        llvm::cast<mlir::ShapedType>(quotient.getType()).getElementTypeBitWidth();
    return ReplaceByConstant<stablehlo::ShiftRightArithmeticOp>(
        rewriter, op, quotient.getLhs(), llvm::APInt(width, *bits));
  }
  return mlir::failure();
}

LogicalResult SimplifySelect(stablehlo::SelectOp op, PatternRewriter& rewriter) {
  if (op.getOnTrue() == op.getOnFalse()) return Replace(rewriter, op, op.getOnTrue());
  if (IsAllOnes(op.getPred())) return Replace(rewriter, op, op.getOnTrue());
  if (IsInteger(op.getPred(), 0)) return Replace(rewriter, op, op.getOnFalse());
  return mlir::failure();
}

unsigned IntegerBits(Value value) {  // 0 if these are no integers
  auto type = llvm::dyn_cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(value));
  return type ? type.getWidth() : 0;
}

// Whether a transpose is among the ops that `value` is computed from.
bool IsOfTransposed(Value value) {
  constexpr size_t kMaxOps = 64;  // beyond, assumes one
  llvm::SmallSetVector<mlir::Operation*, 16> ops;
  if (mlir::Operation* def = value.getDefiningOp()) ops.insert(def);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (llvm::isa<stablehlo::TransposeOp>(ops[i]) || ops.size() > kMaxOps) return true;
    for (Value operand : ops[i]->getOperands())
      if (mlir::Operation* def = operand.getDefiningOp()) ops.insert(def);
  }
  return false;
}

// The low bits of sums, products and bitwise results depend only on those of the
// operands. So a reduction of widened integers whose result is narrowed needs no wide
// ones.
LogicalResult NarrowReduction(stablehlo::ConvertOp op, PatternRewriter& rewriter) {
  const unsigned bits = IntegerBits(op.getResult());
  auto reduce = op.getOperand().getDefiningOp<stablehlo::ReduceOp>();
  if (!reduce || !reduce->hasOneUse() || reduce.getInputs().size() != 1 || bits <= 1 ||
      bits >= IntegerBits(op.getOperand()))
    return mlir::failure();
  mlir::Block& body = reduce.getBody().front();
  mlir::Operation* combine = stablehlo::CombiningOp(body, 0);
  if (!llvm::isa_and_present<stablehlo::AddOp, stablehlo::MulOp, stablehlo::AndOp,
                             stablehlo::OrOp, stablehlo::XorOp>(combine) ||
      !llvm::hasNItems(body, 2))
    return mlir::failure();
  auto widen = reduce.getInputs()[0].getDefiningOp<stablehlo::ConvertOp>();
  const unsigned source = widen ? IntegerBits(widen.getOperand()) : 0;
  if (source == 0 || source > bits) return mlir::failure();
  // Elements of different rows are loaded one by one. The more lanes, the longer that
  // code.
  if (IsOfTransposed(widen.getOperand())) return mlir::failure();

  const mlir::Type element = mlir::getElementTypeOrSelf(op.getResult());
  auto convert = [&](Value value) -> Value {
    if (mlir::getElementTypeOrSelf(value) == element) return value;
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType()).clone(element);
    return stablehlo::ConvertOp::create(rewriter, op.getLoc(), type, value);
  };
  auto narrow = stablehlo::ReduceOp::create(
      rewriter, reduce.getLoc(), op->getResultTypes(), convert(widen.getOperand()),
      convert(reduce.getInitValues()[0]), reduce.getDimensions());
  rewriter.cloneRegionBefore(reduce.getBody(), narrow.getBody(), narrow.getBody().end());
  const auto scalar = mlir::RankedTensorType::get({}, element);
  for (mlir::BlockArgument argument : narrow.getBody().getArguments())
    argument.setType(scalar);
  for (mlir::Operation& inner : narrow.getBody().front())
    for (mlir::OpResult result : inner.getResults()) result.setType(scalar);
  rewriter.replaceOp(op, narrow);
  return mlir::success();
}

// A reduction of no elements is its initial values.
LogicalResult FoldEmptyReduction(stablehlo::ReduceOp op, PatternRewriter& rewriter) {
  auto type = llvm::cast<mlir::RankedTensorType>(op.getInputs()[0].getType());
  if (!llvm::is_contained(type.getShape(), 0)) return mlir::failure();
  llvm::SmallVector<Value> results;
  for (auto [result, init] : llvm::zip_equal(op.getResults(), op.getInitValues()))
    results.push_back(stablehlo::BroadcastInDimOp::create(
        rewriter, op.getLoc(), result.getType(), init, llvm::ArrayRef<int64_t>()));
  rewriter.replaceOp(op, results);
  return mlir::success();
}

// A reduction over dimensions of size 1 combines each element with the initial value.
// Such ops fuse with others. Gradients of broadcasts have them.
LogicalResult ReduceOneElement(stablehlo::ReduceOp op, PatternRewriter& rewriter) {
  auto type = llvm::cast<mlir::RankedTensorType>(op.getInputs()[0].getType());
  if (op.getInputs().size() != 1 || llvm::any_of(op.getDimensions(), [&](int64_t dim) {
        return type.getDimSize(dim) != 1;
      }))
    return mlir::failure();
  mlir::Block& body = op.getBody().front();
  mlir::Operation* combine = stablehlo::CombiningOp(body, 0);
  if (!combine || !llvm::hasNItems(body, 2)) return mlir::failure();
  const mlir::Type result = op.getResult(0).getType();
  mlir::IRMapping values;
  values.map(body.getArgument(0), stablehlo::BroadcastInDimOp::create(
                                      rewriter, op.getLoc(), result,
                                      op.getInitValues()[0], llvm::ArrayRef<int64_t>())
                                      .getResult());
  values.map(body.getArgument(1), stablehlo::ReshapeOp::create(rewriter, op.getLoc(),
                                                               result, op.getInputs()[0])
                                      .getResult());
  mlir::Operation* combined = rewriter.clone(*combine, values);
  rewriter.modifyOpInPlace(combined, [&] { combined->getResult(0).setType(result); });
  rewriter.replaceOp(op, combined);
  return mlir::success();
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
  patterns.add(SimplifyCompare);
  patterns.add(SimplifyFloorQuotient);
  patterns.add(SimplifyFloorRemainder);
  patterns.add(SimplifySelect);
  patterns.add(SimplifyIf);
  patterns.add(NarrowReduction);
  patterns.add(FoldEmptyReduction);
  patterns.add(ReduceOneElement);
  patterns.add(SimplifyIdempotent<stablehlo::MaxOp>);
  patterns.add(SimplifyIdempotent<stablehlo::MinOp>);
  patterns.add(SimplifyInvolution<stablehlo::NegOp>);
  patterns.add(SimplifyInvolution<stablehlo::NotOp>);
}

}  // namespace tenon::compiler
