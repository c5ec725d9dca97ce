// What the executions of one client share: memory, compute team, threads.
//
// Nothing here is global; a process may have several. Thread-safe.
#ifndef TENON_RUNTIME_RUNTIME_H_
#define TENON_RUNTIME_RUNTIME_H_

#include <atomic>
#include <cstdint>

#include "tenon/runtime/allocator.h"
#include "tenon/runtime/compute_team.h"
#include "tenon/runtime/float_mode.h"
#include "tenon/runtime/thread_pool.h"

namespace tenon::runtime {

struct RuntimeOptions {
  FloatMode float_mode;  // both functions set
  AllocatorOptions allocator = {};
  ComputeTeamOptions team = {};
};

class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options)
      : float_mode_(options.float_mode),
        allocator_(options.allocator),
        team_(float_mode_, options.team),
        runners_(team_.num_threads(), {.processors = options.team.processors}),
        blocking_(ThreadPool::kUnlimited, {.processors = options.team.processors}) {}

  const FloatMode& float_mode() const { return float_mode_; }
  Allocator& allocator() { return allocator_; }
  ComputeTeam& team() { return team_; }
  // For work that only computes: as many threads as the team has.
  ThreadPool& runners() { return runners_; }
  // For work that may wait for other work: custom calls, callbacks.
  ThreadPool& blocking() { return blocking_; }

 private:
  // In this order: threads end before what they use goes.
  const FloatMode float_mode_;
  Allocator allocator_;
  ComputeTeam team_;
  ThreadPool runners_;
  ThreadPool blocking_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_RUNTIME_H_
