// Matrix products in the one form that kernels take: dot_general whose batch, free and
// contracting dimensions each lie one behind the other in memory.
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

LogicalResult RewriteDot(stablehlo::DotOp op, PatternRewriter& rewriter) {
  auto lhs = llvm::cast<RankedTensorType>(op.getLhs().getType());
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {},
                                                         {lhs.getRank() - 1}, {0});
  rewriter.replaceOpWithNewOp<stablehlo::DotGeneralOp>(
      op, op.getType(), op.getLhs(), op.getRhs(), numbers, op.getPrecisionConfigAttr(),
      stablehlo::DotAlgorithmAttr());
  return mlir::success();
}

// Whether `dims`, in this order, can be walked with one stride in a row-major tensor.
bool Collapses(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) {
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (shape[dim] == 1) continue;
    if (previous >= 0) {
      if (dim < previous) return false;
      for (int64_t between = previous + 1; between < dim; ++between)
        if (shape[between] != 1) return false;
    }
    previous = dim;
  }
  return true;
}

// Makes an operand's dimensions [batch, free, contracting] by a transpose, if they do not
// collapse as they are. Returns whether it did; the lists then count from the new
// positions.
bool Normalize(PatternRewriter& rewriter, mlir::Location loc, Value& operand,
               llvm::SmallVector<int64_t>& batch,
               llvm::SmallVector<int64_t>& contracting) {
  auto type = llvm::cast<RankedTensorType>(operand.getType());
  llvm::SmallVector<int64_t> free;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
      free.push_back(d);
  if (Collapses(batch, type.getShape()) && Collapses(free, type.getShape()) &&
      Collapses(contracting, type.getShape()))
    return false;
  llvm::SmallVector<int64_t> permutation(batch);
  llvm::append_range(permutation, free);
  llvm::append_range(permutation, contracting);
  llvm::SmallVector<int64_t> shape;
  for (int64_t d : permutation) shape.push_back(type.getDimSize(d));
  operand = stablehlo::TransposeOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()), operand,
      permutation);
  for (size_t i = 0; i < batch.size(); ++i) batch[i] = i;
  for (size_t i = 0; i < contracting.size(); ++i)
    contracting[i] = batch.size() + free.size() + i;
  return true;
}

LogicalResult NormalizeDotGeneral(stablehlo::DotGeneralOp op, PatternRewriter& rewriter) {
  auto numbers = op.getDotDimensionNumbers();
  auto list = [](llvm::ArrayRef<int64_t> dims) {
    return llvm::SmallVector<int64_t>(dims);
  };
  auto lhs_batch = list(numbers.getLhsBatchingDimensions());
  auto lhs_contracting = list(numbers.getLhsContractingDimensions());
  auto rhs_batch = list(numbers.getRhsBatchingDimensions());
  auto rhs_contracting = list(numbers.getRhsContractingDimensions());
  Value lhs = op.getLhs(), rhs = op.getRhs();
  bool changed = Normalize(rewriter, op.getLoc(), lhs, lhs_batch, lhs_contracting);
  changed |= Normalize(rewriter, op.getLoc(), rhs, rhs_batch, rhs_contracting);
  if (!changed) return mlir::failure();
  auto normalized = stablehlo::DotDimensionNumbersAttr::get(
      op.getContext(), lhs_batch, rhs_batch, lhs_contracting, rhs_contracting);
  rewriter.modifyOpInPlace(op, [&] {
    op.getLhsMutable().assign(lhs);
    op.getRhsMutable().assign(rhs);
    op.setDotDimensionNumbersAttr(normalized);
  });
  return mlir::success();
}

}  // namespace

void PopulateContractionPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteDot);
  patterns.add(NormalizeDotGeneral);
}

}  // namespace tenon::compiler
