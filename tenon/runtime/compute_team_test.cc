#include "tenon/runtime/compute_team.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <utility>

#include "tenon/runtime/affinity.h"

namespace tenon::runtime {
namespace {

// A float mode that only records, per thread, the current mode and the number of changes.
thread_local uint64_t current_mode = 7;
std::atomic<int> enters{0};

const FloatMode kRecordingMode = {
    .enter =
        [](bool ieee) {
          enters.fetch_add(1);
          return std::exchange(current_mode, ieee ? 2 : 1);
        },
    .leave = [](uint64_t previous) { current_mode = previous; },
};

struct Counts {
  explicit Counts(int64_t n) : hits(static_cast<size_t>(n)) {}
  std::vector<std::atomic<int>> hits;
};

void Count(RunContext*, void* env, int64_t chunk) {
  static_cast<Counts*>(env)->hits[static_cast<size_t>(chunk)].fetch_add(1);
}

void ExpectOnce(const Counts& counts) {
  for (const auto& hits : counts.hits) ASSERT_EQ(hits.load(), 1);
}

class ComputeTeamTest : public testing::TestWithParam<int> {};

TEST_P(ComputeTeamTest, EveryChunkRunsOnce) {
  ComputeTeam team(kRecordingMode, {.num_threads = GetParam()});
  EXPECT_EQ(team.num_threads(), GetParam());
  for (int64_t n : {0, 1, 2, 3, 17, 1000}) {
    Counts counts(n);
    team.ParallelFor(nullptr, Count, &counts, n, false);
    ExpectOnce(counts);
  }
}

void SpinFor(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// How many of 8 * `loops` chunks a worker runs on the processor on which the caller began
// its loop. Threads started here inherit the processors that this one may run on.
int ChunksOnTheCallersProcessor(int loops) {
  struct Counts {
    std::atomic<int> processor{-1}, shared{0};
    std::atomic<std::thread::id> thread{};
  } caller;
  auto chunk = [](RunContext*, void* env, int64_t) {
    Counts& caller = *static_cast<Counts*>(env);
    const bool is_worker = std::this_thread::get_id() != caller.thread.load();
    caller.shared += is_worker && CurrentProcessor() == caller.processor;
    SpinFor(std::chrono::microseconds(500));
  };
  ComputeTeam team(kRecordingMode, {.num_threads = 2});
  std::binary_semaphore begin(0), end(0);
  std::thread thread([&] {
    caller.thread = std::this_thread::get_id();
    for (int i = 0; i < loops; ++i) {
      begin.acquire();
      caller.processor = CurrentProcessor();
      team.ParallelFor(nullptr, chunk, &caller, 8, false);
      end.release();
    }
  });
  for (int i = 0; i < loops; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the worker falls asleep
    begin.release();
    SpinFor(std::chrono::microseconds(200));
    end.acquire();
  }
  thread.join();
  return caller.shared;
}

// The thread that hands a program to another one is busy for a moment longer, so that a
// worker is woken when neither of two processors is idle. Linux puts it behind the caller
// then, where it would stay for milliseconds.
TEST(ComputeTeamProcessorsTest, WokenWorkersAreNotOnTheCallersProcessor) {
  const std::vector<int> all = AllowedProcessors();
  if (all.size() < 2) GTEST_SKIP() << "one processor, which the threads must share";
  constexpr int kLoops = 200;
  int shared = 0;
  std::thread([&] {
    BindToProcessors({{all[0], all[1]}});
    shared = ChunksOnTheCallersProcessor(kLoops);
  }).join();
  // The system may move a thread at any time.
  EXPECT_LE(shared, kLoops / 20) << "of " << 8 * kLoops << " chunks";
}

TEST_P(ComputeTeamTest, ManyShortLoops) {
  ComputeTeam team(kRecordingMode, {.num_threads = GetParam()});
  for (int i = 0; i < 3000; ++i) {
    Counts counts(5);
    team.ParallelFor(nullptr, Count, &counts, 5, false);
    ExpectOnce(counts);
  }
}

TEST_P(ComputeTeamTest, SleepersWakeUp) {
  ComputeTeam team(kRecordingMode,
                   {.num_threads = GetParam(), .spin = std::chrono::microseconds(0)});
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    Counts counts(8);
    team.ParallelFor(nullptr, Count, &counts, 8, false);
    ExpectOnce(counts);
  }
}

TEST_P(ComputeTeamTest, CallersShareTheTeam) {
  ComputeTeam team(kRecordingMode, {.num_threads = GetParam()});
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 12; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        Counts counts(11);
        team.ParallelFor(nullptr, Count, &counts, 11, false);
        ExpectOnce(counts);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

struct Nested {
  ComputeTeam* team;
  std::atomic<int> inner{0};
  std::atomic<int> strays{0};
};

TEST_P(ComputeTeamTest, NestedLoopsStayOnTheirThread) {
  ComputeTeam team(kRecordingMode, {.num_threads = GetParam()});
  Nested nested{.team = &team};
  team.ParallelFor(
      nullptr,
      [](RunContext*, void* env, int64_t) {
        auto* outer = static_cast<Nested*>(env);
        struct Inner {
          Nested* outer;
          std::thread::id owner;
        } inner{outer, std::this_thread::get_id()};
        outer->team->ParallelFor(
            nullptr,
            [](RunContext*, void* env, int64_t) {
              auto* inner = static_cast<Inner*>(env);
              inner->outer->inner.fetch_add(1);
              if (std::this_thread::get_id() != inner->owner) {
                inner->outer->strays.fetch_add(1);
              }
            },
            &inner, 10, false);
      },
      &nested, 20, false);
  EXPECT_EQ(nested.inner.load(), 200);
  EXPECT_EQ(nested.strays.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ComputeTeamTest, testing::Values(1, 2, 5));

struct Modes {
  std::atomic<int> wrong{0};
  std::atomic<int> workers{0};
  std::thread::id caller = std::this_thread::get_id();
};

// Each thread gets the same chunks in every loop, so that its cache stays warm.
TEST(ComputeTeamSharesTest, ThreadsGetTheSameChunksInEveryLoop) {
  constexpr int kThreads = 3, kChunks = 12;
  ComputeTeam team(kRecordingMode, {.num_threads = kThreads});
  struct Loop {
    std::atomic<int> started{0};
    std::thread::id first[kThreads];
  };
  std::vector<std::thread::id> before;
  for (int i = 0; i < 20; ++i) {
    Loop loop;
    team.ParallelFor(
        nullptr,
        [](RunContext*, void* env, int64_t chunk) {
          auto& loop = *static_cast<Loop*>(env);
          constexpr int kShare = kChunks / kThreads;
          // Each thread waits at the start of its share until all threads have come.
          if (chunk % kShare != 0) return;
          loop.first[chunk / kShare] = std::this_thread::get_id();
          ++loop.started;
          while (loop.started < kThreads) std::this_thread::yield();
        },
        &loop, kChunks, false);
    const std::vector<std::thread::id> now(loop.first, loop.first + kThreads);
    EXPECT_EQ(now[0], std::this_thread::get_id());
    if (i > 0) EXPECT_EQ(now, before);
    before = now;
  }
}

TEST(ComputeTeamModeTest, WorkersSetTheFloatModeAndRestoreIt) {
  ComputeTeam team(kRecordingMode, {.num_threads = 2});
  Modes modes;
  // Run loops until the worker has executed chunks of both modes.
  for (int iteration = 0; iteration < 1000 && modes.workers.load() < 20; ++iteration) {
    const bool ieee = iteration % 2;
    current_mode = ieee ? 2 : 1;
    struct Env {
      Modes* modes;
      uint64_t expected;
    } env{&modes, current_mode};
    team.ParallelFor(
        nullptr,
        [](RunContext*, void* env, int64_t) {
          auto* e = static_cast<Env*>(env);
          if (current_mode != e->expected) e->modes->wrong.fetch_add(1);
          if (std::this_thread::get_id() != e->modes->caller) {
            e->modes->workers.fetch_add(1);
          }
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        },
        &env, 4, ieee);
  }
  current_mode = 7;
  EXPECT_GT(modes.workers.load(), 0);
  EXPECT_EQ(modes.wrong.load(), 0);
}

TEST(ComputeTeamProcessorsTest, OneThreadPerBoundProcessor) {
  const int last = AllowedProcessors().back();
  EXPECT_EQ(ComputeTeam(kRecordingMode, {.processors = {last}}).num_threads(), 1);
  ComputeTeam team(kRecordingMode, {.num_threads = 2, .processors = {last}});
  struct Seen {
    std::thread::id caller = std::this_thread::get_id();
    std::mutex mutex;
    std::vector<int> processors;
  } seen;
  for (int iteration = 0; iteration < 10000 && seen.processors.empty(); ++iteration) {
    team.ParallelFor(
        nullptr,
        [](RunContext*, void* env, int64_t) {
          auto* seen = static_cast<Seen*>(env);
          if (std::this_thread::get_id() == seen->caller) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            return;
          }
          std::lock_guard lock(seen->mutex);
          seen->processors = AllowedProcessors();
        },
        &seen, 8, false);
  }
  EXPECT_EQ(seen.processors, std::vector<int>{last});
}

// Time on a processor, of all threads of this process.
std::chrono::nanoseconds ProcessorTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST(ComputeTeamIdleTest, WorkersSleepSoonAfterTheLastLoop) {
  using std::chrono::milliseconds;
  // The longest spin that the create option allows.
  ComputeTeam team(kRecordingMode,
                   {.num_threads = 4, .spin = std::chrono::microseconds(1000)});
  for (int iteration = 0; iteration < 5; ++iteration) {
    Counts counts(64);
    team.ParallelFor(nullptr, Count, &counts, 64, false);
    const std::chrono::nanoseconds before = ProcessorTime();
    std::this_thread::sleep_for(milliseconds(200));
    // Three workers may have spun for a millisecond each. If they did not sleep, they
    // would have taken 200 ms or more.
    EXPECT_LT(ProcessorTime() - before, milliseconds(20));
  }
}

// Makes this thread run on `processor` until it sleeps or yields.
bool RunInRealTime(int processor) {
  const sched_param priority{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) return false;
  BindToProcessors({&processor, 1});
  return true;
}

// A thread that waits to run on a processor where another one spins. It has real-time
// scheduling: otherwise the kernel would let it run after some milliseconds even if the
// other thread did not yield.
class ReadyThread {
 public:
  explicit ReadyThread(int processor)
      : processor_(processor), thread_([this] { Run(); }) {
    state_.wait(kStarted);
  }
  ~ReadyThread() {
    MakeReady();
    thread_.join();
  }
  bool is_real_time() const { return state_ != kRefused; }
  void MakeReady() {
    ready_ = true;
    ready_.notify_one();
  }
  bool HasRunIn(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (state_ != kDone && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    return state_ == kDone;
  }

 private:
  enum State { kStarted, kRealTime, kRefused, kDone };
  void Run() {
    state_ = RunInRealTime(processor_) ? kRealTime : kRefused;
    state_.notify_one();
    ready_.wait(false);
    state_ = kDone;
  }

  const int processor_;
  std::atomic<State> state_{kStarted};
  std::atomic<bool> ready_{false};
  std::thread thread_;
};

void SpinningWorkerYields() {
  const int first = AllowedProcessors().front();
  const int last = AllowedProcessors().back();
  BindToProcessors({&first, 1});
  ReadyThread other(last);
  ComputeTeam team(
      kRecordingMode,
      {.num_threads = 2, .processors = {last}, .spin = std::chrono::milliseconds(800)});
  struct Worker {
    std::thread::id caller = std::this_thread::get_id();
    int processor;
    std::atomic<bool> done{false};
  } worker{.processor = last};
  team.ParallelFor(
      nullptr,
      [](RunContext*, void* env, int64_t) {
        auto* worker = static_cast<Worker*>(env);
        if (std::this_thread::get_id() == worker->caller) {
          worker->done.wait(false);
          return;
        }
        RunInRealTime(worker->processor);
        worker->done = true;
        worker->done.notify_one();
      },
      &worker, 2, false);
  if (!other.is_real_time()) GTEST_SKIP() << "needs the right to real-time scheduling";
  other.MakeReady();
  EXPECT_FALSE(other.HasRunIn(std::chrono::milliseconds(20)));
  team.ShareProcessors();
  EXPECT_TRUE(other.HasRunIn(std::chrono::milliseconds(400)));
}

TEST(ComputeTeamIdleTest, SpinningWorkerYieldsAfterForeignCode) {
  if (AllowedProcessors().size() < 2) GTEST_SKIP() << "needs two processors";
  std::thread(SpinningWorkerYields).join();
}

TEST(ComputeTeamForkTest, ForkedChildComputesAndExits) {
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer does not follow forks of threaded programs";
#endif
  auto* team = new ComputeTeam(kRecordingMode, {.num_threads = 3});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Counts counts(9);
    team->ParallelFor(nullptr, Count, &counts, 9, false);
    bool good = true;
    for (const auto& hits : counts.hits) good &= hits.load() == 1;
    delete team;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  delete team;
}

}  // namespace
}  // namespace tenon::runtime
