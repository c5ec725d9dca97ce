// Branches in the computation of an op, such as a reducer with lax.cond: kernels compute
// all of them and select.
#include "tenon/compiler/legalize/element_loops.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

bool IsInComputation(mlir::Operation* op) {
  return llvm::isa<stablehlo::MapOp, stablehlo::ReduceOp, stablehlo::ReduceWindowOp,
                   stablehlo::ScatterOp, stablehlo::SelectAndScatterOp, stablehlo::SortOp,
                   stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op->getParentOp());
}

// Branches without loops end, so those that are not taken may be computed, too.
bool MayComputeAll(mlir::Operation* op) {
  return IsInComputation(op) && llvm::all_of(op->getRegions(), [](mlir::Region& region) {
           return IsScalarFormula(region.front());
         });
}

Values Inline(mlir::Region& region, PatternRewriter& rewriter, mlir::Operation* before) {
  mlir::Operation* end = region.front().getTerminator();
  Values results(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(&region.front(), before);
  return results;
}

LogicalResult SelectBranch(stablehlo::IfOp op, PatternRewriter& rewriter) {
  if (!MayComputeAll(op)) return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  Values results = Inline(op.getTrueBranch(), rewriter, op);
  const Values others = Inline(op.getFalseBranch(), rewriter, op);
  for (auto [result, other] : llvm::zip_equal(results, others))
    result = g.Select(op.getPred(), result, other);
  rewriter.replaceOp(op, results);
  return mlir::success();
}

// An index out of range is that of the last branch.
LogicalResult SelectCase(stablehlo::CaseOp op, PatternRewriter& rewriter) {
  if (!MayComputeAll(op)) return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  Value index = op.getIndex();
  Values results = Inline(op.getBranches().back(), rewriter, op);
  for (size_t k = 0; k + 1 < op.getBranches().size(); ++k) {
    const Values branch = Inline(op.getBranches()[k], rewriter, op);
    Value taken =
        g.Compare(index, g.IntegerLike(index, k), stablehlo::ComparisonDirection::EQ);
    for (auto [result, value] : llvm::zip_equal(results, branch))
      result = g.Select(taken, value, result);
  }
  rewriter.replaceOp(op, results);
  return mlir::success();
}

}  // namespace

void PopulateBranchPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(SelectBranch);
  patterns.add(SelectCase);
}

}  // namespace tenon::compiler
