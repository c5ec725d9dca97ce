// Determines the operations for which the evaluator and generated code give the same
// bits. Only those are folded, so that a constant and an argument give the same result. A
// pure function.
#ifndef TENON_REFERENCE_SAME_BITS_H_
#define TENON_REFERENCE_SAME_BITS_H_

#include "mlir/IR/Operation.h"

namespace tenon::reference {

// Returns whether `op`, with the contents of its regions, has exactly one correct result,
// to the last bit. True for ops that move, select or compare elements, for integer
// arithmetic, and where IEEE 754 defines the rounding. False for elementary functions
// (generated code is within some ulps, with different bits on every target) and for sums
// of floats (which depend on the order). The payload of a NaN is unspecified.
bool HasExactResult(mlir::Operation* op);

// Returns whether the results of `op` are elements of its operands, or their bits.
bool MovesElements(mlir::Operation* op);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_SAME_BITS_H_
