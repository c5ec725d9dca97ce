#include "tenon/devices/cpu/float_mode.h"

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tenon::cpu {
namespace {

#if defined(__x86_64__)

// MXCSR: all exceptions masked, round to nearest.
constexpr uint32_t kIeee = 0x1f80;
constexpr uint32_t kFlush = kIeee | 0x8000 | 0x0040;  // results (FTZ), operands (DAZ)

uint32_t Read() { return _mm_getcsr(); }
void Write(uint32_t value) { _mm_setcsr(value); }

#elif defined(__aarch64__)

// FPCR: no traps, round to nearest.
constexpr uint64_t kIeee = 0;
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ: operands and results

uint64_t Read() {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void Write(uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }

#else
#error "the floating-point control register of this architecture is not known"
#endif

}  // namespace

const runtime::FloatMode kFloatMode = {
    .enter = [](bool ieee_denormals) -> uint64_t {
      const auto previous = Read();
      const auto wanted = ieee_denormals ? kIeee : kFlush;
      // Write only if needed, because writing costs far more than reading.
      if (previous != wanted) Write(wanted);
      return previous;
    },
    .leave =
        [](uint64_t previous) {
          const auto value = static_cast<decltype(Read())>(previous);
          if (Read() != value) Write(value);
        },
};

}  // namespace tenon::cpu
