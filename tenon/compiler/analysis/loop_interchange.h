// Finds loops that can be interchanged with their elementwise body. Along some axes,
// every carried element depends only on its own previous values. So all iterations of one
// point can run before the next point starts, with the carried values in registers. A
// vmapped solver is such a loop. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_LOOP_INTERCHANGE_H_
#define TENON_COMPILER_ANALYSIS_LOOP_INTERCHANGE_H_

#include <optional>

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// One value that a loop carries.
struct CarriedValue {
  enum class Kind {
    kCounter,  // an integer: `first`, then `step` more in every iteration
    kValue,    // its elements at a point stay in registers
    kRows,     // iteration i sets row first + i * step of `row_dim`; all rows are set
  };
  Kind kind = Kind::kValue;
  llvm::SmallVector<int64_t> axis_dims;  // the dimension along each axis; scalars: none
  int64_t first = 0, step = 0;
  int64_t row_dim = 0;
  mlir::Value row;  // the new row, of size 1 in `row_dim`
};

// A value, and the dimension of it that runs along each axis.
struct AxisValue {
  mlir::Value value;
  llvm::SmallVector<int64_t> axis_dims;
};

struct LoopInterchangePlan {
  int64_t trip_count = 0;
  llvm::SmallVector<int64_t> axis_sizes;
  llvm::SmallVector<CarriedValue> carries;
  // Elementwise results of the body that have several elements per point, in program
  // order.
  llvm::SmallVector<AxisValue> values;
  llvm::SmallVector<AxisValue> inputs;  // arrays from outside, without initial values
  int64_t instructions = 0;             // estimate for one point and one iteration
  int64_t carried = 0;                  // elements of a point that stay in registers
  int element_bits = 32;                // width of most computed elements, at least 32
};

// The plan of `loop`. Nullopt if its points depend on each other or need too many
// registers. `scalars_in_memory`: the scalars of the loop are in the memory of a device,
// so that each operation on them would be a kernel.
std::optional<LoopInterchangePlan> PlanLoopInterchange(stablehlo::WhileOp loop,
                                                       bool scalars_in_memory);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_LOOP_INTERCHANGE_H_
