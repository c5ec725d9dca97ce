// Loops that run a number of rounds known beforehand. Pure; any thread.
#ifndef TENON_DIALECTS_STABLEHLO_LOOP_COUNTER_H_
#define TENON_DIALECTS_STABLEHLO_LOOP_COUNTER_H_

#include <optional>

#include "tenon/dialects/stablehlo/control_flow_ops.h"

namespace tenon::stablehlo {

// The integer that a loop counts with: what it carries as value `number` begins as
// `first` and grows by `step` > 0 in each of `rounds` rounds.
struct LoopCounter {
  size_t number = 0;
  int64_t first = 0, step = 0, rounds = 0;
};
// Nothing if `loop` does not count from a constant to a constant.
std::optional<LoopCounter> CounterOf(WhileOp loop);

// The value of a constant of integers that are all the same and fit 32 bits.
std::optional<int64_t> SmallIntegerOf(mlir::Value value);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_LOOP_COUNTER_H_
