#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/simplify/algebra.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;
// Dimension d of the transposed array is dimension permutation[d] of the array.
using Permutation = llvm::SmallVector<int64_t>;
using Dims = llvm::ArrayRef<int64_t>;

RankedTensorType TypeOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

bool IsIdentity(Dims permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

// The array transposed by `first`, then by `second`.
Permutation Compose(Dims first, Dims second) {
  Permutation result;
  for (int64_t dim : second) result.push_back(first[dim]);
  return result;
}

Permutation Inverse(Dims permutation) {
  Permutation result(permutation.size());
  for (auto [d, dim] : llvm::enumerate(permutation)) result[dim] = d;
  return result;
}

RankedTensorType Transposed(RankedTensorType type, Dims permutation) {
  return type.clone(Compose(type.getShape(), permutation));
}

// How to transpose the operand of `reshape` if its result is transposed by `permutation`.
// Nullopt if dimensions that become others together, or arise together, are separated.
std::optional<Permutation> ThroughReshape(stablehlo::ReshapeOp reshape,
                                          Dims permutation) {
  Dims from = TypeOf(reshape.getOperand()).getShape(),
       to = TypeOf(reshape.getResult()).getShape();
  // For each result dimension the first of its group, and for that the operand's.
  llvm::SmallVector<std::pair<size_t, size_t>> operand_dims(to.size());
  llvm::SmallVector<size_t> group_sizes(to.size(), 0);
  Permutation ones;
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    if (i < from.size() && from[i] == 1 && (j == to.size() || to[j] != 1)) {
      ones.push_back(i++);
      continue;
    }
    const size_t first_from = i, first_to = j;
    if (to[j] == 1 && (i == from.size() || from[i] != 1)) {
      ++j;
    } else {
      int64_t from_size = from[i++], to_size = to[j++];
      while (from_size != to_size)
        (from_size < to_size ? from_size *= from[i++] : to_size *= to[j++]);
    }
    operand_dims[first_to] = {first_from, i};
    group_sizes[first_to] = j - first_to;
  }
  Permutation result;
  for (size_t d = 0; d < permutation.size();) {
    const size_t first = permutation[d], size = group_sizes[first];
    if (size == 0 || d + size > permutation.size()) return std::nullopt;
    for (size_t k = 0; k < size; ++k)
      if (permutation[d + k] != static_cast<int64_t>(first + k)) return std::nullopt;
    auto [begin, end] = operand_dims[first];
    llvm::append_range(result, llvm::seq<int64_t>(begin, end));
    d += size;
  }
  llvm::append_range(result, ones);
  return result;
}

// How to transpose the operands of `reduce` if its result is transposed by `permutation`.
// A reduced dimension stays behind the dimension that it follows. Nullopt if this changes
// the order of the reduced elements, and the order matters.
std::optional<Permutation> ThroughReduce(stablehlo::ReduceOp reduce, Dims permutation) {
  const int64_t rank = TypeOf(reduce.getInputs()[0]).getRank();
  llvm::SmallVector<Permutation> blocks(1);
  for (int64_t d = 0; d < rank; ++d) {
    if (!llvm::is_contained(reduce.getDimensions(), d)) blocks.emplace_back();
    blocks.back().push_back(d);
  }
  Permutation result = blocks[0];
  for (int64_t dim : permutation) llvm::append_range(result, blocks[dim + 1]);
  Permutation reduced = result;
  llvm::erase_if(
      reduced, [&](int64_t d) { return !llvm::is_contained(reduce.getDimensions(), d); });
  if (!llvm::is_sorted(reduced) && !stablehlo::IsReorderable(reduce.getBody().front()))
    return std::nullopt;
  return result;
}

