#include "tenon/compiler/simplify/simplify.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tenon/compiler/simplify/algebra.h"
#include "tenon/compiler/simplify/loops.h"
#include "tenon/compiler/simplify/scanned_products.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/fold.h"

namespace tenon::compiler {
namespace {

// Folds ops with constant operands. Visits them in program order, so that one pass folds
// whole chains.
void FoldConstants(mlir::func::FuncOp function, const SimplifyOptions& options) {
  reference::FoldOptions fold_options;
  fold_options.flush_denormals = !options.ieee_denormals;
  llvm::SmallVector<mlir::Operation*> dead;
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (op == function || llvm::isa<stablehlo::ConstantOp>(op) ||
        op->getNumResults() == 0)
      return mlir::WalkResult::advance();
    auto values = reference::FoldOp(op, fold_options);
    if (!values) return mlir::WalkResult::advance();
    mlir::OpBuilder b(op);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *values)) {
      auto elements = llvm::cast<mlir::ElementsAttr>(value);
      result.replaceAllUsesWith(
          stablehlo::ConstantOp::create(b, op->getLoc(), elements).getResult());
    }
    dead.push_back(op);
    return mlir::WalkResult::skip();
  });
  for (mlir::Operation* op : llvm::reverse(dead)) op->erase();
}

// Replaces values without elements by constants. A call that has no other used result
// becomes dead, which matters because LAPACK refuses matrices without rows.
void ReplaceEmptyValues(mlir::func::FuncOp function) {
  function.walk([](mlir::Operation* op) {
    if (llvm::isa<stablehlo::ConstantOp>(op)) return;
    for (mlir::Value result : op->getResults()) {
      auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
      if (!type || result.use_empty() || !type.hasStaticShape() ||
          type.getNumElements() != 0)
        continue;
      mlir::OpBuilder b(op);
      auto none = mlir::DenseElementsAttr::get(type, llvm::ArrayRef<mlir::Attribute>());
      result.replaceAllUsesWith(
          stablehlo::ConstantOp::create(b, op->getLoc(), none).getResult());
    }
  });
}

// In general a composite may have side effects. Those that legalization leaves are
// elementwise functions, which have none.
void EraseUnusedComposites(mlir::func::FuncOp function) {
  llvm::SmallVector<stablehlo::CompositeOp> composites;
  function.walk([&](stablehlo::CompositeOp op) { composites.push_back(op); });
  for (stablehlo::CompositeOp op : llvm::reverse(composites)) {
    if (op->use_empty()) op->erase();
  }
}

}  // namespace

Status Simplify(mlir::func::FuncOp function, const SimplifyOptions& options) {
  // CSE comes first, so that equal ops are folded and rewritten once.
  mlir::IRRewriter rewriter(function.getContext());
  auto share = [&] {
    EraseUnusedComposites(function);
    mlir::DominanceInfo dominance(function);
    mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
  };
  ReplaceEmptyValues(function);
  share();
  if (options.fold_constants) FoldConstants(function, options);
  mlir::RewritePatternSet patterns(function.getContext());
  PopulateAlgebraPatterns(patterns);
  PopulateMovePatterns(patterns);
  PopulateTransposePatterns(patterns);
  PopulateStackPatterns(patterns);
  PopulateAffineGatherPatterns(patterns);
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  bool changed = false;
  if (mlir::failed(
          mlir::applyPatternsGreedily(function, std::move(patterns), config, &changed)))
    return Internal(
        "simplification does not converge: its rewrites still apply after the last pass");
  if (changed && options.fold_constants) FoldConstants(function, options);
  SimplifyLoops(function);
  IndexIotas(function);
  HoistScannedProducts(function);
  share();
  SinkBroadcasts(function);
  return OkStatus();
}

}  // namespace tenon::compiler
