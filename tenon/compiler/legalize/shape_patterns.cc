// Rewrites ops that are special cases of others, and ops without effect on one device.
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;

// stablehlo.broadcast adds new leading dimensions.
LogicalResult RewriteBroadcast(stablehlo::BroadcastOp op, PatternRewriter& rewriter) {
  int64_t added = op.getBroadcastSizes().size();
  llvm::SmallVector<int64_t> dims;
  auto operand = llvm::cast<mlir::RankedTensorType>(op.getOperand().getType());
  for (int64_t d = 0; d < operand.getRank(); ++d) dims.push_back(added + d);
  rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(op, op.getType(),
                                                           op.getOperand(), dims);
  return mlir::success();
}

LogicalResult RewriteBarrier(stablehlo::OptimizationBarrierOp op,
                             PatternRewriter& rewriter) {
  rewriter.replaceOp(op, op.getOperand());
  return mlir::success();
}

LogicalResult RewriteTupleElement(stablehlo::GetTupleElementOp op,
                                  PatternRewriter& rewriter) {
  auto tuple = op.getOperand().getDefiningOp<stablehlo::TupleOp>();
  if (!tuple) return mlir::failure();
  rewriter.replaceOp(op, tuple.getVal()[op.getIndex()]);
  return mlir::success();
}

LogicalResult RewriteDimensionSize(stablehlo::GetDimensionSizeOp op,
                                   PatternRewriter& rewriter) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(op.getOperand().getType());
  if (!type || type.isDynamicDim(op.getDimension())) return mlir::failure();
  auto size = mlir::DenseElementsAttr::get(
      llvm::cast<mlir::ShapedType>(op.getType()),
      rewriter.getI32IntegerAttr(type.getDimSize(op.getDimension())));
  rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(op, size);
  return mlir::success();
}

// A transpose that moves only dimensions of size one is a reshape, which costs nothing.
LogicalResult RewriteTransposeOfOnes(stablehlo::TransposeOp op,
                                     PatternRewriter& rewriter) {
  auto type = llvm::cast<mlir::RankedTensorType>(op.getOperand().getType());
  int64_t last = -1;
  for (int64_t dim : op.getPermutation()) {
    if (type.getDimSize(dim) == 1) continue;
    if (dim < last) return mlir::failure();
    last = dim;
  }
  rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), op.getOperand());
  return mlir::success();
}

LogicalResult RewriteBroadcastOfSameSize(stablehlo::BroadcastInDimOp op,
                                         PatternRewriter& rewriter) {
  auto from = llvm::cast<mlir::RankedTensorType>(op.getOperand().getType());
  auto to = llvm::cast<mlir::RankedTensorType>(op.getType());
  if (from.getNumElements() != to.getNumElements() ||
      !llvm::is_sorted(op.getBroadcastDimensions()))
    return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, to, op.getOperand());
  return mlir::success();
}

LogicalResult RewriteReshape(stablehlo::ReshapeOp op, PatternRewriter& rewriter) {
  if (op.getOperand().getType() == op.getType()) {
    rewriter.replaceOp(op, op.getOperand());
    return mlir::success();
  }
  auto inner = op.getOperand().getDefiningOp<stablehlo::ReshapeOp>();
  if (!inner) return mlir::failure();
  rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), inner.getOperand());
  return mlir::success();
}

LogicalResult RewriteSameTypeConvert(stablehlo::ConvertOp op, PatternRewriter& rewriter) {
  if (op.getOperand().getType() != op.getType()) return mlir::failure();
  rewriter.replaceOp(op, op.getOperand());
  return mlir::success();
}

LogicalResult RewriteDoubleTranspose(stablehlo::TransposeOp op,
                                     PatternRewriter& rewriter) {
  auto inner = op.getOperand().getDefiningOp<stablehlo::TransposeOp>();
  if (!inner) return mlir::failure();
  llvm::SmallVector<int64_t> permutation;
  for (int64_t dim : op.getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  rewriter.replaceOpWithNewOp<stablehlo::TransposeOp>(op, op.getType(),
                                                      inner.getOperand(), permutation);
  return mlir::success();
}

}  // namespace

void PopulateShapePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteBroadcast);
  patterns.add(RewriteBarrier);
  patterns.add(RewriteTupleElement);
  patterns.add(RewriteDimensionSize);
  patterns.add(RewriteTransposeOfOnes);
  patterns.add(RewriteBroadcastOfSameSize);
  patterns.add(RewriteReshape);
  patterns.add(RewriteSameTypeConvert);
  patterns.add(RewriteDoubleTranspose);
}

}  // namespace tenon::compiler
