#include "tenon/runtime/thread_pool.h"

#include <pthread.h>

#include <thread>
#include <utility>

#include "tenon/base/spin.h"
#include "tenon/runtime/affinity.h"

namespace tenon::runtime {
namespace {

thread_local bool keep_awake = false;

}  // namespace

void ThreadPool::KeepAwake() { keep_awake = true; }

ThreadPool::ThreadPool(int max_threads, ThreadPoolOptions options)
    : max_threads_(max_threads), state_(std::make_shared<State>(std::move(options))) {}

ThreadPool::~ThreadPool() {
  if (fork_.InChild()) {
    // A thread that does not exist here may hold the mutex, so leak the state.
    new std::shared_ptr<State>(state_);
    return;
  }
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->work.notify_all();
  state_->thread_ended.wait(lock, [this] { return state_->threads == 0; });
}

void ThreadPool::Schedule(std::function<void()> task) {
  if (fork_.InChild()) {
    // The pool's threads do not exist here, and one of them may hold the mutex.
    std::thread(std::move(task)).detach();
    return;
  }
  bool start = false, wake = false;
  {
    std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    const int tasks = static_cast<int>(state_->tasks.size());
    state_->waiting.store(tasks, std::memory_order_release);
    start = state_->idle + state_->spinning < tasks && state_->threads < max_threads_;
    if (start) ++state_->threads;
    wake = !start && tasks > state_->spinning;
  }
  if (start) std::thread(Run, state_).detach();
  if (wake) state_->work.notify_one();
}

int ThreadPool::num_threads() const {
  std::lock_guard lock(state_->mutex);
  return state_->threads;
}

// Spins until there may be a task, or until the time is over.
void ThreadPool::Spin(State& state) {
  SpinUntil([&] { return state.waiting.load(std::memory_order_acquire) != 0; },
            state.options.spin);
}

void ThreadPool::Run(std::shared_ptr<State> state) {
  pthread_setname_np(pthread_self(), "tenon-pool");
  BindToProcessors(state->options.processors);
  std::unique_lock lock(state->mutex);
  for (;;) {
    if (state->tasks.empty()) {
      if (state->stop) break;
      if (std::exchange(keep_awake, false) && state->spinning == 0) {
        ++state->spinning;
        lock.unlock();
        Spin(*state);
        lock.lock();
        --state->spinning;
        continue;
      }
      ++state->idle;
      const bool woken = state->work.wait_for(lock, state->options.linger, [&] {
        return !state->tasks.empty() || state->stop;
      });
      --state->idle;
      if (!woken) break;
      continue;
    }
    std::function<void()> task = std::move(state->tasks.front());
    state->tasks.pop_front();
    state->waiting.store(static_cast<int>(state->tasks.size()),
                         std::memory_order_relaxed);
    lock.unlock();
    task();
    task = nullptr;  // destroy its captures without the lock
    lock.lock();
  }
  --state->threads;
  state->thread_ended.notify_all();
}

}  // namespace tenon::runtime
