// Gathers along one dimension whose indices are constants with one distance, such as
// `x[..., [2, 1, 0]]` and `jnp.take(x, np.arange(0, n, 3), axis=1)`: slices.
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Matchers.h"
#include "tenon/compiler/simplify/algebra.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType TypeOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

// The first index, the distance and the number of indices.
struct AffineIndices {
  int64_t first, step, count;
};

// The indices of a constant, perhaps broadcast or reshaped to further dimensions of size
// one, if they have one distance other than zero and are in 0 .. size - 1.
std::optional<AffineIndices> AffineIndicesOf(Value value, int64_t size) {
  mlir::Operation* op = value.getDefiningOp();
  // Neither changes the order of the elements if their number is the same: a broadcast
  // lists its dimensions in increasing order here.
  auto broadcast = llvm::dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op);
  if ((broadcast && llvm::is_sorted(broadcast.getBroadcastDimensions())) ||
      llvm::isa_and_nonnull<stablehlo::ReshapeOp>(op)) {
    Value operand = op->getOperand(0);
    if (TypeOf(operand).getNumElements() == TypeOf(value).getNumElements())
      value = operand;
  }
  mlir::DenseIntElementsAttr indices;
  if (!mlir::matchPattern(value, mlir::m_Constant(&indices)) ||
      indices.getNumElements() == 0)
    return std::nullopt;
  std::optional<AffineIndices> result;
  int64_t previous = 0;
  const bool is_unsigned = indices.getElementType().isUnsignedInteger();
  for (const llvm::APInt& number : indices.getValues<llvm::APInt>()) {
    if (number.getBitWidth() > 64 || (!is_unsigned && number.isNegative()) ||
        number.uge(static_cast<uint64_t>(size)))
      return std::nullopt;
    const auto index = static_cast<int64_t>(number.getZExtValue());
    if (!result) {
      result = {index, 0, 0};
    } else if (result->count == 1) {
      result->step = index - previous;
    } else if (index - previous != result->step) {
      return std::nullopt;
    }
    previous = index;
    ++result->count;
  }
  if (result->count == 1) result->step = 1;
  if (result->step == 0) return std::nullopt;
  return result;
}

// The only dimension that the gather indexes, if it reads whole slices of all others, and
// its indices are in one dimension of the result.
std::optional<int64_t> IndexedDimension(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType operand = TypeOf(op.getOperand());
  if (numbers.getStartIndexMap().size() != 1 ||
      numbers.getStartIndexMap() != numbers.getCollapsedSliceDims() ||
      !numbers.getOperandBatchingDims().empty() ||
      TypeOf(op.getResult()).getRank() != operand.getRank())
    return std::nullopt;
  const int64_t dim = numbers.getStartIndexMap()[0];
  for (auto [d, size] : llvm::enumerate(op.getSliceSizes()))
    if (static_cast<int64_t>(d) != dim && size != operand.getDimSize(d))
      return std::nullopt;
  return dim;
}

mlir::LogicalResult SliceOfAffineIndices(stablehlo::GatherOp op,
                                         mlir::PatternRewriter& rewriter) {
  auto dim = IndexedDimension(op);
  if (!dim) return mlir::failure();
  RankedTensorType operand = TypeOf(op.getOperand());
  auto indices = AffineIndicesOf(op.getStartIndices(), operand.getDimSize(*dim));
  if (!indices) return mlir::failure();
  const int64_t last = indices->first + (indices->count - 1) * indices->step;
  llvm::SmallVector<int64_t> starts(operand.getRank(), 0), limits(operand.getShape()),
      strides(operand.getRank(), 1), sizes(operand.getShape());
  starts[*dim] = std::min(indices->first, last);
  limits[*dim] = std::max(indices->first, last) + 1;
  strides[*dim] = std::abs(indices->step);
  sizes[*dim] = indices->count;
  mlir::Location loc = op.getLoc();
  Value result = stablehlo::SliceOp::create(rewriter, loc, operand.clone(sizes),
                                            op.getOperand(), starts, limits, strides);
  if (indices->step < 0)
    result = stablehlo::ReverseOp::create(rewriter, loc, result.getType(), result,
                                          llvm::ArrayRef<int64_t>(*dim));
  // The result has the operand's other dimensions at `offsets`, and that of the indices
  // where it has none.
  llvm::SmallVector<int64_t> permutation;
  auto offsets = op.getDimensionNumbers().getOffsetDims();
  int64_t other = 0;
  for (int64_t d = 0; d < operand.getRank(); ++d) {
    if (llvm::is_contained(offsets, d))
      permutation.push_back(other == *dim ? ++other : other), ++other;
    else
      permutation.push_back(*dim);
  }
  if (!llvm::is_sorted(permutation))
    result =
        stablehlo::TransposeOp::create(rewriter, loc, op.getType(), result, permutation);
  rewriter.replaceOp(op, result);
  return mlir::success();
}

}  // namespace

void PopulateAffineGatherPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(SliceOfAffineIndices);
}

}  // namespace tenon::compiler
