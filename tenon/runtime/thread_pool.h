// A pool of threads for executions, transfers and tasks that block. Threads are started
// when they are needed and end after a while without tasks.
//
// Tasks start in the order in which they were scheduled. A task may block, and may
// schedule others. Thread-safe.
#ifndef TENON_RUNTIME_THREAD_POOL_H_
#define TENON_RUNTIME_THREAD_POOL_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tenon/runtime/fork.h"

namespace tenon::runtime {

struct ThreadPoolOptions {
  // How long an idle thread stays before it ends.
  std::chrono::milliseconds linger = std::chrono::seconds(5);
  // How long a thread spins for a task after KeepAwake, before it sleeps.
  std::chrono::microseconds spin{100};
  std::vector<int> processors = {};  // to bind the threads to; empty means any
};

class ThreadPool {
 public:
  static constexpr int kUnlimited = 1 << 16;

  // The pool has at most `max_threads` threads at a time.
  explicit ThreadPool(int max_threads, ThreadPoolOptions options = {});
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // First runs all scheduled tasks to their end, except in the child of a fork.
  ~ThreadPool();

  void Schedule(std::function<void()> task);
  // Called from within a task: the thread spins for a while if there is no further task,
  // because one is likely to follow soon. Waking the thread would take about 35 us.
  static void KeepAwake();
  // The number of threads that exist now.
  int num_threads() const;

 private:
  // Shared with the threads, which are detached and may outlive the pool.
  struct State {
    explicit State(ThreadPoolOptions given) : options(std::move(given)) {}
    const ThreadPoolOptions options;
    std::mutex mutex;
    std::condition_variable work;  // a task was added, or the pool is being destroyed
    std::condition_variable thread_ended;
    std::deque<std::function<void()>> tasks;
    int threads = 0;
    int idle = 0;
    int spinning = 0;             // 0 or 1
    std::atomic<int> waiting{0};  // the size of `tasks`
    bool stop = false;
  };
  static void Run(std::shared_ptr<State> state);
  static void Spin(State& state);

  const int max_threads_;
  const ForkCheck fork_;
  const std::shared_ptr<State> state_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_THREAD_POOL_H_
