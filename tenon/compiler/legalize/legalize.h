// Brings a StableHLO module to the ops that the rest of the compiler knows: one function
// without calls and tuples, composites only of elementwise functions, and every op in its
// general form.
#ifndef TENON_COMPILER_LEGALIZE_LEGALIZE_H_
#define TENON_COMPILER_LEGALIZE_LEGALIZE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "tenon/base/status.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler {

// Rewrites CHLO ops to StableHLO. Returns UNIMPLEMENTED or INVALID_ARGUMENT, naming the
// op and its location, for an op that cannot be rewritten. With `keep_top_k`, top_k
// stays, and composites of it become it: it has a sharding rule and a form on parts,
// which a sort and slices do not have.
Status LegalizeChlo(mlir::ModuleOp module, bool keep_top_k = false);

// Inlines every call and composite into `entry`, except composites of known elementwise
// functions. Erases all functions except those that custom calls of `entry` name. Returns
// INVALID_ARGUMENT for recursion.
Status InlineCalls(mlir::ModuleOp module, mlir::func::FuncOp entry);

// Rewrites ops to more general ones and erases all other functions. An op that no pattern
// can rewrite stays; a later phase rejects it by name. If `grid` has one device,
// collectives become their operands.
Status LegalizeOps(mlir::func::FuncOp entry, const stablehlo::ProcessGrid& grid);

// Replaces asynchronous operations by the operations in their bodies, where they start.
void InlineAsyncOps(mlir::ModuleOp module);

// Returns whether kernels compute the product at least as precisely as its algorithm
// asks. LegalizeOps leaves other products unchanged.
bool IsSupportedAlgorithm(stablehlo::DotGeneralOp op);

// All of LegalizeOps as the function pass `tenon-legalize`.
std::unique_ptr<mlir::Pass> CreateLegalizePass();

// Families of rewrite patterns, one file each.
void PopulateShapePatterns(mlir::RewritePatternSet& patterns);
void PopulateAccumulatorPatterns(mlir::RewritePatternSet& patterns);
void PopulateBatchNormPatterns(mlir::RewritePatternSet& patterns);
void PopulateContractionPatterns(mlir::RewritePatternSet& patterns);
void PopulateDotAlgorithmPatterns(mlir::RewritePatternSet& patterns);
void PopulateReductionPatterns(mlir::RewritePatternSet& patterns);
void PopulateBranchPatterns(mlir::RewritePatternSet& patterns);
void PopulateCollectivePatterns(mlir::RewritePatternSet& patterns,
                                const stablehlo::ProcessGrid& grid);
void PopulateCollectiveReducePatterns(mlir::RewritePatternSet& patterns,
                                      const stablehlo::ProcessGrid& grid);
void PopulateTokenPatterns(mlir::RewritePatternSet& patterns);
void PopulateCustomCallPatterns(mlir::RewritePatternSet& patterns);
void PopulateElementaryPatterns(mlir::RewritePatternSet& patterns);
void PopulateRngPatterns(mlir::RewritePatternSet& patterns);
void PopulateTriangularSolvePatterns(mlir::RewritePatternSet& patterns);
void PopulateCholeskyPatterns(mlir::RewritePatternSet& patterns);
void PopulateLuPatterns(mlir::RewritePatternSet& patterns);
void PopulateFftPatterns(mlir::RewritePatternSet& patterns);
void PopulateEinsumPatterns(mlir::RewritePatternSet& patterns);
void PopulateDynamicShapePatterns(mlir::RewritePatternSet& patterns);
void PopulateHouseholderPatterns(mlir::RewritePatternSet& patterns);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_LEGALIZE_H_
