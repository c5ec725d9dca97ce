#include "tenon/runtime/streaming_copy.h"

#include <atomic>
#include <cstring>

namespace tenon::runtime {
namespace {

// Whole lines only: the stores of a line must be complete to be written at once.
constexpr int64_t kLine = 64;

#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define TENON_HAS_STREAMS 1
#endif
#endif

#ifdef TENON_HAS_STREAMS
typedef int64_t Word2 __attribute__((vector_size(16)));

void StreamLines(char* to, const char* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += kLine) {
    for (int64_t part = 0; part < kLine; part += 16) {
      Word2 words;
      std::memcpy(&words, from + i + part, sizeof words);
      __builtin_nontemporal_store(words, reinterpret_cast<Word2*>(to + i + part));
    }
  }
}
#else
void StreamLines(char* to, const char* from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}
#endif

}  // namespace

void StreamingCopy::operator()(char* to, const char* from, int64_t bytes) const {
  const auto misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kLine);
  const int64_t head = misaligned ? kLine - misaligned : 0;
  if (!streams_ || bytes < head + kLine) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  const int64_t lines = (bytes - head) / kLine * kLine, tail = head + lines;
  std::memcpy(to, from, static_cast<size_t>(head));
  StreamLines(to + head, from + head, lines);
  std::memcpy(to + tail, from + tail, static_cast<size_t>(bytes - tail));
}

void StreamingCopy::Finish() const {
  // Release operations alone do not order non-temporal stores.
  if (streams_) std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace tenon::runtime
