// Reductions that find where a value is: argmax, argmin and their like. Pure; any thread.
#ifndef TENON_DIALECTS_STABLEHLO_ARG_REDUCTION_H_
#define TENON_DIALECTS_STABLEHLO_ARG_REDUCTION_H_

#include <optional>

#include "tenon/dialects/stablehlo/reduction_ops.h"

namespace tenon::stablehlo {

// A body of two operands that keeps those of one side: the side with the better value, or
// of the lower position if the values are equal.
struct Selection {
  size_t value;     // operand number of what is compared
  size_t position;  // of the position, by which equal values are told apart
};

// Proves by going through all cases (less, equal, greater, NaN on either side or both;
// the position of either side less) that `combiner` chooses by a total order of the
// values: one direction, NaN better than all numbers or worse than all, and of two equal
// values or two NaNs that of the lower position. Then the choice among any number of
// elements does not depend on their grouping, nor on their order as long as the combiner
// gets the side of the lower position first. Both results come from the side that is
// chosen; with `ignore_ties` the value may come from the other one if both are equal
// (zeros may differ in sign).
std::optional<Selection> ProveSelection(mlir::Block& combiner, bool ignore_ties = false);

// As ProveSelection, for a whole reduction: also proves that the positions ascend
// along the reduced dimensions, that they do not wrap around, and that the initial value
// may be combined in any number of times. The result is the number of the operand of
// positions.
std::optional<size_t> PositionOperand(ReduceOp reduce);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_ARG_REDUCTION_H_
