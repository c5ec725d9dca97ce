// Waiting for another thread without sleeping.
#ifndef TENON_BASE_SPIN_H_
#define TENON_BASE_SPIN_H_

#include <chrono>
#include <thread>

namespace tenon {

// Calls `is_done` until it returns true or `time` is over. Yields now and then, because
// the other thread may have been started on this thread's processor: the kernel would
// leave it there, not running, for milliseconds.
template <typename IsDone>
void SpinUntil(IsDone is_done, std::chrono::microseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kYieldAfter(5);
  const Clock::time_point start = Clock::now();
  for (Clock::time_point yielded = start; !is_done();) {
    const Clock::time_point now = Clock::now();
    if (now - start >= time) return;
    if (now - yielded < kYieldAfter) continue;
    std::this_thread::yield();
    yielded = Clock::now();
  }
}

}  // namespace tenon

#endif  // TENON_BASE_SPIN_H_
