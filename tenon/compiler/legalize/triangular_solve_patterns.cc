// Triangular systems: StableHLO's op on narrow types, which is computed in f32, and JAX's
// custom calls of LAPACK, which become StableHLO's op.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/lapack_call.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

LogicalResult RewriteTriangularSolve(stablehlo::TriangularSolveOp op,
                                     PatternRewriter& rewriter) {
  Value a = op.getA(), b = op.getB();
  mlir::Type element = ElementOf(b);
  if (TypeOf(b).getNumElements() == 0) {
    rewriter.replaceOp(op, b);
    return mlir::success();
  }
  // Narrow floats have too few bits for intermediate results.
  if (!llvm::isa<mlir::FloatType>(element) || element.getIntOrFloatBitWidth() >= 32)
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  a = g.Convert(a, rewriter.getF32Type());
  b = g.Convert(b, rewriter.getF32Type());
  Value x = stablehlo::TriangularSolveOp::create(
      rewriter, op.getLoc(), b.getType(), a, b, op.getLeftSide(), op.getLower(),
      op.getUnitDiagonal(), op.getTransposeA());
  rewriter.replaceOp(op, g.Convert(x, element));
  return mlir::success();
}

// trsm(a, b) -> x: side 'L' or 'R', uplo 'L' or 'U', trans_x 'N', 'T' or 'C', diag 'N' or
// 'U'.
LogicalResult RewriteTrsm(stablehlo::CustomCallOp op, PatternRewriter& rewriter) {
  if (!IsLapackCall(op, "trsm", 2, 1) ||
      op->getResult(0).getType() != op->getOperand(1).getType())
    return mlir::failure();
  Value a = op->getOperand(0), b = op->getOperand(1);
  Dims of_a = ShapeOf(a), of_b = ShapeOf(b);
  auto side = LapackOption(op, "side"), uplo = LapackOption(op, "uplo"),
       trans = LapackOption(op, "trans_x"), diag = LapackOption(op, "diag");
  if ((side != 'L' && side != 'R') || (uplo != 'L' && uplo != 'U') ||
      (trans != 'N' && trans != 'T' && trans != 'C') || (diag != 'N' && diag != 'U'))
    return mlir::failure();
  int64_t size = side == 'L' ? of_b[of_b.size() - 2] : of_b.back();
  if (ElementOf(a) != ElementOf(b) || of_a.drop_back(2) != of_b.drop_back(2) ||
      of_a.back() != size || of_a[of_a.size() - 2] != size)
    return mlir::failure();
  auto form = trans == 'N'   ? stablehlo::Transpose::NO_TRANSPOSE
              : trans == 'T' ? stablehlo::Transpose::TRANSPOSE
                             : stablehlo::Transpose::ADJOINT;
  rewriter.replaceOpWithNewOp<stablehlo::TriangularSolveOp>(
      op, b.getType(), a, b, side == 'L', uplo == 'L', diag == 'U', form);
  return mlir::success();
}

}  // namespace

void PopulateTriangularSolvePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteTriangularSolve);
  patterns.add(RewriteTrsm);
}

}  // namespace tenon::compiler
