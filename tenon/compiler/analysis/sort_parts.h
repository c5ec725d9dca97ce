// Finds the results and operands that the fusion of a sort need not compute or read.
// Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_SORT_PARTS_H_
#define TENON_COMPILER_ANALYSIS_SORT_PARTS_H_

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// The sorted dimension, as a non-negative index.
int64_t SortedDimension(stablehlo::SortOp sort);

// Whether the comparator orders elements by keys. Unused results are then not computed.
bool HasKnownOrder(stablehlo::SortOp sort);

// If `op` is a slice that takes a prefix of each sorted row: the sort. Null unless the
// sort's order is known and all its uses are such slices of the same length.
stablehlo::SortOp SortOfPrefix(mlir::Operation* op);

// Whether operand number `operand` is each element's position in its row, and no key.
bool ArePositions(stablehlo::SortOp sort, unsigned operand);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_SORT_PARTS_H_
