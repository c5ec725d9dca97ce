// Makes reductions and windowed reductions (which include scans) of 16-bit and 8-bit
// floats accumulate in f32. The reducer's body runs on f32 values, and the result is
// rounded once.
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

bool IsNarrowFloat(mlir::Type type) {
  ElementType element = ir::ElementTypeOfShaped(type);
  return IsFloat(element) && ElementBits(element) < 32;
}

mlir::Type WideType(mlir::Type type) {
  if (!IsNarrowFloat(type)) return type;
  return llvm::cast<RankedTensorType>(type).clone(
      mlir::Float32Type::get(type.getContext()));
}

Value Converted(mlir::OpBuilder& b, mlir::Location loc, Value value, mlir::Type type) {
  if (value.getType() == type) return value;
  return stablehlo::ConvertOp::create(b, loc, type, value);
}

// Returns whether computing `op` in f32 needs no rounding to the narrow type: its results
// are either copies of operands, or the same in every narrow type as in f32.
bool IsExact(mlir::Operation& op) {
  if (llvm::none_of(op.getResultTypes(), IsNarrowFloat)) return true;
  return llvm::isa<stablehlo::ConstantOp, stablehlo::MaxOp, stablehlo::MinOp,
                   stablehlo::ClampOp, stablehlo::SelectOp, stablehlo::AbsOp,
                   stablehlo::NegOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                   stablehlo::TransposeOp, stablehlo::BitcastConvertOp>(op);
}

// Rewrites the body of a reducer to f32 accumulators, op by op.
class BodyWidener {
 public:
  BodyWidener(mlir::Block& from, mlir::Block& to, PatternRewriter& rewriter)
      : from_(from), to_(to), b_(rewriter) {
    for (mlir::Type type : from.getArgumentTypes()) accumulators_.insert(type);
  }

  void Run() {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(&to_);
    for (auto [narrow, wide] : llvm::zip_equal(from_.getArguments(), to_.getArguments()))
      values_.map(narrow, wide);
    for (mlir::Operation& op : from_) Widen(op);
  }

 private:
  // Returns `operand` in the type that ops of the new body take.
  Value Wide(Value operand) {
    Value value = values_.lookupOrDefault(operand);
    return Converted(b_, value.getLoc(), value, WideType(value.getType()));
  }

  void Widen(mlir::Operation& op) {
    if (auto convert = llvm::dyn_cast<stablehlo::ConvertOp>(op)) {
      mlir::Type type = convert.getType();
      Value value = Wide(convert.getOperand());
      // A conversion to a narrow type other than the accumulators' does not round an
      // accumulator. It is kept.
      if (!accumulators_.contains(type)) value = Converted(b_, op.getLoc(), value, type);
      values_.map(convert.getResult(), Converted(b_, op.getLoc(), value, WideType(type)));
      return;
    }
    // These ops depend on the narrow type's representation.
    bool in_place = llvm::isa<stablehlo::ConstantOp, stablehlo::BitcastConvertOp>(op);
    for (Value operand : op.getOperands()) {
      Value value = Wide(operand);
      if (in_place) value = Converted(b_, op.getLoc(), value, operand.getType());
      operands_.push_back(value);
    }
    mlir::IRMapping mapping = values_;
    for (auto [operand, value] : llvm::zip_equal(op.getOperands(), operands_))
      mapping.map(operand, value);
    operands_.clear();
    mlir::Operation* copy = b_.clone(op, mapping);
    for (auto [result, value] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      if (!in_place) value.setType(WideType(value.getType()));
      values_.map(result, Wide(value));
    }
  }

  mlir::Block &from_, &to_;
  PatternRewriter& b_;
  llvm::DenseSet<mlir::Type> accumulators_;
  mlir::IRMapping values_;
  llvm::SmallVector<Value> operands_;
};

template <typename Op>
LogicalResult Widen(Op op, PatternRewriter& rewriter) {
  if (llvm::none_of(op->getOperandTypes(), IsNarrowFloat)) return mlir::failure();
  mlir::Block& body = op.getBody().front();
  // Code generation rejects reducers with nested regions, with an error that names the
  // op.
  if (llvm::any_of(body,
                   [](mlir::Operation& inner) { return inner.getNumRegions() > 0; }))
    return mlir::failure();
  mlir::Location loc = op.getLoc();
  mlir::IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, Converted(rewriter, loc, operand, WideType(operand.getType())));
  mlir::Operation* wide = rewriter.cloneWithoutRegions(*op, operands);
  for (Value result : wide->getResults()) result.setType(WideType(result.getType()));
  mlir::Block* block = new mlir::Block();
  wide->getRegion(0).push_back(block);
  for (mlir::BlockArgument argument : body.getArguments())
    block->addArgument(WideType(argument.getType()), argument.getLoc());
  BodyWidener(body, *block, rewriter).Run();
  llvm::SmallVector<Value> results;
  for (auto [result, old] : llvm::zip_equal(wide->getResults(), op->getResults()))
    results.push_back(Converted(rewriter, loc, result, old.getType()));
  rewriter.replaceOp(op, results);
  return mlir::success();
}

template <typename Op>
LogicalResult WidenAccumulators(Op op, PatternRewriter& rewriter) {
  if (llvm::all_of(op.getBody().front().without_terminator(), IsExact))
    return mlir::failure();
  return Widen(op, rewriter);
}

// A maximum or minimum needs no rounding, but processors compute it in f32, too. In f32
// the accumulators are not converted for each element.
template <typename Op>
LogicalResult WidenExtrema(Op op, PatternRewriter& rewriter) {
  mlir::Block& body = op.getBody().front();
  if (!llvm::hasNItems(body, 2) ||
      !llvm::isa<stablehlo::MaxOp, stablehlo::MinOp>(body.front()))
    return mlir::failure();
  return Widen(op, rewriter);
}

}  // namespace

void PopulateAccumulatorPatterns(mlir::RewritePatternSet& patterns, bool widen_extrema) {
  // High benefit: this runs before a reduction is split into several, which would round
  // each part's result.
  patterns.add(WidenAccumulators<stablehlo::ReduceOp>, /*benefit=*/10);
  patterns.add(WidenAccumulators<stablehlo::ReduceWindowOp>, /*benefit=*/10);
  if (!widen_extrema) return;
  patterns.add(WidenExtrema<stablehlo::ReduceOp>, /*benefit=*/10);
  patterns.add(WidenExtrema<stablehlo::ReduceWindowOp>, /*benefit=*/10);
}

}  // namespace tenon::compiler
