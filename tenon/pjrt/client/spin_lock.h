// A lock for a few instructions: an uncontended one costs an atomic exchange.
#ifndef TENON_PJRT_CLIENT_SPIN_LOCK_H_
#define TENON_PJRT_CLIENT_SPIN_LOCK_H_

#include <atomic>
#include <thread>

namespace tenon::pjrt {

// Usable with std::lock_guard. Nothing may block while it is held.
class SpinLock {
 public:
  void lock() {
    for (int spins = 0; locked_.exchange(true, std::memory_order_acquire); ++spins) {
      // Whoever holds it may have lost its core.
      if (spins > 100) std::this_thread::yield();
    }
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_SPIN_LOCK_H_
