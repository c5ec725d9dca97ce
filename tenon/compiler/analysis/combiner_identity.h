// The identity of a combiner: a start value of a reduction, scan or scatter that does not
// change its results. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_COMBINER_IDENTITY_H_
#define TENON_COMPILER_ANALYSIS_COMBINER_IDENTITY_H_

#include <optional>

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tenon::compiler {

// A rank-0 constant v with combine(v, x) = x. Known for combiners of (accumulators,
// values) whose result `position` is one op of its accumulator and its value.
std::optional<mlir::DenseElementsAttr> CombinerIdentity(mlir::Block& combiner,
                                                        size_t position);

// Whether a reduction with `combiner` is of sums of floating-point numbers, whose
// rounding errors add up, and may begin again from zero.
bool AreRoundedSums(mlir::Block& combiner);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_COMBINER_IDENTITY_H_
