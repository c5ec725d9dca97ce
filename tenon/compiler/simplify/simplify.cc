#include "tenon/compiler/simplify/simplify.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace tenon::compiler {

Status Simplify(mlir::func::FuncOp function, const SimplifyOptions&) {
  mlir::IRRewriter rewriter(function.getContext());
  mlir::DominanceInfo dominance(function);
  mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
  return OkStatus();
}

}  // namespace tenon::compiler
