// Properties of the combiner of a reduction, scan, window or scatter, proved from its
// form. A combiner is a block with arguments (accumulators, values) that returns the next
// accumulators. Pure; callable from any thread.
//
// Every part of the compiler that changes the order in which values reach a combiner, or
// how often the initial value does, uses these functions.
#ifndef TENON_DIALECTS_STABLEHLO_COMBINER_H_
#define TENON_DIALECTS_STABLEHLO_COMBINER_H_

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace tenon::stablehlo {

// Returns the binary op that computes result `position` from accumulator `position` and
// value `position` alone; null if there is none.
mlir::Operation* CombiningOp(mlir::Block& combiner, size_t position);

// Whether values may reach the combiner in any order and grouping. True only if every
// result is one commutative and associative op of its own accumulator and value: add,
// multiply, minimum, maximum, and, or, xor. Floating-point sums and products count as
// associative: every order has the error bound of the sequential one (docs/design/0004).
bool IsReorderable(mlir::Block& combiner);

// Whether the combiner adds floating-point numbers, so that the rounding errors of a
// chain add up.
bool AddsFloats(mlir::Block& combiner);

// Whether the updates of one element of a scatter may be combined with each other before
// they reach the element: IsReorderable, but for products of floating-point numbers.
// These may overflow where the element is 0, which stays 0 in order of the updates; 0
// times infinity is NaN.
bool MayCombineUpdates(mlir::Block& combiner);

// Whether the initial values may be combined any number of times, at any position: each
// is the identity of its op, or its op is idempotent (minimum, maximum, and, or).
bool InitMayRepeat(mlir::Block& combiner, mlir::ValueRange inits);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_COMBINER_H_
