// The threads that do parallel loops: fork-join, with the caller taking part.
//
// Each thread has a share of the chunks, neighbours, which it claims from a counter; one
// that is done goes on with the shares of others, so a thread that loses its core does
// not hold up the rest. Loops of as many chunks give a thread the same ones each time:
// what it wrote or read in the last loop, or run, is still in its cache. Loops of several
// callers run side by side. Workers spin for a while after their last loop, because
// waking a sleeper costs far more than handing over to a spinner; then they sleep.
// Thread-safe; a loop may be started in the child of a fork, where the caller does it
// alone.
#ifndef TENON_RUNTIME_COMPUTE_TEAM_H_
#define TENON_RUNTIME_COMPUTE_TEAM_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tenon/executable/run_context.h"
#include "tenon/runtime/float_mode.h"
#include "tenon/runtime/fork.h"

namespace tenon::runtime {

struct ComputeTeamOptions {
  // The caller included; 0: as many as processors it may keep busy.
  int num_threads = 0;
  std::vector<int> processors = {};  // that workers run on; empty: any
  // How long a worker without work keeps looking for some before it sleeps.
  std::chrono::microseconds spin{300};
};

class ComputeTeam {
 public:
  // `mode` outlives the team.
  ComputeTeam(const FloatMode& mode, const ComputeTeamOptions& options = {});
  ComputeTeam(const ComputeTeam&) = delete;
  ComputeTeam& operator=(const ComputeTeam&) = delete;
  ~ComputeTeam();

  int num_threads() const { return num_threads_; }

  // Calls body(context, env, i) once for each i below num_chunks, in any order and on any
  // thread of the team, and returns when all are done. From within a chunk: one after
  // another on this thread. The caller's float mode is set already; workers set
  // `ieee_denormals`.
  void ParallelFor(RunContext* context, ParallelBody body, void* env, int64_t num_chunks,
                   bool ieee_denormals);

 private:
  // Chunks of a loop that one thread claims first: next .. end - 1 are left.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    std::atomic<int64_t> end{0};
    bool Done() const {
      return next.load(std::memory_order_relaxed) >= end.load(std::memory_order_relaxed);
    }
  };

  // A loop in progress. Slots live as long as the team, so a worker that comes late may
  // look at one: it announces itself in `inside` before it looks at `open`, and the
  // caller closes before it looks at `inside`.
  struct alignas(64) Loop {
    std::atomic<bool> taken{false};
    std::atomic<bool> open{false};
    bool ieee_denormals = false;
    RunContext* context = nullptr;
    ParallelBody body = nullptr;
    void* env = nullptr;
    std::vector<Share> shares;  // one a thread; looked at from outside too
    alignas(64) std::atomic<uint32_t> inside{0};
    std::atomic<uint32_t> caller_sleeps{0};
  };
  static constexpr int kLoops = 8;

  // `thread`: 0 is the caller, workers count from 1.
  void Work(int thread);
  bool JoinOpenLoops(int thread);
  void JoinLoop(Loop& loop, int thread);
  static void RunChunks(Loop& loop, int thread);
  static void AwaitWorkers(Loop& loop);

  const FloatMode& mode_;
  const std::vector<int> processors_;
  const int num_threads_;
  const std::chrono::microseconds spin_;
  const ForkCheck fork_;
  Loop loops_[kLoops];
  alignas(64) std::atomic<uint32_t> epoch_{0};  // counts loops; workers sleep on it
  std::atomic<int32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_COMPUTE_TEAM_H_
