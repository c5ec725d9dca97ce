// Recognizes reductions of rows, and the softmax. Pure functions; any thread.
#ifndef TENON_COMPILER_ANALYSIS_SOFTMAX_H_
#define TENON_COMPILER_ANALYSIS_SOFTMAX_H_

#include <optional>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// A reduction of the last dimension, from 0 or -inf on.
enum class RowFold { kSum, kMaximum };
std::optional<RowFold> FoldOf(stablehlo::ReduceOp reduce);
// Whether folding in f32 gives what the reduction does: a sum of 16-bit floats is rounded
// to 16 bits in each step.
bool IsExactFold(stablehlo::ReduceOp reduce);

// weights = exp(scores - maximum) / sum, where, of each row of the last dimension,
// maximum = max(scores) and sum = sum(exp(scores - maximum)).
struct Softmax {
  mlir::Value scores;
  mlir::Value maximum, sum;  // results of reductions
  bool IsReduction(mlir::Operation* op) const {
    return op == maximum.getDefiningOp() || op == sum.getDefiningOp();
  }
};

// The softmax that computes `weights`, which may be converted after the division.
// `ignores_rounding`: conversions between floats of 16 and 32 bits may lie in between.
// Row values must reach elements by broadcasts along the row: this looks only for what is
// broadcast.
std::optional<Softmax> FindSoftmax(mlir::Value weights, bool ignores_rounding);

// Whether `value` is computed from `product` and values from outside, element by element:
// the ops for which `is_inside` holds neither reduce nor multiply matrices.
bool IsOfPoint(mlir::Value value, mlir::Operation* product,
               llvm::function_ref<bool(mlir::Operation*)> is_inside);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_SOFTMAX_H_
