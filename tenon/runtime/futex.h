// Linux's futex: threads sleep on a 32-bit value in memory. std::atomic::wait would not
// do, because it cannot wake just some of the sleepers.
#ifndef TENON_RUNTIME_FUTEX_H_
#define TENON_RUNTIME_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace tenon::runtime {

// Sleeps while `value` equals `seen`. May return early.
inline void FutexWait(const std::atomic<uint32_t>& value, uint32_t seen) {
  syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

inline void FutexWake(const std::atomic<uint32_t>& value, int count) {
  syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// Tells the processor that this is a spin loop.
inline void CpuRelax() {
#if __has_builtin(__builtin_ia32_pause)
  __builtin_ia32_pause();
#elif __has_builtin(__builtin_arm_yield)
  __builtin_arm_yield();
#endif
}

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_FUTEX_H_
