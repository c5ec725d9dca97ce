// Reductions of stacks: of several arrays that are concatenated along a new dimension, as
// by jnp.stack. They combine the arrays, one after another, so that no stack is stored.
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/simplify/algebra.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

// Limits of the code that a stack becomes: its arrays, and the instructions of all of
// them together, of which a costly op has kCostly.
constexpr int64_t kMaxArrays = 64;
constexpr size_t kMaxInstructions = 400, kCostly = 12;

// Appends the arrays that are concatenated along dimension `dim` to make `value`. JAX
// concatenates more than 16 arrays in several steps, of which the last one alone may have
// several uses. False if they are too many, or have several elements along the dimension.
bool AppendStacked(Value value, uint64_t dim, bool is_last,
                   llvm::SmallVectorImpl<Value>& arrays) {
  auto stack = value.getDefiningOp<stablehlo::ConcatenateOp>();
  if (!stack || stack.getDimension() != dim || !(is_last || stack->hasOneUse())) {
    arrays.push_back(value);
    return ShapeOf(value)[dim] == 1;
  }
  // Every step has fewer arrays than the next one, which bounds the recursion.
  const auto is_part = [&](Value input) {
    const int64_t size = ShapeOf(input)[dim];
    return size > 0 && size < ShapeOf(value)[dim];
  };
  return ShapeOf(value)[dim] <= kMaxArrays && llvm::all_of(stack.getInputs(), is_part) &&
         llvm::all_of(stack.getInputs(), [&](Value input) {
           return AppendStacked(input, dim, /*is_last=*/false, arrays);
         });
}

// The op that combines two elements of a reduction along one dimension; null if there is
// none. Legalization has widened the accumulators of 16-bit floats, so that no partial
// result is rounded to them.
mlir::Operation* CombinerOf(stablehlo::ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getDimensions().size() != 1) return nullptr;
  mlir::Block& body = op.getBody().front();
  mlir::Operation* combine = stablehlo::CombiningOp(body, 0);
  const bool is_known =
      llvm::isa_and_present<stablehlo::AddOp, stablehlo::MulOp, stablehlo::MaxOp,
                            stablehlo::MinOp, stablehlo::AndOp, stablehlo::OrOp,
                            stablehlo::XorOp>(combine);
  return is_known && llvm::hasNItems(body, 2) ? combine : nullptr;
}

// The elementwise ops between stacks of arrays and the reductions over them.
class StackedOps {
 public:
  explicit StackedOps(stablehlo::ReduceOp reduce)
      : block_(reduce->getBlock()),
        dim_(reduce.getDimensions()[0]),
        shape_(ShapeOf(reduce.getInputs()[0])) {}

  // Finds the stacks that `value` is computed from. False if there are none, or if one of
  // them has a use other than reductions over its dimension, so that it is stored anyway.
  bool Find(Value value) {
    return FindStacks(value) &&
           llvm::all_of(
               stacks_,
               [&](const auto& stack) { return HasReductionsOnly(stack.first); }) &&
           size() * (1 + cost_) <= kMaxInstructions;
  }
  size_t size() const { return stacks_.begin()->second.size(); }

  // Element `number` along the dimension of `value`, with shape `shape`. `known` has
  // those that exist.
  Value ElementOf(Value value, size_t number, llvm::ArrayRef<int64_t> shape,
                  llvm::DenseMap<Value, Value>& known, PatternRewriter& rewriter) {
    if (TypeOf(value).getRank() == 0) return value;
    if (auto found = known.find(value); found != known.end()) return found->second;
    const Value element = BuildElement(value, number, shape, known, rewriter);
    known[value] = element;
    return element;
  }

 private:
  // A composite's decomposition has the shape of the whole stack.
  bool IsOfStack(mlir::Operation* op) const {
    return op->getBlock() == block_ && op->getNumResults() == 1 && IsElementwise(op) &&
           !llvm::isa<stablehlo::CompositeOp>(op) && ShapeOf(op->getResult(0)) == shape_;
  }

