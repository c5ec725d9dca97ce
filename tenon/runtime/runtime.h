// The resources that executions share: allocator, compute team and thread pools.
//
// Not global; a process may have several runtimes. Thread-safe.
#ifndef TENON_RUNTIME_RUNTIME_H_
#define TENON_RUNTIME_RUNTIME_H_

#include <atomic>
#include <cstdint>

#include "tenon/runtime/allocator.h"
#include "tenon/runtime/compute_team.h"
#include "tenon/runtime/float_mode.h"
#include "tenon/runtime/packed_operands.h"
#include "tenon/runtime/thread_pool.h"

namespace tenon::runtime {

struct RuntimeOptions {
  FloatMode float_mode;  // both functions set
  AllocatorOptions allocator = {};
  ComputeTeamOptions team = {};
  int64_t packed_limit = -1;  // PackedMemory's
};

class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options)
      : float_mode_(options.float_mode),
        allocator_(options.allocator),
        packed_memory_(allocator_, options.packed_limit),
        team_(float_mode_, options.team),
        runners_(team_.num_threads(), {.processors = options.team.processors}),
        blocking_(ThreadPool::kUnlimited, {.processors = options.team.processors}) {}

  const FloatMode& float_mode() const { return float_mode_; }
  Allocator& allocator() { return allocator_; }
  PackedMemory& packed_memory() { return packed_memory_; }
  ComputeTeam& team() { return team_; }
  // For work that only computes. It has as many threads as the team.
  ThreadPool& runners() { return runners_; }
  // For work that may wait for other work, such as custom calls and callbacks. The number
  // of threads is not limited.
  ThreadPool& blocking() { return blocking_; }

 private:
  // In this order, because threads must end before the objects that they use.
  const FloatMode float_mode_;
  Allocator allocator_;
  PackedMemory packed_memory_;
  ComputeTeam team_;
  ThreadPool runners_;
  ThreadPool blocking_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_RUNTIME_H_
