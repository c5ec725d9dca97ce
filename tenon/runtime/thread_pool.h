// Threads for whole executions, transfers and whatever blocks; they come and go as
// needed.
//
// Tasks run in the order in which they were scheduled, as far as there are threads. A
// task may block, and may schedule others. Thread-safe.
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
  // How long an idle thread stays.
  std::chrono::milliseconds linger = std::chrono::seconds(5);
  // How long a thread that was told to keep awake looks for a task before it sleeps.
  std::chrono::microseconds spin{100};
  std::vector<int> processors = {};  // that the threads run on; empty: any
};

class ThreadPool {
 public:
  static constexpr int kUnlimited = 1 << 16;

  // At most `max_threads` at a time.
  explicit ThreadPool(int max_threads, ThreadPoolOptions options = {});
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Runs what is scheduled to its end first, except in the child of a fork.
  ~ThreadPool();

  void Schedule(std::function<void()> task);
  // From within a task: another one is likely to follow soon, so that the thread should
  // spin for a while when there is none. Waking it would take about 35 us.
  static void KeepAwake();
  // Threads that exist now.
  int num_threads() const;

 private:
  // Shared with the threads, which are detached: they may end after the pool.
  struct State {
    explicit State(ThreadPoolOptions given) : options(std::move(given)) {}
    const ThreadPoolOptions options;
    std::mutex mutex;
    std::condition_variable work;  // a task came, or the pool goes
    std::condition_variable gone;  // a thread ended
    std::deque<std::function<void()>> tasks;
    int threads = 0;
    int idle = 0;
    int spinning = 0;             // none or one
    std::atomic<int> waiting{0};  // tasks
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
