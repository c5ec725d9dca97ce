// Splits reductions of many elements to few results, so that several threads have work.
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/arg_reduction.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

// Rewrites a selection whose value result is unused to select the value from the same
// side as the position. Of equal values JAX's argmax body takes the position of the first
// and the value of the last; these differ only in the sign of zeros.
LogicalResult SelectOneSide(stablehlo::ReduceOp op, PatternRewriter& rewriter) {
  mlir::Block& body = op.getBody().front();
  if (op.getInputs().size() != 2 || stablehlo::ProveSelection(body))
    return mlir::failure();
  auto selection = stablehlo::ProveSelection(body, /*ignore_ties=*/true);
  if (!selection || !op.getResult(selection->value).use_empty()) return mlir::failure();
  mlir::Operation* end = body.getTerminator();
  auto by_position =
      end->getOperand(selection->position).getDefiningOp<stablehlo::SelectOp>();
  if (!by_position) return mlir::failure();
  Value left = body.getArgument(selection->value);
  Value right = body.getArgument(selection->value + 2);
  if (by_position.getOnTrue() != body.getArgument(selection->position))
    std::swap(left, right);
  if (by_position.getOnFalse() == by_position.getOnTrue()) return mlir::failure();
  rewriter.setInsertionPoint(end);
  Value value = stablehlo::SelectOp::create(rewriter, op.getLoc(), left.getType(),
                                            by_position.getPred(), left, right);
  rewriter.modifyOpInPlace(op, [&] { end->setOperand(selection->value, value); });
  return mlir::success();
}

// Returns whether parts along `dim` may be reduced separately, each from the initial
// value. For a selection, `dim` must be the outermost reduced dimension, which keeps its
// order.
bool MaySplit(stablehlo::ReduceOp op, int64_t dim) {
  mlir::Block& body = op.getBody().front();
  if (stablehlo::IsReorderable(body))
    return stablehlo::InitMayRepeat(body, op.getInitValues());
  return dim == *llvm::min_element(op.getDimensions()) &&
         stablehlo::PositionOperand(op).has_value();
}

// The largest divisor of `size` up to `limit`.
int64_t PartsOf(int64_t size, int64_t limit) {
  int64_t parts = std::min(size, limit);
  while (parts > 1 && size % parts != 0) --parts;
  return parts;
}

int64_t BytesOf(RankedTensorType type) {
  return ElementBytes(ir::ElementTypeOf(type.getElementType()));
}

// The reduced dimension to split into up to `limit` parts: the outermost one that has
// half as many, so that parts are long rows, or the one with the most.
int64_t DimensionToSplit(stablehlo::ReduceOp op, llvm::ArrayRef<int64_t> shape,
                         int64_t limit) {
  llvm::SmallVector<int64_t> dims(op.getDimensions());
  llvm::sort(dims);
  int64_t best = dims[0];
  for (int64_t dim : dims) {
    const int64_t parts = PartsOf(shape[dim], limit);
    if (2 * parts >= limit) return dim;
    if (parts > PartsOf(shape[best], limit)) best = dim;
  }
  return best;
}

// reduce(x[n, ...]) = reduce(reduce(x[parts, n / parts, ...])). The split depends only on
// the shape and the target, so results do not depend on the number of threads.
class SplitReduce : public mlir::OpRewritePattern<stablehlo::ReduceOp> {
 public:
  SplitReduce(mlir::MLIRContext* context, const ReductionOptions& options)
      : OpRewritePattern(context), options_(options) {}

  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter& rewriter) const override;

 private:
  const ReductionOptions options_;
};

LogicalResult SplitReduce::matchAndRewrite(stablehlo::ReduceOp op,
                                           PatternRewriter& rewriter) const {
  auto type = llvm::cast<RankedTensorType>(op.getInputs()[0].getType());
  if (!type.hasStaticShape() || op.getDimensions().empty()) return mlir::failure();
  auto result = llvm::cast<RankedTensorType>(op.getResult(0).getType());
  int64_t results = std::max<int64_t>(1, result.getNumElements());
  // Column reductions have their results in lanes, so a row of results is one unit of
  // work.
  bool columns = !llvm::is_contained(op.getDimensions(), type.getRank() - 1);
  const int64_t elements = type.getNumElements() / results;
  if (elements < (columns ? options_.min_column : options_.min_elements))
    return mlir::failure();
  int64_t units =
      columns ? (results + options_.unit_columns - 1) / options_.unit_columns : results;
  if (units >= options_.max_units) return mlir::failure();
  const int64_t min_part = columns ? options_.min_column_part : options_.min_part;
  int64_t wanted = options_.max_units / units;
  if (results == 1 && options_.max_part_bytes > 0)
    wanted = std::max(wanted, elements * BytesOf(type) / options_.max_part_bytes);
  const int64_t limit = std::min(wanted, elements / min_part);
  const int64_t dim = DimensionToSplit(op, type.getShape(), limit);
  if (!MaySplit(op, dim)) return mlir::failure();
  const int64_t parts = PartsOf(type.getDimSize(dim), limit);
  if (parts < 2) return mlir::failure();

  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= parts;
  shape.insert(shape.begin() + dim, parts);
  llvm::SmallVector<int64_t> inner_dims, partial_shape;
  int64_t outer_dim = 0;
  for (int64_t d : op.getDimensions()) inner_dims.push_back(d >= dim ? d + 1 : d);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (llvm::is_contained(inner_dims, d)) continue;
    if (d == dim) outer_dim = partial_shape.size();
    partial_shape.push_back(shape[d]);
  }
  auto element = [](Value value) {
    return llvm::cast<RankedTensorType>(value.getType()).getElementType();
  };
  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<mlir::Type> partial_types;
  for (Value input : op.getInputs()) {
    inputs.push_back(stablehlo::ReshapeOp::create(
        rewriter, op.getLoc(), RankedTensorType::get(shape, element(input)), input));
    partial_types.push_back(RankedTensorType::get(partial_shape, element(input)));
  }
  auto inner = stablehlo::ReduceOp::create(rewriter, op.getLoc(), partial_types, inputs,
                                           op.getInitValues(), inner_dims);
  rewriter.cloneRegionBefore(op.getBody(), inner.getBody(), inner.getBody().end());
  auto outer = stablehlo::ReduceOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                                           inner.getResults(), op.getInitValues(),
                                           llvm::ArrayRef<int64_t>{outer_dim});
  rewriter.cloneRegionBefore(op.getBody(), outer.getBody(), outer.getBody().end());
  rewriter.replaceOp(op, outer.getResults());
  return mlir::success();
}

}  // namespace

void PopulateReductionPatterns(mlir::RewritePatternSet& patterns,
                               const ReductionOptions& options) {
  patterns.add(SelectOneSide, mlir::PatternBenefit(2));
  patterns.add<SplitReduce>(patterns.getContext(), options);
}

}  // namespace tenon::compiler
