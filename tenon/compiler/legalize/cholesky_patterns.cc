// Cholesky factorizations: StableHLO's op, and JAX's custom calls of LAPACK, which become
// Tenon's own factorization.
#include <limits>

#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/lapack_call.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

ir::CholeskyOp Factor(GraphBuilder& g, Value a, bool lower) {
  auto status =
      mlir::RankedTensorType::get(ShapeOf(a).drop_back(2), g.builder().getI32Type());
  return ir::CholeskyOp::create(g.builder(), g.loc(), a.getType(), status, a, lower);
}

// The factor of a matrix that is not positive definite is all NaN.
LogicalResult RewriteCholesky(stablehlo::CholeskyOp op, PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  Value a = op.getA();
  mlir::Type element = ElementOf(a);
  if (TypeOf(a).getNumElements() == 0) {
    rewriter.replaceOp(op, a);
    return mlir::success();
  }
  // Narrow floats have too few bits for intermediate results.
  if (llvm::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    a = g.Convert(a, rewriter.getF32Type());
  ir::CholeskyOp factor = Factor(g, a, op.getLower());
  Value valid = g.Compare(factor.getStatus(), g.IntegerLike(factor.getStatus(), 0),
                          stablehlo::ComparisonDirection::EQ);
  Value nan = g.Like(a, std::numeric_limits<double>::quiet_NaN());
  Value result = g.Select(g.BroadcastLeading(valid, ShapeOf(a)), factor.getFactor(), nan);
  rewriter.replaceOp(op, g.Convert(result, element));
  return mlir::success();
}

// potrf(a) -> factor, status; uplo is 'L' or 'U'. The other triangle keeps its input.
LogicalResult RewritePotrf(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (!IsLapackCall(op, "potrf", 1, 2) ||
      op->getResult(0).getType() != op->getOperand(0).getType())
    return mlir::failure();
  Value a = op->getOperand(0);
  auto uplo = LapackOption(op, "uplo");
  if (ShapeOf(a).back() != ShapeOf(a)[ShapeOf(a).size() - 2] ||
      !IsLapackNumbers(op->getResult(1), ShapeOf(a).drop_back(2)) ||
      (uplo != 'L' && uplo != 'U'))
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  ir::CholeskyOp factor = Factor(g, a, uplo == 'L');
  int64_t rank = ShapeOf(a).size();
  Value row = g.Iota(rewriter.getI32Type(), ShapeOf(a), rank - 2);
  Value column = g.Iota(rewriter.getI32Type(), ShapeOf(a), rank - 1);
  Value inside = g.Compare(uplo == 'L' ? row : column, uplo == 'L' ? column : row,
                           stablehlo::ComparisonDirection::GE);
  rewriter.replaceOp(op, {g.Select(inside, factor.getFactor(), a), factor.getStatus()});
  return mlir::success();
}

}  // namespace

void PopulateCholeskyPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteCholesky);
  patterns.add(RewritePotrf);
}

}  // namespace tenon::compiler
