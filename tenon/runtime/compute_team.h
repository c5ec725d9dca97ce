// The threads that execute parallel loops, as fork-join. The caller participates.
//
// The chunks of a loop are divided into one contiguous share per thread. A thread claims
// chunks of its own share from a counter, and then steals from the shares of others, so a
// thread that loses its core does not delay the rest.
//
// Loops with the same number of chunks give each thread the same share. What a thread
// accessed in the last loop, or in the last execution, is then still in its cache.
//
// Loops of several callers run at the same time. A worker spins for a while after its
// last loop and then sleeps, because waking a sleeping thread costs far more than
// signalling a spinning one. Linux may wake a worker on the caller's processor, where it
// waits for milliseconds and then takes turns with the caller, so it is kept off it.
//
// Thread-safe. In the child of a fork, the caller runs its loops alone.
#ifndef TENON_RUNTIME_COMPUTE_TEAM_H_
#define TENON_RUNTIME_COMPUTE_TEAM_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tenon/executable/run_context.h"
#include "tenon/runtime/affinity.h"
#include "tenon/runtime/float_mode.h"
#include "tenon/runtime/fork.h"

namespace tenon::runtime {

struct ComputeTeamOptions {
  // Including the caller. 0 means one per available processor.
  int num_threads = 0;
  std::vector<int> processors = {};  // to bind the workers to; empty means any
  // How long a worker without work spins before it sleeps.
  std::chrono::microseconds spin{300};
};

class ComputeTeam {
 public:
  // `mode` must outlive the team.
  ComputeTeam(const FloatMode& mode, const ComputeTeamOptions& options = {});
  ComputeTeam(const ComputeTeam&) = delete;
  ComputeTeam& operator=(const ComputeTeam&) = delete;
  ~ComputeTeam();

  int num_threads() const { return num_threads_; }

  // Calls body(context, env, i) once for each i below num_chunks, in any order and on any
  // thread of the team, and returns when all calls have returned. A loop that is started
  // from within a chunk runs serially on this thread. The caller has set its float mode;
  // workers set theirs by `ieee_denormals`.
  void ParallelFor(RunContext* context, ParallelBody body, void* env, int64_t num_chunks,
                   bool ieee_denormals);

  // Called when another library has worked on threads of its own. They may spin for a
  // while, so an idle worker that spins yields to them for the next 25 ms.
  void ShareProcessors();

 private:
  // The share of one thread. Chunks next .. end - 1 are unclaimed.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    std::atomic<int64_t> end{0};
    bool Done() const {
      return next.load(std::memory_order_relaxed) >= end.load(std::memory_order_relaxed);
    }
  };

  // A loop in progress. Loop objects live as long as the team, so a late worker may look
  // at a loop that has ended. A worker increments `inside` before it reads `open`; the
  // caller clears `open` before it reads `inside`.
  struct alignas(64) Loop {
    std::atomic<bool> taken{false};
    std::atomic<bool> open{false};
    bool ieee_denormals = false;
    RunContext* context = nullptr;
    ParallelBody body = nullptr;
    void* env = nullptr;
    std::vector<Share> shares;  // one per thread; workers outside read them too
    alignas(64) std::atomic<uint32_t> inside{0};
    std::atomic<uint32_t> caller_sleeps{0};
  };
  static constexpr int kLoops = 8;

  // `thread` is 0 for the caller, and counts from 1 for workers.
  void Work(int thread);
  bool JoinOpenLoops(int thread);
  void JoinLoop(Loop& loop, int thread);
  void WakeWorkers(int64_t num_chunks);
  static void RunChunks(Loop& loop, int thread);
  static void AwaitWorkers(Loop& loop);

  const FloatMode& mode_;
  const std::vector<int> processors_;
  const int num_threads_;
  const std::chrono::microseconds spin_;
  const ForkCheck fork_;
  Loop loops_[kLoops];
  alignas(64) std::atomic<uint32_t> epoch_{0};  // number of loops; workers sleep on it
  std::atomic<int32_t> sleepers_{0};
  std::atomic<std::chrono::steady_clock::time_point> yield_until_{};
  std::atomic<bool> stop_{false};
  std::vector<MovableThread> worker_threads_;  // by thread, from 1 on
  std::vector<std::thread> workers_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_COMPUTE_TEAM_H_
