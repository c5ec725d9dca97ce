#include "tenon/runtime/compute_team.h"

#include <pthread.h>

#include <algorithm>

#include "tenon/runtime/futex.h"
#include "tenon/runtime/machine_limits.h"

namespace tenon::runtime {
namespace {

// Whether this thread is executing a chunk. Loops inside of a chunk run serially.
thread_local bool in_chunk = false;

// How often the caller spins while workers still compute, before it sleeps.
constexpr int kCallerSpins = 20000;
// How often a worker spins between two reads of the clock.
constexpr int kSpinsPerClock = 64;
// OpenBLAS's threads yield in a loop for about 20 ms before they sleep.
constexpr std::chrono::milliseconds kForeignThreadsSpin(25);

int NumThreads(const ComputeTeamOptions& options) {
  if (options.num_threads > 0) return options.num_threads;
  const int available = AvailableCpus();
  if (options.processors.empty()) return available;
  return std::min(available, static_cast<int>(options.processors.size()));
}

}  // namespace

ComputeTeam::ComputeTeam(const FloatMode& mode, const ComputeTeamOptions& options)
    : mode_(mode),
      processors_(options.processors),
      num_threads_(NumThreads(options)),
      spin_(options.spin),
      worker_threads_(static_cast<size_t>(num_threads_)) {
  for (Loop& loop : loops_)
    loop.shares = std::vector<Share>(static_cast<size_t>(num_threads_));
  workers_.reserve(static_cast<size_t>(num_threads_ - 1));
  for (int i = 1; i < num_threads_; ++i) workers_.emplace_back([this, i] { Work(i); });
}

ComputeTeam::~ComputeTeam() {
  if (fork_.InChild()) {
    // The threads do not exist here, so leak their handles instead of joining them.
    new std::vector<std::thread>(std::move(workers_));
    return;
  }
  stop_.store(true);
  epoch_.fetch_add(1);
  FutexWake(epoch_, num_threads_);
  for (std::thread& worker : workers_) worker.join();
}

void ComputeTeam::RunChunks(Loop& loop, int thread) {
  in_chunk = true;
  const size_t count = loop.shares.size();
  for (size_t turn = 0; turn < count; ++turn) {
    Share& share = loop.shares[(static_cast<size_t>(thread) + turn) % count];
    const int64_t end = share.end.load(std::memory_order_relaxed);
    while (share.next.load(std::memory_order_relaxed) < end) {
      const int64_t i = share.next.fetch_add(1, std::memory_order_relaxed);
      if (i < end) loop.body(loop.context, loop.env, i);
    }
  }
  in_chunk = false;
}

void ComputeTeam::ParallelFor(RunContext* context, ParallelBody body, void* env,
                              int64_t num_chunks, bool ieee_denormals) {
  Loop* loop = nullptr;
  if (num_chunks > 1 && num_threads_ > 1 && !in_chunk && !fork_.InChild()) {
    for (Loop& candidate : loops_) {
      if (!candidate.taken.load(std::memory_order_relaxed) &&
          !candidate.taken.exchange(true, std::memory_order_acquire)) {
        loop = &candidate;
        break;
      }
    }
  }
  if (!loop) {
    for (int64_t i = 0; i < num_chunks; ++i) body(context, env, i);
    return;
  }
  loop->context = context;
  loop->body = body;
  loop->env = env;
  loop->ieee_denormals = ieee_denormals;
  const auto threads = static_cast<int64_t>(loop->shares.size());
  int64_t first = 0;
  for (int64_t thread = 0; thread < threads; ++thread) {
    Share& share = loop->shares[static_cast<size_t>(thread)];
    const int64_t end =
        first + num_chunks / threads + (thread < num_chunks % threads ? 1 : 0);
    share.next.store(first, std::memory_order_relaxed);
    share.end.store(end, std::memory_order_relaxed);
    first = end;
  }
  loop->open.store(true, std::memory_order_seq_cst);
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) WakeWorkers(num_chunks);
  RunChunks(*loop, 0);
  loop->open.store(false, std::memory_order_seq_cst);
  AwaitWorkers(*loop);
  loop->taken.store(false, std::memory_order_release);
}

// A worker that is woken on this processor would wait until its time slice ends, which
// takes milliseconds. With many processors, few workers share this one.
void ComputeTeam::WakeWorkers(int64_t num_chunks) {
  constexpr int kMaxMoved = 8;
  if (num_threads_ <= kMaxMoved) {
    const int here = CurrentProcessor();
    for (size_t i = 1; i < worker_threads_.size(); ++i) worker_threads_[i].KeepOff(here);
  }
  FutexWake(epoch_, static_cast<int>(std::min<int64_t>(num_chunks, num_threads_) - 1));
}

// Returns when no worker is in the loop. All chunks have been claimed before, so they are
// all done then.
void ComputeTeam::AwaitWorkers(Loop& loop) {
  for (int spins = 0; loop.inside.load(std::memory_order_seq_cst) != 0; ++spins) {
    if (spins < kCallerSpins) {
      CpuRelax();
      continue;
    }
    loop.caller_sleeps.store(1, std::memory_order_seq_cst);
    const uint32_t inside = loop.inside.load(std::memory_order_seq_cst);
    if (inside != 0) FutexWait(loop.inside, inside);
    loop.caller_sleeps.store(0, std::memory_order_relaxed);
  }
}

void ComputeTeam::ShareProcessors() {
  yield_until_.store(std::chrono::steady_clock::now() + kForeignThreadsSpin,
                     std::memory_order_relaxed);
}

void ComputeTeam::JoinLoop(Loop& loop, int thread) {
  loop.inside.fetch_add(1, std::memory_order_seq_cst);
  if (loop.open.load(std::memory_order_seq_cst)) {
    FloatModeScope mode(mode_, loop.ieee_denormals);
    RunChunks(loop, thread);
  }
  if (loop.inside.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
      loop.caller_sleeps.load(std::memory_order_seq_cst)) {
    FutexWake(loop.inside, 1);
  }
}

bool ComputeTeam::JoinOpenLoops(int thread) {
  bool joined = false;
  for (Loop& loop : loops_) {
    if (!loop.open.load(std::memory_order_relaxed)) continue;
    // Skip loops whose chunks are all claimed.
    if (std::all_of(loop.shares.begin(), loop.shares.end(),
                    [](const Share& share) { return share.Done(); })) {
      continue;
    }
    JoinLoop(loop, thread);
    joined = true;
  }
  return joined;
}

void ComputeTeam::Work(int thread) {
  using Clock = std::chrono::steady_clock;
  pthread_setname_np(pthread_self(), "tenon-team");
  BindToProcessors(processors_);
  MovableThread& movable = worker_threads_[static_cast<size_t>(thread)];
  while (!stop_.load(std::memory_order_relaxed)) {
    uint32_t seen = epoch_.load(std::memory_order_seq_cst);
    if (JoinOpenLoops(thread)) continue;
    const Clock::time_point deadline = Clock::now() + spin_;
    bool changed = false;
    for (int spins = 1; !changed; ++spins) {
      changed = epoch_.load(std::memory_order_relaxed) != seen;
      if (changed) break;
      CpuRelax();
      if (spins % kSpinsPerClock != 0) continue;
      const Clock::time_point now = Clock::now();
      if (now >= deadline) break;
      if (now < yield_until_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
    if (changed) continue;
    movable.FallAsleep();
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (epoch_.load(std::memory_order_seq_cst) == seen && !stop_.load()) {
      FutexWait(epoch_, seen);
    }
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    movable.WakeUp();
  }
}

}  // namespace tenon::runtime
