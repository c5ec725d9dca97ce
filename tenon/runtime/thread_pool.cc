#include "tenon/runtime/thread_pool.h"

#include <thread>
#include <utility>

namespace tenon::runtime {

ThreadPool::ThreadPool(int max_threads, std::chrono::milliseconds linger)
    : max_threads_(max_threads), linger_(linger), state_(std::make_shared<State>()) {}

ThreadPool::~ThreadPool() {
  if (fork_.InChild()) {
    // The mutex may be held by a thread that is not there: leave the state alone.
    new std::shared_ptr<State>(state_);
    return;
  }
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->work.notify_all();
  state_->gone.wait(lock, [this] { return state_->threads == 0; });
}

void ThreadPool::Schedule(std::function<void()> task) {
  if (fork_.InChild()) {
    // The pool's threads and its lock's holder may be gone.
    std::thread(std::move(task)).detach();
    return;
  }
  bool start = false;
  {
    std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    start = state_->idle < static_cast<int>(state_->tasks.size()) &&
            state_->threads < max_threads_;
    if (start) ++state_->threads;
  }
  if (start) {
    std::thread(Run, state_, linger_).detach();
  } else {
    state_->work.notify_one();
  }
}

int ThreadPool::num_threads() const {
  std::lock_guard lock(state_->mutex);
  return state_->threads;
}

void ThreadPool::Run(std::shared_ptr<State> state, std::chrono::milliseconds linger) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    if (state->tasks.empty()) {
      if (state->stop) break;
      ++state->idle;
      const bool woken = state->work.wait_for(
          lock, linger, [&] { return !state->tasks.empty() || state->stop; });
      --state->idle;
      if (!woken) break;
      continue;
    }
    std::function<void()> task = std::move(state->tasks.front());
    state->tasks.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it holds is freed without the lock
    lock.lock();
  }
  --state->threads;
  state->gone.notify_all();
}

}  // namespace tenon::runtime
