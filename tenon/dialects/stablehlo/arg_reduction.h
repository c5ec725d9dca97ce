// Recognizes arg-reductions such as argmax and argmin. Pure; callable from any thread.
#ifndef TENON_DIALECTS_STABLEHLO_ARG_REDUCTION_H_
#define TENON_DIALECTS_STABLEHLO_ARG_REDUCTION_H_

#include <optional>

#include "tenon/dialects/stablehlo/reduction_ops.h"

namespace tenon::stablehlo {

// Describes the combiner of an arg-reduction: a reduction of two operands, a value and
// its position, that keeps the better of two (value, position) pairs. Of two equal values
// it keeps the one with the lower position.
struct Selection {
  size_t value;     // operand number of the compared values
  size_t position;  // operand number of the positions, which break ties
};

// Proves that `combiner` selects by a total order of the values. The proof enumerates all
// cases: values less, equal, greater, NaN on either side or on both; and either position
// less. In the total order, NaN ranks either above or below all numbers. The lower
// position wins between equal values and between two NaNs. Hence the selected element
// does not depend on how elements are grouped. It does not depend on their order either,
// as long as the combiner's first arguments have the lower position. Both results must
// come from the selected side. With `ignore_ties` the value may come from the other side
// if the values are equal (zeros may differ in sign).
std::optional<Selection> ProveSelection(mlir::Block& combiner, bool ignore_ties = false);

// Applies ProveSelection to a whole reduction. Also proves that the positions ascend
// along the reduced dimensions, that they do not wrap around, and that the initial value
// may be combined any number of times. Returns the operand number of the positions.
std::optional<size_t> PositionOperand(ReduceOp reduce, bool ignore_ties = false);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_ARG_REDUCTION_H_
