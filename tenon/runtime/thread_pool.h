// Threads for whole executions, transfers and whatever blocks; they come and go as
// needed.
//
// Tasks run in the order in which they were scheduled, as far as there are threads. A
// task may block, and may schedule others. Thread-safe.
#ifndef TENON_RUNTIME_THREAD_POOL_H_
#define TENON_RUNTIME_THREAD_POOL_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "tenon/runtime/fork.h"

namespace tenon::runtime {

class ThreadPool {
 public:
  static constexpr int kUnlimited = 1 << 16;

  // At most `max_threads` at a time; idle ones end after `linger`.
  explicit ThreadPool(int max_threads,
                      std::chrono::milliseconds linger = std::chrono::seconds(5));
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Runs what is scheduled to its end first, except in the child of a fork.
  ~ThreadPool();

  void Schedule(std::function<void()> task);
  // Threads that exist now.
  int num_threads() const;

 private:
  // Shared with the threads, which are detached: they may end after the pool.
  struct State {
    std::mutex mutex;
    std::condition_variable work;  // a task came, or the pool goes
    std::condition_variable gone;  // a thread ended
    std::deque<std::function<void()>> tasks;
    int threads = 0;
    int idle = 0;
    bool stop = false;
  };
  static void Run(std::shared_ptr<State> state, std::chrono::milliseconds linger);

  const int max_threads_;
  const std::chrono::milliseconds linger_;
  const ForkCheck fork_;
  const std::shared_ptr<State> state_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_THREAD_POOL_H_
