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

// Evaluates ops of constant operands, in program order, so that one pass folds whole
// chains.
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

// What has no elements needs no computing: its ops go, and with them calls of which
// nothing else is used (LAPACK refuses matrices of no rows).
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

// Legalization leaves only composites that are element functions: those have no effects,
// which in general a composite may have.
void EraseUnusedComposites(mlir::func::FuncOp function) {
  llvm::SmallVector<stablehlo::CompositeOp> composites;
  function.walk([&](stablehlo::CompositeOp op) { composites.push_back(op); });
  for (stablehlo::CompositeOp op : llvm::reverse(composites)) {
    if (op->use_empty()) op->erase();
  }
}

}  // namespace

Status Simplify(mlir::func::FuncOp function, const SimplifyOptions& options) {
  // Repeated code first: what is equal is then folded and rewritten once.
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
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  bool changed = false;
  if (mlir::failed(
          mlir::applyPatternsGreedily(function, std::move(patterns), config, &changed)))
    return Internal("the rewrites of the simplification do not come to an end");
  if (changed && options.fold_constants) FoldConstants(function, options);
  SimplifyLoops(function);
  HoistScannedProducts(function);
  share();
  SinkSpreads(function);
  return OkStatus();
}

}  // namespace tenon::compiler
