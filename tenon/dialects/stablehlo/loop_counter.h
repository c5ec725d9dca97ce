// Recognizes loops with a constant trip count. Pure; callable from any thread.
#ifndef TENON_DIALECTS_STABLEHLO_LOOP_COUNTER_H_
#define TENON_DIALECTS_STABLEHLO_LOOP_COUNTER_H_

#include <optional>

#include "tenon/dialects/stablehlo/control_flow_ops.h"

namespace tenon::stablehlo {

// The induction variable of a loop: carried value `number` starts at `first` and grows by
// `step` > 0 in each of `trip_count` iterations.
struct LoopCounter {
  size_t number = 0;
  int64_t first = 0, step = 0, trip_count = 0;
};
// Returns nullopt if `loop` does not count from a constant to a constant.
std::optional<LoopCounter> CounterOf(WhileOp loop);

// The value of a splat integer constant that fits in 32 bits; else nullopt.
std::optional<int64_t> SmallIntegerOf(mlir::Value value);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_LOOP_COUNTER_H_
