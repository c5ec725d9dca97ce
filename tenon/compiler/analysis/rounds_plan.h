// Loops all of whose rounds can be done for one point before the next point's: along some
// axes, what a round makes of a point depends on what earlier ones made of that point
// alone. A vmapped solver is such a loop. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_ROUNDS_PLAN_H_
#define TENON_COMPILER_ANALYSIS_ROUNDS_PLAN_H_

#include <optional>

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// What one value that a loop carries is.
struct RoundsCarry {
  enum class Kind {
    kCounter,  // an integer: `first`, then `step` more every round
    kValue,    // its elements at a point stay in registers
    kRows,  // round r sets row first + r * step of dimension `row_dim`, and all are set
  };
  Kind kind = Kind::kValue;
  llvm::SmallVector<int64_t> axis_dims;  // the dimension of each axis; none of scalars
  int64_t first = 0, step = 0;
  int64_t row_dim = 0;
  mlir::Value row;  // the new row, of size 1 in `row_dim`
};

// A value and the dimension of it that each axis is.
struct RoundsValue {
  mlir::Value value;
  llvm::SmallVector<int64_t> axis_dims;
};

struct RoundsPlan {
  int64_t rounds = 0;
  llvm::SmallVector<int64_t> axis_sizes;
  llvm::SmallVector<RoundsCarry> carries;
  // Elementwise results of the body, of several elements a point, in their order.
  llvm::SmallVector<RoundsValue> values;
  llvm::SmallVector<RoundsValue> inputs;  // arrays from outside, initial values aside
  int64_t instructions = 0;               // about how many a point takes in a round
  int64_t carried = 0;                    // elements of a point in registers
  int element_bits = 32;  // of most elements that are computed with, at least 32
};

// The plan of `loop`; nothing if it is no such loop, or too long for registers.
std::optional<RoundsPlan> PlanRounds(stablehlo::WhileOp loop);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_ROUNDS_PLAN_H_
