#include "tenon/devices/cpu/host_move.h"

#include <cstdint>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace tenon::cpu {
namespace {

bool IsAmd() {
#ifdef __x86_64__
  unsigned highest, b, c, d;
  return __get_cpuid(0, &highest, &b, &c, &d) && b == signature_AMD_ebx;
#else
  return false;
#endif
}

}  // namespace

void* MoveInPieces(void* to, const void* from, size_t bytes) {
  constexpr size_t kMinRepeated = 2048, kPiece = 1024, kPage = 4096, kLine = 64;
  const size_t distance =
      reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
  // Pieces are copied forwards, so the target must not begin inside the source.
  if (bytes < kMinRepeated || distance % kPage == 0 || distance % kPage >= kLine ||
      distance < bytes)
    return std::memmove(to, from, bytes);
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  for (; bytes > kPiece; target += kPiece, source += kPiece, bytes -= kPiece)
    std::memmove(target, source, kPiece);
  std::memmove(target, source, bytes);
  return to;
}

MoveFunction HostMove() {
  static const MoveFunction function = IsAmd() ? MoveInPieces : std::memmove;
  return function;
}

}  // namespace tenon::cpu
