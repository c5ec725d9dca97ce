// Implements dot_general's algorithms by converting operands and results to the types
// that they ask for. Kernels multiply these types at least as precisely as the algorithm
// requires.
//
// For a single product, operands are rounded to its precision. Algorithms of several
// products (3, 6 or 9 products of parts in bf16 or tf32) approximate f32, so they are
// computed in f32. Three bf16 products take longer than one f32 product if instructions
// multiply bf16 at twice the rate of f32 (docs/design/0006-products.md, "Algorithms").
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

// Returns whether the algorithm is a sum of 3, 6 or 9 products of parts in bf16, or 3 in
// tf32, which together approximate f32. JAX and XLA set only the number of products, and
// one component.
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

// Returns whether an operand of type `element` can be converted to the algorithm's
// precision.
bool CanConvert(mlir::Type element, mlir::Type precision) {
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
  // f32 and wider types represent every tf32 value.
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
  // Sums are in f32, or in the result's type if that is wider.
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
  if (!CanConvert(left, algorithm.getLhsPrecisionType()) ||
      !CanConvert(right, algorithm.getRhsPrecisionType()))
    return false;
  return IsOneProduct(algorithm) || IsSplitF32(algorithm);
}

void PopulateDotAlgorithmPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(ApplyAlgorithm);
}

}  // namespace tenon::compiler
