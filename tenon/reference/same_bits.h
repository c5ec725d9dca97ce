// Which operations the evaluator computes to the very bits that generated code gives:
// only those are folded, so that a constant and an argument of a program mean the same. A
// pure function.
#ifndef TENON_REFERENCE_SAME_BITS_H_
#define TENON_REFERENCE_SAME_BITS_H_

#include "mlir/IR/Operation.h"

namespace tenon::reference {

// Whether `op`, with what is in its regions, has one right result, to the last bit of
// every number: it moves, selects or compares, it computes with integers, or IEEE 754
// defines its rounding. Elementary functions are within some ulps in code, of other bits
// on every target; sums of floats depend on their order. Of NaN only that it is one is
// defined.
bool HasExactResult(mlir::Operation* op);

// Whether the results of `op` are elements of its operands, or their bits.
bool MovesElements(mlir::Operation* op);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_SAME_BITS_H_
