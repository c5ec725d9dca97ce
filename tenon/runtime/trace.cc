#include "tenon/runtime/trace.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <utility>

namespace tenon::runtime {

int64_t TraceClock() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A thread's reference to its Thread. The tracer keeps the events of threads that ended.
struct Tracer::ThreadHolder {
  std::shared_ptr<Thread> thread;
  ~ThreadHolder() {
    if (!thread) return;
    std::lock_guard lock(thread->mutex);
    thread->ended = true;
  }
};

Tracer& Tracer::Global() {
  static Tracer* const tracer = new Tracer();  // threads may outlive static destructors
  return *tracer;
}

Status Tracer::Start() {
  std::lock_guard lock(mutex_);
  if (active()) return FailedPrecondition("the process is being traced already");
  std::erase_if(threads_, [](const std::shared_ptr<Thread>& thread) {
    std::lock_guard thread_lock(thread->mutex);
    thread->trace.events.clear();
    thread->trace.num_dropped = 0;
    return thread->ended;
  });
  active_.store(true, std::memory_order_relaxed);
  return OkStatus();
}

std::vector<ThreadTrace> Tracer::Stop() {
  std::lock_guard lock(mutex_);
  std::vector<ThreadTrace> result;
  if (!active()) return result;
  active_.store(false, std::memory_order_relaxed);
  for (const std::shared_ptr<Thread>& thread : threads_) {
    std::lock_guard thread_lock(thread->mutex);
    if (thread->trace.events.empty()) continue;
    ThreadTrace& copy = result.emplace_back(std::move(thread->trace));
    thread->trace = {.thread_id = copy.thread_id,
                     .thread_name = copy.thread_name,
                     .events = {},
                     .num_dropped = 0};
  }
  return result;
}

Tracer::Thread& Tracer::ThisThread() {
  thread_local ThreadHolder holder;
  if (!holder.thread) {
    auto thread = std::make_shared<Thread>();
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    thread->trace.thread_id = gettid();
    thread->trace.thread_name = name;
    std::lock_guard lock(mutex_);
    threads_.push_back(thread);
    holder.thread = std::move(thread);
  }
  return *holder.thread;
}

void Tracer::Record(TraceEvent event) {
  Thread& thread = ThisThread();
  std::lock_guard lock(thread.mutex);
  if (!active()) return;
  if (thread.trace.events.size() < kMaxEvents) {
    thread.trace.events.push_back(std::move(event));
  } else {
    ++thread.trace.num_dropped;
  }
}

}  // namespace tenon::runtime
