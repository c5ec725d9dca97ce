// A count of work in flight. The destructor waits until the count is 0. Thread-safe.
#ifndef TENON_RUNTIME_IN_FLIGHT_H_
#define TENON_RUNTIME_IN_FLIGHT_H_

#include <atomic>
#include <cstdint>

#include "tenon/runtime/fork.h"

namespace tenon::runtime {

class InFlight {
 public:
  InFlight() = default;
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  ~InFlight() {
    // In the child of a fork no thread is left to do the work.
    if (fork_.InChild()) return;
    for (int64_t n; (n = count_.load(std::memory_order_acquire)) != 0;) {
      count_.wait(n, std::memory_order_acquire);
    }
    // The thread that ended the last work may still be inside notify_all.
    while (leaving_.load(std::memory_order_acquire) != 0) {
    }
  }

  void Begin() { count_.fetch_add(1, std::memory_order_relaxed); }
  void End() {
    leaving_.fetch_add(1, std::memory_order_relaxed);
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) count_.notify_all();
    leaving_.fetch_sub(1, std::memory_order_release);
  }

 private:
  const ForkCheck fork_;
  std::atomic<int64_t> count_{0};
  std::atomic<int64_t> leaving_{0};
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_IN_FLIGHT_H_
