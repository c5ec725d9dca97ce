// A spin lock for critical sections of a few instructions. Taking a free lock costs one
// atomic exchange.
#ifndef TENON_PJRT_CLIENT_SPIN_LOCK_H_
#define TENON_PJRT_CLIENT_SPIN_LOCK_H_

#include <atomic>
#include <thread>

namespace tenon::pjrt {

// Usable with std::lock_guard. A thread must not block while it holds the lock.
class SpinLock {
 public:
  void lock() {
    for (int spins = 0; locked_.exchange(true, std::memory_order_acquire); ++spins) {
      // The holder may have lost its core.
      if (spins > 100) std::this_thread::yield();
    }
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_SPIN_LOCK_H_