// The first op for which `is_wanted` holds among those that compute `value`, through
// elementwise ops; null if there is none.
mlir::Operation* FindBelow(Value value,
                           llvm::function_ref<bool(mlir::Operation*)> is_wanted) {
  constexpr size_t kMaxOps = 16;
  llvm::SmallSetVector<Value, 8> values;
  values.insert(value);
  for (size_t i = 0; i < values.size() && i < kMaxOps; ++i) {
    mlir::Operation* op = values[i].getDefiningOp();
    if (!op || TypeOf(values[i]).getRank() == 0) continue;
    if (is_wanted(op)) return op;
    if (IsElementwise(op)) values.insert_range(op->getOperands());
  }
  return nullptr;
}

// Computes operands of `root`, transposed, from ops on transposed arrays.
class TransposedOperands {
 public:
  TransposedOperands(mlir::Operation* root, PatternRewriter& rewriter)
      : root_(root), rewriter_(rewriter) {}

  // Plans an operand. False if values would be transposed in two ways.
  bool Plan(Value value, Permutation permutation) {
    constexpr size_t kMaxOps = 64;
    auto [entry, added] = plan_.try_emplace(value, permutation);
    if (!added || IsIdentity(permutation)) return entry->second == permutation;
    if (plan_.size() > kMaxOps || !TypeOf(value).hasStaticShape() ||
        TypeOf(value).getNumElements() == 0)
      return false;
    mlir::Operation* op = value.getDefiningOp();
    if (!op || op->getBlock() != root_->getBlock()) return PlanTranspose(value);
    return llvm::TypeSwitch<mlir::Operation*, bool>(op)
        .Case([&](stablehlo::TransposeOp op) {
          removes_transposes_ = true;
          return Plan(op.getOperand(), Compose(op.getPermutation(), permutation));
        })
        .Case([&](stablehlo::ReshapeOp op) {
          auto operand = ThroughReshape(op, permutation);
          if (!operand) return PlanTranspose(value);
          return Plan(op.getOperand(), *operand);
        })
        .Case([&](stablehlo::ReduceOp op) {
          auto operand = ThroughReduce(op, permutation);
          auto is_used = [](Value result) { return !result.use_empty(); };
          if (!operand || llvm::count_if(op.getResults(), is_used) != 1)
            return PlanTranspose(value);
          return llvm::all_of(op.getInputs(),
                              [&](Value input) { return Plan(input, *operand); });
        })
        .Case([&](stablehlo::BroadcastInDimOp op) {
          return Plan(op.getOperand(), OrderOfOperand(op, permutation));
        })
        .Case([&](stablehlo::IotaOp op) { return true; })
        .Default([&](mlir::Operation* op) {
          if (IsSplatConstant(op)) return true;
          if (!IsElementwise(op) || llvm::isa<stablehlo::CompositeOp>(op))
            return PlanTranspose(value);
          return llvm::all_of(op->getOperands(), [&](Value operand) {
            return TypeOf(operand).getRank() == 0 || Plan(operand, permutation);
          });
        });
  }

  // Whether the transposes below the operands cancel these, and little is computed twice.
  bool IsWorthwhile() {
    constexpr int64_t kSmall = 16, kMaxRepeated = 4;
    int64_t repeated = 0;
    for (auto& [value, permutation] : plan_) {
      if (IsIdentity(permutation) || transposes_.contains(value) ||
          !IsUsedElsewhere(value))
        continue;
      mlir::Operation* op = value.getDefiningOp();
      if (llvm::isa<stablehlo::ReduceOp>(op) || IsCostly(op)) return false;
      // Attention is only recognized where all uses of its scores have one order.
      if (llvm::isa<stablehlo::TransposeOp>(op) &&
          FindBelow(op->getOperand(0), llvm::IsaPred<stablehlo::DotGeneralOp>))
        return false;
      if (IsElementwise(op)) ++repeated;
    }
    return removes_transposes_ && repeated <= kMaxRepeated &&
           transposed_elements_ <= TypeOf(root_->getOperand(0)).getNumElements() / kSmall;
  }

