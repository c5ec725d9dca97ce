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

// How reductions are computed, and those of many elements to few results split, so that
// all threads of a processor, or all groups of a device, have work.
struct ReductionOptions {
  // Results of fewer elements are computed as a whole. A column is a result whose
  // elements are in different rows: the innermost dimension is not reduced.
  int64_t min_elements = 1 << 16, min_column = 1 << 16;
  int64_t min_part = 1, min_column_part = 1;  // elements of a part, at least
  int64_t max_units = 32;                     // of work, into which a reduction is split
  // Larger parts of all elements are split again, so that several reductions of a part
  // find it in the second-level cache. 0: any size.
  int64_t max_part_bytes = 128 << 10;
  int64_t unit_columns = 64;  // neighbouring columns that are one unit
  // Whether maxima and minima of 16-bit floats are computed in f32.
  bool widen_extrema = true;
};

// Rewrites ops to more general ones and erases all other functions. An op that no pattern
// can rewrite stays; a later phase rejects it by name. If `grid` has one device,
// collectives become their operands.
Status LegalizeOps(mlir::func::FuncOp entry, const stablehlo::ProcessGrid& grid,
                   const ReductionOptions& reductions = {});

// Replaces asynchronous operations by the operations in their bodies, where they start.
// Calls of `control_dep` that order them are removed.
void InlineAsyncOps(mlir::ModuleOp module);
// Whether `op` is a call that asks for its first operand to be computed before its
// second, which changes no result. Operations with side effects keep the program's order
// in any case.
bool IsControlDependency(mlir::Operation* op);

// Returns whether kernels compute the product at least as precisely as its algorithm
// asks. LegalizeOps leaves other products unchanged.
bool IsSupportedAlgorithm(stablehlo::DotGeneralOp op);

// All of LegalizeOps as the function pass `tenon-legalize`.
std::unique_ptr<mlir::Pass> CreateLegalizePass();

// Families of rewrite patterns, one file each.
void PopulateShapePatterns(mlir::RewritePatternSet& patterns);
void PopulateAccumulatorPatterns(mlir::RewritePatternSet& patterns, bool widen_extrema);
void PopulateBatchNormPatterns(mlir::RewritePatternSet& patterns);
void PopulateContractionPatterns(mlir::RewritePatternSet& patterns);
void PopulateDotAlgorithmPatterns(mlir::RewritePatternSet& patterns);
void PopulateReductionPatterns(mlir::RewritePatternSet& patterns,
                               const ReductionOptions& reductions);
void PopulateBranchPatterns(mlir::RewritePatternSet& patterns);
void PopulateCollectivePatterns(mlir::RewritePatternSet& patterns,
                                const stablehlo::ProcessGrid& grid);
void PopulateCollectiveReducePatterns(mlir::RewritePatternSet& patterns,
                                      const stablehlo::ProcessGrid& grid);
void PopulateTokenPatterns(mlir::RewritePatternSet& patterns);
void PopulateCustomCallPatterns(mlir::RewritePatternSet& patterns);
void PopulateElementaryPatterns(mlir::RewritePatternSet& patterns);
void PopulateErfcPatterns(mlir::RewritePatternSet& patterns);
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
