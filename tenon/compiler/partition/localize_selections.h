// Arg-reductions, such as argmax, and top_k along a split dimension: every device selects
// from its part, and then from the results of all parts in the order of the positions.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_SELECTIONS_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_SELECTIONS_H_

#include "tenon/compiler/partition/axes.h"
#include "tenon/compiler/partition/sharding.h"
#include "tenon/dialects/chlo/chlo.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {

// Whether the reduction is an arg-reduction of one dimension that may be computed by
// parts. stablehlo::PositionOperand proves that the grouping makes no difference and that
// the initial value may be combined more than once. Consecutive parts of one dimension
// have ascending positions, as the proof asks; parts of several dimensions do not.
bool IsSelection(mlir::Operation* op);

// Whether the results of the parts are fewer than the elements of a part, if `axes` split
// the reduced dimension of `size` elements.
bool IsWorthSplitting(AxesRef axes, int64_t size);

// Whether top_k of an operand with sharding `current` should select from parts: the last
// dimension is split, and the parts have fewer candidates than elements.
bool SelectsFromParts(chlo::TopKOp op, const Sharding& current);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_SELECTIONS_H_
