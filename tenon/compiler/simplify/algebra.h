// Algebraic identities of StableHLO ops that hold for every value of their types.
#ifndef TENON_COMPILER_SIMPLIFY_ALGEBRA_H_
#define TENON_COMPILER_SIMPLIFY_ALGEBRA_H_

#include "mlir/IR/PatternMatch.h"

namespace tenon::compiler {

void PopulateAlgebraPatterns(mlir::RewritePatternSet& patterns);
// Rewrites of data movement: merges chains of such ops and drops those that move nothing.
void PopulateMovePatterns(mlir::RewritePatternSet& patterns);
// Transposes that cancel across reductions and reshapes (cancel_transposes.cc).
void PopulateTransposePatterns(mlir::RewritePatternSet& patterns);
// Reductions of stacked arrays combine the arrays (stacks.cc).
void PopulateStackPatterns(mlir::RewritePatternSet& patterns);
// Gathers by constant indices with one distance become slices (affine_gather.cc).
void PopulateAffineGatherPatterns(mlir::RewritePatternSet& patterns);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_ALGEBRA_H_
