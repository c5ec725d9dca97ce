// Custom calls mhlo.erf, mhlo.asin and so on. jaxlib before 0.9 sends these elementwise
// functions as custom calls, later versions as composites of the same name.
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/legalize/chlo_functions.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

LogicalResult RewriteElementFunction(stablehlo::CustomCallOp op,
                                     PatternRewriter& rewriter) {
  llvm::StringRef name = op.getCallTargetName();
  if (!name.consume_front("mhlo.") || op->getNumOperands() != 1 ||
      op->getOperandTypes() != op->getResultTypes() ||
      !llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType()))
    return mlir::failure();
  Value x = op->getOperand(0);
  if (llvm::isa<mlir::ComplexType>(ElementOf(x))) {
    GraphBuilder g(rewriter, op.getLoc());
    Value result = BuildComplexFunction(g, name, x);
    if (!result) return mlir::failure();
    rewriter.replaceOp(op, result);
    return mlir::success();
  }
  auto composite = CreateComposite(rewriter, op.getLoc(), name, x);
  if (!IsElementwise(composite)) {
    rewriter.eraseOp(composite);
    return mlir::failure();
  }
  rewriter.replaceOp(op, composite);
  return mlir::success();
}

}  // namespace

void PopulateElementaryPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteElementFunction);
}

}  // namespace tenon::compiler
