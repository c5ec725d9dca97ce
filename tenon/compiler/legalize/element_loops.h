// Ops whose computation is no formula of scalars, such as one with a loop: computed one
// element after the other, by the program instead of a kernel. Slow, but for every
// computation.
#ifndef TENON_COMPILER_LEGALIZE_ELEMENT_LOOPS_H_
#define TENON_COMPILER_LEGALIZE_ELEMENT_LOOPS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler {

// Whether kernels can compute the block: a block of elementwise ops on scalars, and of
// ops that only change the type.
bool IsScalarFormula(mlir::Block& block);

// Rewrites map, reduce, all_reduce and reduce_scatter whose computation is no formula.
// Returns whether anything has changed. Others stay, and are refused later.
bool ExpandToElementLoops(mlir::func::FuncOp function,
                          const stablehlo::ProcessGrid& grid);

// ExpandToElementLoops of an all_reduce or reduce_scatter.
bool ExpandCollective(mlir::Operation* op, const stablehlo::ProcessGrid& grid);

// The results of the block for these arguments, which are converted to its types.
Values InlineComputation(GraphBuilder& g, mlir::Block& block,
                         llvm::ArrayRef<mlir::Value> arguments);

int64_t CountElements(mlir::Value array);
// Element `i` of an array of one dimension.
mlir::Value LoadElement(GraphBuilder& g, mlir::Value array, mlir::Value i);
// The array with `scalar`, converted to its type, as element `i`.
mlir::Value StoreElement(GraphBuilder& g, mlir::Value array, mlir::Value scalar,
                         mlir::Value i);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_ELEMENT_LOOPS_H_
