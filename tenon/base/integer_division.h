// Divisions that round up, for signed sizes and strides. LLVM's divideCeil and alignTo
// take unsigned numbers.
#ifndef TENON_BASE_INTEGER_DIVISION_H_
#define TENON_BASE_INTEGER_DIVISION_H_

#include <cstdint>

namespace tenon {

// x >= 0, y > 0.
constexpr int64_t CeilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
// The smallest multiple of `to` that is at least x.
constexpr int64_t AlignUp(int64_t x, int64_t to) { return CeilDiv(x, to) * to; }

}  // namespace tenon

#endif  // TENON_BASE_INTEGER_DIVISION_H_