  Value Build(Value value) {
    const Permutation& permutation = plan_[value];
    if (IsIdentity(permutation)) return value;
    if (Value built = built_.lookup(value)) return built;
    Value built = BuildOp(value, permutation);
    built_[value] = built;
    return built;
  }

 private:
  bool PlanTranspose(Value value) {
    transposes_.insert(value);
    transposed_elements_ += TypeOf(value).getNumElements();
    return true;
  }

  // Whether the op of a planned value is needed as it is, too.
  bool IsUsedElsewhere(Value value) {
    if (transposes_.contains(value) || IsIdentity(plan_.lookup(value))) return true;
    if (auto known = used_elsewhere_.find(value); known != used_elsewhere_.end())
      return known->second;
    auto needs = [&](mlir::Operation* user) {
      return user != root_ && llvm::none_of(user->getResults(), [&](Value result) {
               return plan_.contains(result) && !IsUsedElsewhere(result);
             });
    };
    return used_elsewhere_[value] =
               llvm::any_of(value.getDefiningOp()->getUsers(), needs);
  }

  // The order of the operand's dimensions in the transposed broadcast.
  static Permutation OrderOfOperand(stablehlo::BroadcastInDimOp op, Dims permutation) {
    const Permutation inverse = Inverse(permutation);
    auto order = llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(op.getBroadcastDimensions().size())));
    llvm::sort(order, [&](int64_t a, int64_t b) {
      return inverse[op.getBroadcastDimensions()[a]] <
             inverse[op.getBroadcastDimensions()[b]];
    });
    return order;
  }

  Value BuildOp(Value value, Dims permutation) {
    const mlir::Location loc = value.getLoc();
    const RankedTensorType type = Transposed(TypeOf(value), permutation);
    if (transposes_.contains(value))
      return stablehlo::TransposeOp::create(rewriter_, loc, type, value, permutation);
    return llvm::TypeSwitch<mlir::Operation*, Value>(value.getDefiningOp())
        .Case([&](stablehlo::TransposeOp op) { return Build(op.getOperand()); })
        .Case([&](stablehlo::ReshapeOp op) {
          return stablehlo::ReshapeOp::create(rewriter_, loc, type,
                                              Build(op.getOperand()));
        })
        .Case([&](stablehlo::ReduceOp op) { return BuildReduce(op, value); })
        .Case([&](stablehlo::BroadcastInDimOp op) {
          const Permutation inverse = Inverse(permutation);
          Permutation dims;
          for (int64_t operand_dim : OrderOfOperand(op, permutation))
            dims.push_back(inverse[op.getBroadcastDimensions()[operand_dim]]);
          return stablehlo::BroadcastInDimOp::create(rewriter_, loc, type,
                                                     Build(op.getOperand()), dims);
        })
        .Case([&](stablehlo::IotaOp op) {
          return stablehlo::IotaOp::create(rewriter_, loc, type,
                                           Inverse(permutation)[op.getIotaDimension()]);
        })
        .Case([&](stablehlo::ConstantOp op) {
          auto splat = llvm::cast<mlir::DenseElementsAttr>(op.getValue());
          return stablehlo::ConstantOp::create(rewriter_, loc, splat.resizeSplat(type));
        })
        .Default([&](mlir::Operation* op) {
          mlir::IRMapping operands;
          for (Value operand : op->getOperands())
            if (TypeOf(operand).getRank() != 0) operands.map(operand, Build(operand));
          Value result = rewriter_.clone(*op, operands)->getResult(0);
          result.setType(type);
          return result;
        });
  }

  Value BuildReduce(stablehlo::ReduceOp op, Value value) {
    mlir::IRMapping inputs;
    for (Value input : op.getInputs()) inputs.map(input, Build(input));
    const Permutation inverse = Inverse(plan_[op.getInputs()[0]]);
    Permutation dims;
    for (int64_t dim : op.getDimensions()) dims.push_back(inverse[dim]);
    llvm::sort(dims);
    auto reduce = llvm::cast<stablehlo::ReduceOp>(rewriter_.clone(*op, inputs));
    reduce.setDimensions(dims);
    for (Value result : reduce.getResults())
      result.setType(Transposed(TypeOf(result), plan_[value]));
    return reduce.getResult(llvm::cast<mlir::OpResult>(value).getResultNumber());
  }

  mlir::Operation* root_;
  PatternRewriter& rewriter_;
  llvm::MapVector<Value, Permutation> plan_;  // how each value is transposed
  llvm::SmallPtrSet<Value, 4> transposes_;    // values that are transposed by an op
  llvm::DenseMap<Value, Value> built_;
  llvm::DenseMap<Value, bool> used_elsewhere_;
  int64_t transposed_elements_ = 0;
  bool removes_transposes_ = false;
};

