// The value a reduction, scan or scatter may start from without changing its results.
// Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_COMBINER_IDENTITY_H_
#define TENON_COMPILER_ANALYSIS_COMBINER_IDENTITY_H_

#include <optional>

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tenon::compiler {

// A value v with combine(v, x) = x, a rank-0 constant, for combiners of (accumulators,
// values) whose result `position` is one known op of accumulator and value.
std::optional<mlir::DenseElementsAttr> CombinerIdentity(mlir::Block& combiner,
                                                        size_t position);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_COMBINER_IDENTITY_H_
