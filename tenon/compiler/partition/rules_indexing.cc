// Rules of ops that read or write parts of tensors: gather, scatter, slices.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using Dims = llvm::ArrayRef<int64_t>;
constexpr FactorKind kPass = FactorKind::kPassThrough;
constexpr FactorKind kReduction = FactorKind::kReduction;
constexpr FactorKind kReplicate = FactorKind::kNeedReplication;

// What gather and scatter have in common. Slices are the result of a gather and the
// updates of a scatter.
struct IndexedOp {
  Dims input, indices, slices;  // shapes
  Dims offset_dims;             // of slices
  Dims collapsed_dims;          // of input
  Dims input_batch, indices_batch;
  int64_t index_vector_dim;
  bool is_scatter;
  FactorKind implicit_batch;  // kind of dimensions of indices and slices alone
  // Adds a factor at a dimension of the input, the indices and the slices.
  llvm::function_ref<void(int64_t, int64_t, int64_t, Factor)> add;
};

// A dimension of the input of which slices take a part.
void AddOffsetFactor(const IndexedOp& op, int64_t input_dim, int64_t slices_dim) {
  int64_t input = op.input[input_dim], slice = op.slices[slices_dim];
  if (input == slice) {
    op.add(input_dim, kNoDim, slices_dim, {input});
  } else if (op.is_scatter) {
    op.add(input_dim, kNoDim, kNoDim, {input, kReplicate});
    op.add(kNoDim, kNoDim, slices_dim, {slice, kReplicate});
  } else if (slice == 1) {
    op.add(input_dim, kNoDim, kNoDim, {input, kReduction});
    op.add(kNoDim, kNoDim, slices_dim, {slice, kReplicate});
  } else {
    op.add(input_dim, kNoDim, slices_dim, {input, kReplicate, /*blocked=*/true});
  }
}

void AddIndexedFactors(const IndexedOp& op) {
  int64_t input_dim = 0, batch_position = 0;
  for (auto [index, size] : llvm::enumerate(op.slices)) {
    auto slices_dim = static_cast<int64_t>(index);
    if (llvm::is_contained(op.offset_dims, slices_dim)) {
      while (llvm::is_contained(op.collapsed_dims, input_dim) ||
             llvm::is_contained(op.input_batch, input_dim)) {
        ++input_dim;
      }
      AddOffsetFactor(op, input_dim++, slices_dim);
      continue;
    }
    int64_t indices_dim =
        batch_position < op.index_vector_dim ? batch_position : batch_position + 1;
    ++batch_position;
    const int64_t* explicit_batch = llvm::find(op.indices_batch, indices_dim);
    if (explicit_batch != op.indices_batch.end()) {
      int64_t position = explicit_batch - op.indices_batch.begin();
      op.add(op.input_batch[position], indices_dim, slices_dim, {size});
    } else {
      op.add(kNoDim, indices_dim, slices_dim, {size, op.implicit_batch});
    }
  }
  for (int64_t dim : op.collapsed_dims) {
    FactorKind kind = kPass;
    if (!op.is_scatter) kind = op.input[dim] == 1 ? kReplicate : kReduction;
    op.add(dim, kNoDim, kNoDim, {op.input[dim], kind});
  }
  if (op.index_vector_dim < static_cast<int64_t>(op.indices.size())) {
    op.add(kNoDim, op.index_vector_dim, kNoDim,
           {op.indices[op.index_vector_dim], kReplicate});
  }
}

Rule GatherRule(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  RuleBuilder builder(op);
  AddIndexedFactors({ShapeOf(op.getOperand()), ShapeOf(op.getStartIndices()),
                     ShapeOf(op.getResult()), numbers.getOffsetDims(),
                     numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims(),
                     numbers.getStartIndicesBatchingDims(), numbers.getIndexVectorDim(),
                     /*is_scatter=*/false, kPass,
                     [&](int64_t input, int64_t indices, int64_t slices, Factor factor) {
                       builder.Add({input, indices}, slices, factor);
                     }});
  return builder.Build();
}

