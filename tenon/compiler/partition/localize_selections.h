// Arg-reductions, such as argmax, along a split dimension: every device reduces its part,
// and all combine the results of all parts in the order of the positions.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_SELECTIONS_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_SELECTIONS_H_

#include "tenon/compiler/partition/axes.h"
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

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_SELECTIONS_H_
