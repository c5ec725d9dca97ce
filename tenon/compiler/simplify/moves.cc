#include "mlir/IR/Matchers.h"
#include "tenon/compiler/simplify/algebra.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType TypeOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

// Replaces an op that keeps its operand's type by the operand.
template <typename Op>
LogicalResult DropIfSameShape(Op op, PatternRewriter& rewriter) {
  if (op->getOperand(0).getType() != op->getResult(0).getType()) return mlir::failure();
  rewriter.replaceOp(op, op->getOperand(0));
  return mlir::success();
}

LogicalResult SimplifySlice(stablehlo::SliceOp op, PatternRewriter& rewriter) {
  if (op.getOperand().getType() == op.getType()) {
    rewriter.replaceOp(op, op.getOperand());
    return mlir::success();
  }
  // A slice of a slice is one slice.
  auto inner = op.getOperand().getDefiningOp<stablehlo::SliceOp>();
  if (!inner) return mlir::failure();
  llvm::SmallVector<int64_t> starts, limits, strides;
  for (size_t d = 0; d < op.getStartIndices().size(); ++d) {
    int64_t start = inner.getStartIndices()[d], stride = inner.getStrides()[d];
    int64_t first = start + op.getStartIndices()[d] * stride;
    int64_t step = stride * op.getStrides()[d];
    int64_t count = TypeOf(op.getResult()).getDimSize(d);
    starts.push_back(first);
    strides.push_back(step);
    limits.push_back(count == 0 ? first : first + (count - 1) * step + 1);
  }
  rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(op, op.getType(), inner.getOperand(),
                                                  starts, limits, strides);
  return mlir::success();
}

LogicalResult SimplifyPad(stablehlo::PadOp op, PatternRewriter& rewriter) {
  auto none = [](llvm::ArrayRef<int64_t> values) {
    return llvm::all_of(values, [](int64_t value) { return value == 0; });
  };
  if (!none(op.getEdgePaddingLow()) || !none(op.getEdgePaddingHigh()) ||
      !none(op.getInteriorPadding()))
    return mlir::failure();
  rewriter.replaceOp(op, op.getOperand());
  return mlir::success();
}

LogicalResult SimplifyConcatenate(stablehlo::ConcatenateOp op,
                                  PatternRewriter& rewriter) {
  llvm::SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (TypeOf(input).getDimSize(op.getDimension()) != 0) inputs.push_back(input);
  if (inputs.size() == 1 && inputs[0].getType() == op.getType()) {
    rewriter.replaceOp(op, inputs[0]);
    return mlir::success();
  }
  if (inputs.empty() || inputs.size() == op.getInputs().size()) return mlir::failure();
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
  return mlir::success();
}

LogicalResult SimplifyReverse(stablehlo::ReverseOp op, PatternRewriter& rewriter) {
  bool moves = llvm::any_of(op.getDimensions(), [&](int64_t dim) {
    return TypeOf(op.getOperand()).getDimSize(dim) > 1;
  });
  if (moves) return mlir::failure();
  rewriter.replaceOp(op, op.getOperand());
  return mlir::success();
}

// Merges adjacent reversed dimensions into one. Its index then needs no division, and
// vectors continue across the ends of rows.
LogicalResult MergeReversed(stablehlo::ReverseOp op, PatternRewriter& rewriter) {
  RankedTensorType type = TypeOf(op.getOperand());
  if (!type.hasStaticShape()) return mlir::failure();
  llvm::SmallVector<int64_t> shape, dims;
  bool merged = false, previous = false;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    bool reversed = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d));
    if (reversed && previous) {
      shape.back() *= size;
      merged = true;
    } else {
      if (reversed) dims.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(size);
    }
    previous = reversed;
  }
  if (!merged) return mlir::failure();
  auto flat = RankedTensorType::get(shape, type.getElementType());
  Value operand =
      stablehlo::ReshapeOp::create(rewriter, op.getLoc(), flat, op.getOperand());
  Value reversed =
      stablehlo::ReverseOp::create(rewriter, op.getLoc(), flat, operand, dims);
  rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, type, reversed);
  return mlir::success();
}

LogicalResult MergeBroadcasts(stablehlo::BroadcastInDimOp op, PatternRewriter& rewriter) {
  if (op.getOperand().getType() == op.getType() &&
      llvm::is_sorted(op.getBroadcastDimensions())) {
    rewriter.replaceOp(op, op.getOperand());
    return mlir::success();
  }
  auto inner = op.getOperand().getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!inner) return mlir::failure();
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim : inner.getBroadcastDimensions())
    dims.push_back(op.getBroadcastDimensions()[dim]);
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, op.getType(),
                                                           inner.getOperand(), dims);
  return mlir::success();
}

