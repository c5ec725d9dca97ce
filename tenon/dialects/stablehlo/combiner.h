// What is known of the body of a reduction, scan, window or scatter by its form. A body
// is a block of (accumulators, values) that ends in the next accumulators. Pure; any
// thread.
//
// Every part of the compiler that changes the order in which values reach a body, or how
// often the initial value does, asks here.
#ifndef TENON_DIALECTS_STABLEHLO_COMBINER_H_
#define TENON_DIALECTS_STABLEHLO_COMBINER_H_

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace tenon::stablehlo {

// The op of two operands that computes result `position` from accumulator and value
// `position` alone; null if there is none.
mlir::Operation* CombiningOp(mlir::Block& combiner, size_t position);

// Whether values may reach the body in any order and grouping. True only if every result
// is one op of its own accumulator and value that commutes and associates: add, multiply,
// minimum, maximum, and, or, xor. Floating-point sums and products count as associative:
// any order has the error bound of the sequential one (docs/design/0004).
bool IsReorderable(mlir::Block& combiner);

// Whether the initial values may be combined in any number of times, wherever: each is
// the identity of its op, or the op is idempotent (minimum, maximum, and, or).
bool InitMayRepeat(mlir::Block& combiner, mlir::ValueRange inits);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_COMBINER_H_
