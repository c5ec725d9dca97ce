// Algorithms of dot_general, as operands and results of the types that they ask for:
// products of those are what kernels make, at least as exactly as the algorithm would.
//
// Operands of one product are rounded to its precision. Several (3, 6 or 9 products of
// parts in bf16 or tf32) approximate f32, which is what they are multiplied in: three
// products in bf16 take longer than one in f32 where instructions multiply bf16 at twice
// the rate (docs/design/0006-products.md, "Algorithms").
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;

bool IsOneProduct(stablehlo::DotAlgorithmAttr algorithm) {
  return algorithm.getLhsComponentCount() == 1 && algorithm.getRhsComponentCount() == 1 &&
         algorithm.getNumPrimitiveOperations() == 1;
}

// 3, 6 or 9 products of parts in bf16, or 3 in tf32, which together are nearly those of
// f32. JAX and XLA give the number of products alone, and one component.
bool IsSplitF32(stablehlo::DotAlgorithmAttr algorithm) {
  mlir::Type part = algorithm.getLhsPrecisionType();
  int64_t parts = algorithm.getLhsComponentCount();
  int64_t products = algorithm.getNumPrimitiveOperations();
  if (part != algorithm.getRhsPrecisionType() ||
      parts != algorithm.getRhsComponentCount() || parts > 3 ||
      !algorithm.getAccumulationType().isF32())
    return false;
  if (products == 3) return part.isBF16() || part.isTF32();
  return part.isBF16() && (products == 6 || products == 9);
}

// Can what the algorithm takes from an operand of type `element` be made of it?
bool Takes(mlir::Type element, mlir::Type precision) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    return complex.getElementType().getIntOrFloatBitWidth() >=
               precision.getIntOrFloatBitWidth() &&
           llvm::isa<mlir::FloatType>(precision);
  if (llvm::isa<mlir::FloatType>(element)) return llvm::isa<mlir::FloatType>(precision);
  return element == precision;
}

mlir::Value Rounded(PatternRewriter& rewriter, mlir::Location loc, mlir::Value operand,
                    mlir::Type precision) {
  auto type = llvm::cast<mlir::RankedTensorType>(operand.getType());
  // tf32 is held by f32, and by what is wider.
  if (type.getElementType() == precision || precision.isTF32() ||
      !llvm::isa<mlir::FloatType>(type.getElementType()))
    return operand;
  return stablehlo::ConvertOp::create(rewriter, loc, type.clone(precision), operand);
}

LogicalResult ApplyAlgorithm(stablehlo::DotGeneralOp op, PatternRewriter& rewriter) {
  stablehlo::DotAlgorithmAttr algorithm = op.getAlgorithmAttr();
  if (!algorithm || !IsSupportedAlgorithm(op)) return mlir::failure();
  mlir::Value lhs = op.getLhs(), rhs = op.getRhs();
  if (IsOneProduct(algorithm)) {
    lhs = Rounded(rewriter, op.getLoc(), lhs, algorithm.getLhsPrecisionType());
    rhs = Rounded(rewriter, op.getLoc(), rhs, algorithm.getRhsPrecisionType());
  }
  // Sums are in f32, or in the result's type if that holds more.
  auto type = llvm::cast<mlir::RankedTensorType>(op.getType());
  bool wide = algorithm.getAccumulationType().isF64() &&
              llvm::isa<mlir::FloatType>(type.getElementType());
  mlir::Type sums = wide ? type.clone(algorithm.getAccumulationType()) : type;
  mlir::Value dot = stablehlo::DotGeneralOp::create(
      rewriter, op.getLoc(), sums, lhs, rhs, op.getDotDimensionNumbersAttr(),
      mlir::ArrayAttr(), stablehlo::DotAlgorithmAttr());
  if (sums != type) dot = stablehlo::ConvertOp::create(rewriter, op.getLoc(), type, dot);
  rewriter.replaceOp(op, dot);
  return mlir::success();
}

}  // namespace

bool IsSupportedAlgorithm(stablehlo::DotGeneralOp op) {
  stablehlo::DotAlgorithmAttr algorithm = op.getAlgorithmAttr();
  if (!algorithm) return true;
  mlir::Type left = ElementOf(op.getLhs()), right = ElementOf(op.getRhs());
  if (!Takes(left, algorithm.getLhsPrecisionType()) ||
      !Takes(right, algorithm.getRhsPrecisionType()))
    return false;
  return IsOneProduct(algorithm) || IsSplitF32(algorithm);
}

void PopulateDotAlgorithmPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(ApplyAlgorithm);
}

}  // namespace tenon::compiler
