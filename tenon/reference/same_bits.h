// Determines the operations for which the evaluator and generated code give the same
// bits. Only those are folded, so that a constant and an argument give the same result. A
// pure function.
#ifndef TENON_REFERENCE_SAME_BITS_H_
#define TENON_REFERENCE_SAME_BITS_H_

#include "mlir/IR/Operation.h"

namespace tenon::reference {

// Returns whether `op`, with the contents of its regions, has a single right result to
// the last bit. It has if it moves, selects or compares, if it computes with integers, or
// if IEEE 754 defines its rounding. It does not if it is an elementary function
// (generated code is within some ulps, with different bits on every target) or a sum of
// floats (which depends on the order). The payload of a NaN is unspecified.
bool HasExactResult(mlir::Operation* op);

// Returns whether the results of `op` are elements of its operands, or their bits.
bool MovesElements(mlir::Operation* op);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_SAME_BITS_H_