// A value that is computed from transposed arrays and transposed back is computed from
// the arrays as they are.
LogicalResult CancelTransposes(stablehlo::TransposeOp op, PatternRewriter& rewriter) {
  TransposedOperands transposed(op, rewriter);
  if (!transposed.Plan(op.getOperand(), Permutation(op.getPermutation())) ||
      !transposed.IsWorthwhile())
    return mlir::failure();
  rewriter.replaceOp(op, transposed.Build(op.getOperand()));
  return mlir::success();
}

// Reduces an array as it is, instead of its transpose, and transposes the small result.
LogicalResult ReduceBeforeTransposing(stablehlo::ReduceOp op, PatternRewriter& rewriter) {
  auto transpose = llvm::cast_if_present<stablehlo::TransposeOp>(
      FindBelow(op.getInputs()[0], llvm::IsaPred<stablehlo::TransposeOp>));
  if (!transpose) return mlir::failure();
  const Permutation order = Inverse(transpose.getPermutation());
  Permutation dims, kept_before, reduced_before;  // dimensions of the transpose
  for (auto [d, before] : llvm::enumerate(order)) {
    const bool is_reduced = llvm::is_contained(op.getDimensions(), before);
    (is_reduced ? reduced_before : kept_before).push_back(before);
    if (is_reduced) dims.push_back(static_cast<int64_t>(d));
  }
  if (!llvm::is_sorted(reduced_before) && !stablehlo::IsReorderable(op.getBody().front()))
    return mlir::failure();
  TransposedOperands inputs(op, rewriter);
  auto plan = [&](Value input) { return inputs.Plan(input, order); };
  if (!llvm::all_of(op.getInputs(), plan) || !inputs.IsWorthwhile())
    return mlir::failure();

  // The dimensions of the transposed result, as those of the new one.
  Permutation back(kept_before.size());
  for (auto [d, before] : llvm::enumerate(kept_before))
    back[llvm::count_if(kept_before, [&](int64_t other) { return other < before; })] =
        static_cast<int64_t>(d);
  constexpr int64_t kShrinks = 8;
  if (!IsIdentity(back) && TypeOf(op.getResult(0)).getNumElements() * kShrinks >
                               TypeOf(op.getInputs()[0]).getNumElements())
    return mlir::failure();
  mlir::IRMapping operands;
  for (Value input : op.getInputs()) operands.map(input, inputs.Build(input));
  auto reduce = llvm::cast<stablehlo::ReduceOp>(rewriter.clone(*op, operands));
  reduce.setDimensions(dims);
  llvm::SmallVector<Value> results;
  for (Value result : reduce.getResults()) {
    const RankedTensorType type = TypeOf(result);
    result.setType(Transposed(type, Inverse(back)));
    results.push_back(IsIdentity(back) ? result
                                       : stablehlo::TransposeOp::create(
                                             rewriter, op.getLoc(), type, result, back));
  }
  rewriter.replaceOp(op, results);
  return mlir::success();
}

}  // namespace

void PopulateTransposePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(CancelTransposes);
  patterns.add(ReduceBeforeTransposing);
}

}  // namespace tenon::compiler