// Whether every result of the combiner is the same commutative op of its own input and
// update, so that devices can combine partial results.
bool IsSupportedReduction(mlir::Block& combiner, size_t count) {
  if (combiner.getNumArguments() != 2 * count) return false;
  mlir::Operation* first = nullptr;
  for (auto [index, value] : llvm::enumerate(combiner.getTerminator()->getOperands())) {
    mlir::Operation* op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 2) return false;
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    bool logical = type && type.getElementType().isInteger(1) &&
                   llvm::isa<stablehlo::AndOp, stablehlo::OrOp>(op);
    if (!logical && !llvm::isa<stablehlo::AddOp, stablehlo::MulOp, stablehlo::MaxOp,
                               stablehlo::MinOp>(op)) {
      return false;
    }
    if (!first) first = op;
    if (first->getName() != op->getName()) return false;
    mlir::Value input = combiner.getArgument(index);
    mlir::Value update = combiner.getArgument(index + count);
    mlir::Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (!(lhs == input && rhs == update) && !(lhs == update && rhs == input))
      return false;
  }
  return first != nullptr;
}

Rule ScatterRule(stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  size_t count = op.getInputs().size();
  mlir::Region& body = op.getUpdateComputation();
  bool reduction = !body.empty() && IsSupportedReduction(body.front(), count);
  RuleBuilder builder(op);
  AddIndexedFactors({ShapeOf(op.getInputs()[0]), ShapeOf(op.getScatterIndices()),
                     ShapeOf(op.getUpdates()[0]), numbers.getUpdateWindowDims(),
                     numbers.getInsertedWindowDims(), numbers.getInputBatchingDims(),
                     numbers.getScatterIndicesBatchingDims(), numbers.getIndexVectorDim(),
                     /*is_scatter=*/true, reduction ? kReduction : kReplicate,
                     [&](int64_t input, int64_t indices, int64_t slices, Factor factor) {
                       llvm::SmallVector<int64_t> operands(count, input),
                           results(count, input);
                       operands.push_back(indices);
                       operands.append(count, slices);
                       builder.Add(operands, results, factor);
                     }});
  return builder.Build();
}

Rule DynamicUpdateSliceRule(stablehlo::DynamicUpdateSliceOp op) {
  bool constant = llvm::all_of(op.getStartIndices(), [](mlir::Value index) {
    mlir::Operation* source = index.getDefiningOp();
    return source && source->hasTrait<mlir::OpTrait::ConstantLike>();
  });
  llvm::SmallVector<int64_t> operands(op->getNumOperands(), kNoDim);
  RuleBuilder builder(op);
  for (auto [index, sizes] : llvm::enumerate(
           llvm::zip_equal(ShapeOf(op.getOperand()), ShapeOf(op.getUpdate())))) {
    auto [size, update] = sizes;
    auto dim = static_cast<int64_t>(index);
    if (size == update) {
      builder.AddToAll(dim, {size});
      continue;
    }
    operands[0] = dim;
    operands[1] = kNoDim;
    builder.Add(operands, dim, {size});
    operands[0] = kNoDim;
    operands[1] = dim;
    builder.Add(operands, kNoDim, {update, constant ? kPass : kReplicate});
  }
  return builder.Build();
}

}  // namespace

std::optional<Rule> IndexingRule(mlir::Operation* op) {
  using Result = std::optional<Rule>;
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case([](stablehlo::GatherOp op) { return Result(GatherRule(op)); })
      .Case([](stablehlo::ScatterOp op) { return Result(ScatterRule(op)); })
      .Case([](stablehlo::DynamicSliceOp op) {
        return Result(RuleBuilder(op)
                          .AddPointwiseOr(ShapeOf(op.getOperand()),
                                          ShapeOf(op.getResult()),
                                          {1, kReplicate, /*blocked=*/true})
                          .Build());
      })
      .Case([](stablehlo::DynamicUpdateSliceOp op) {
        return Result(DynamicUpdateSliceRule(op));
      })
      .Case<stablehlo::SliceOp, stablehlo::PadOp>([](mlir::Operation* op) {
        return Result(RuleBuilder(op)
                          .AddPointwiseOr(ShapeOf(op->getOperand(0)),
                                          ShapeOf(op->getResult(0)),
                                          {1, FactorKind::kPermutation})
                          .Build());
      })
      .Default([](mlir::Operation*) { return Result(); });
}

}  // namespace tenon::compiler::partition
