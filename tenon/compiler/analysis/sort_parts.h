// What of a sort is wanted, and what it need not read: for fusion. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_SORT_PARTS_H_
#define TENON_COMPILER_ANALYSIS_SORT_PARTS_H_

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// The dimension that is sorted along, counted from the first one.
int64_t SortedDimension(stablehlo::SortOp sort);

// The comparator orders elements by keys: results that nobody uses need not be made.
bool HasKnownOrder(stablehlo::SortOp sort);

// The sort, of known order, of whose rows `op` is the first elements, if nothing else is
// used of it but such slices of the same length; else null.
stablehlo::SortOp SortOfPrefix(mlir::Operation* op);

// Operand number `operand` is each element's position in its row, and no key.
bool ArePositions(stablehlo::SortOp sort, unsigned operand);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_SORT_PARTS_H_
