// The outline of a generated matrix product or convolution that its kernel needs: phases
// and scratch. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_KERNEL_PLAN_H_
#define TENON_COMPILER_PLAN_KERNEL_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

struct TilePlan;  // internal: tile sizes, packing, loop order

// A kernel is a list of phases with a barrier between them. The chunks of one phase run
// in any order, in parallel. All phases of an execution share one scratch block, 64-byte
// aligned.
struct KernelPlan {
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;  // chunks of each phase, at least one phase
  double estimated_ns = 0;            // on one core
  // If packing one operand takes a noticeable part of the time: the bytes of its packed
  // form, which later runs could use. Otherwise 0.
  int64_t packed_bytes = 0;
  std::shared_ptr<const TilePlan> tiles;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_KERNEL_PLAN_H_