  Value BuildElement(Value value, size_t number, llvm::ArrayRef<int64_t> shape,
                     llvm::DenseMap<Value, Value>& known, PatternRewriter& rewriter) {
    const mlir::Type element_type = TypeOf(value).getElementType();
    auto type = mlir::RankedTensorType::get(shape, element_type);
    if (auto stack = stacks_.find(value); stack != stacks_.end())
      return stablehlo::ReshapeOp::create(rewriter, value.getLoc(), type,
                                          stack->second[number]);
    mlir::Operation* op = value.getDefiningOp();
    if (op && ops_.contains(op)) {
      mlir::IRMapping elements;
      for (Value operand : op->getOperands())
        elements.map(operand, ElementOf(operand, number, shape, known, rewriter));
      mlir::Operation* copy = rewriter.clone(*op, elements);
      copy->getResult(0).setType(type);
      return copy->getResult(0);
    }
    llvm::SmallVector<int64_t> starts(shape_.size(), 0), limits(shape_), one(shape_),
        strides(shape_.size(), 1);
    starts[dim_] = static_cast<int64_t>(number);
    limits[dim_] = starts[dim_] + 1;
    one[dim_] = 1;
    Value slice = stablehlo::SliceOp::create(
        rewriter, value.getLoc(), mlir::RankedTensorType::get(one, element_type), value,
        starts, limits, strides);
    return stablehlo::ReshapeOp::create(rewriter, value.getLoc(), type, slice);
  }

  // Whether `value` is computed from stacks. What is not, is an array of which slices are
  // read.
  bool FindStacks(Value value) {
    constexpr size_t kMaxOps = 32;
    mlir::Operation* op = value.getDefiningOp();
    if (!op || op->getBlock() != block_) return false;
    if (stacks_.contains(value) || ops_.contains(op)) return true;
    if (llvm::isa<stablehlo::ConcatenateOp>(op)) {
      llvm::SmallVector<Value> arrays;
      if (!AppendStacked(value, dim_, /*is_last=*/true, arrays)) return false;
      stacks_[value] = std::move(arrays);
      return true;
    }
    if (!IsOfStack(op) || visited_.size() == kMaxOps || !visited_.insert(op).second)
      return false;
    bool has_stacks = false;
    for (Value operand : op->getOperands()) has_stacks |= FindStacks(operand);
    if (!has_stacks) return false;
    ops_.insert(op);
    cost_ += IsCostly(op) ? kCostly : 1;
    return true;
  }

  // Whether all that is computed from `value` ends in reductions over the dimension.
  bool HasReductionsOnly(Value value) {
    return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
      if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(user))
        return user->getBlock() == block_ && CombinerOf(reduce) &&
               reduce.getDimensions()[0] == dim_;
      if (!IsOfStack(user)) return false;
      if (!checked_.insert(user).second) return true;
      return checked_.size() <= kMaxInstructions && HasReductionsOnly(user->getResult(0));
    });
  }

  mlir::Block* block_;
  int64_t dim_;
  llvm::ArrayRef<int64_t> shape_;
  llvm::MapVector<Value, llvm::SmallVector<Value>> stacks_;  // and their arrays
  llvm::SmallPtrSet<mlir::Operation*, 8> ops_;               // of stacks
  llvm::SmallPtrSet<mlir::Operation*, 8> visited_;           // that may be
  llvm::SmallPtrSet<mlir::Operation*, 8> checked_;           // users
  size_t cost_ = 0;                                          // instructions of an element
};

// Combines the elements in their order.
LogicalResult ReduceStack(stablehlo::ReduceOp op, PatternRewriter& rewriter) {
  mlir::Operation* combine = CombinerOf(op);
  if (!combine) return mlir::failure();
  StackedOps stacked(op);
  if (!stacked.Find(op.getInputs()[0])) return mlir::failure();
  auto type = TypeOf(op.getResult(0));
  Value accumulator = op.getBody().getArgument(0);
  Value result = stablehlo::BroadcastInDimOp::create(
      rewriter, op.getLoc(), type, op.getInitValues()[0], llvm::ArrayRef<int64_t>());
  for (size_t number = 0; number < stacked.size(); ++number) {
    llvm::DenseMap<Value, Value> known;
    Value element =
        stacked.ElementOf(op.getInputs()[0], number, type.getShape(), known, rewriter);
    mlir::OperationState state(op.getLoc(), combine->getName());
    for (Value operand : combine->getOperands())
      state.operands.push_back(operand == accumulator ? result : element);
    state.types.push_back(type);
    result = rewriter.create(state)->getResult(0);
  }
  rewriter.replaceOp(op, result);
  return mlir::success();
}

}  // namespace

void PopulateStackPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(ReduceStack);
}

}  // namespace tenon::compiler