// A dynamic_slice with constant indices is a slice, which needs no index arithmetic.
LogicalResult FixDynamicSlice(stablehlo::DynamicSliceOp op, PatternRewriter& rewriter) {
  llvm::SmallVector<int64_t> starts, limits;
  RankedTensorType type = TypeOf(op.getOperand());
  for (auto [d, value] : llvm::enumerate(op.getStartIndices())) {
    int64_t size = op.getSliceSizes()[d], last = type.getDimSize(d) - size;
    llvm::APInt start;
    if (last != 0) {
      if (!mlir::matchPattern(value, mlir::m_ConstantInt(&start))) return mlir::failure();
      bool is_unsigned =
          llvm::cast<mlir::IntegerType>(TypeOf(value).getElementType()).isUnsigned();
      int64_t wanted = start.getActiveBits() > 63 && is_unsigned ? last
                       : is_unsigned ? static_cast<int64_t>(start.getZExtValue())
                                     : start.getSExtValue();
      starts.push_back(std::clamp<int64_t>(wanted, 0, last));
    } else {
      starts.push_back(0);
    }
    limits.push_back(starts.back() + size);
  }
  rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(
      op, op.getType(), op.getOperand(), starts, limits,
      llvm::SmallVector<int64_t>(starts.size(), 1));
  return mlir::success();
}

// A slice of a broadcast scalar is a smaller broadcast.
LogicalResult SliceOfScalarBroadcast(stablehlo::SliceOp op, PatternRewriter& rewriter) {
  auto broadcast = op.getOperand().getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!broadcast || TypeOf(broadcast.getOperand()).getRank() != 0) return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
      op, op.getType(), broadcast.getOperand(), llvm::ArrayRef<int64_t>());
  return mlir::success();
}

// The transpose of a product is the product with its factors exchanged: (a b)^T = b^T
// a^T. dot_general's dimension numbers absorb the transposes. Gradients of weights have
// this form.
LogicalResult TransposeOfProduct(stablehlo::TransposeOp op, PatternRewriter& rewriter) {
  auto dot = op.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
  if (!dot || !dot->hasOneUse() || dot.getAlgorithmAttr()) return mlir::failure();
  auto numbers = dot.getDotDimensionNumbers();
  int64_t batch = numbers.getLhsBatchingDimensions().size();
  int64_t rows = TypeOf(dot.getLhs()).getRank() - batch -
                 static_cast<int64_t>(numbers.getLhsContractingDimensions().size());
  int64_t rank = TypeOf(op.getResult()).getRank();
  if (rows == 0 || batch + rows == rank) return mlir::failure();
  llvm::SmallVector<int64_t> swapped;
  llvm::append_range(swapped, llvm::seq<int64_t>(0, batch));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch + rows, rank));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch, batch + rows));
  if (op.getPermutation() != llvm::ArrayRef<int64_t>(swapped)) return mlir::failure();
  mlir::ArrayAttr precision = dot.getPrecisionConfigAttr();
  if (precision && precision.size() == 2)
    precision = rewriter.getArrayAttr({precision[1], precision[0]});
  auto swapped_numbers = stablehlo::DotDimensionNumbersAttr::get(
      op.getContext(), numbers.getRhsBatchingDimensions(),
      numbers.getLhsBatchingDimensions(), numbers.getRhsContractingDimensions(),
      numbers.getLhsContractingDimensions());
  rewriter.replaceOpWithNewOp<stablehlo::DotGeneralOp>(
      op, op.getType(), dot.getRhs(), dot.getLhs(), swapped_numbers, precision,
      stablehlo::DotAlgorithmAttr());
  return mlir::success();
}

}  // namespace

void PopulateMovePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(SimplifySlice);
  patterns.add(SimplifyPad);
  patterns.add(SimplifyConcatenate);
  patterns.add(SimplifyReverse);
  patterns.add(MergeReversed);
  patterns.add(MergeBroadcasts);
  patterns.add(FixDynamicSlice);
  patterns.add(SliceOfScalarBroadcast);
  patterns.add(TransposeOfProduct);
  patterns.add(DropIfSameShape<stablehlo::ReshapeOp>);
}

}  // namespace tenon::compiler
