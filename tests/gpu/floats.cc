#include "tests/gpu/floats.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tenon::gpu_test {
namespace {

constexpr uint16_t kNan = 0x7fff;

// Exact in every mode of this machine's denormals: f64 has none of these numbers as one.
double Widen(uint16_t bits) {
  const int exponent = bits >> 7 & 0xff, fraction = bits & 0x7f;
  double size = exponent == 0 ? std::ldexp(fraction, -133)
                              : std::ldexp(0x80 | fraction, exponent - 134);
  if (exponent == 0xff) size = fraction == 0 ? HUGE_VAL : NAN;
  return std::copysign(size, bits & 0x8000 ? -1.0 : 1.0);
}

uint16_t Narrow(double value) {
  if (std::isnan(value)) return kNan;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (size == 0) return sign;
  constexpr int kInfinity = 0x7f80, kLowest = -126;
  if (std::isinf(size)) return sign | kInfinity;
  const int exponent = std::max(std::ilogb(size), kLowest);
  // In units of the last place; a carry increases the exponent.
  const int units = static_cast<int>(std::nearbyint(std::ldexp(size, 7 - exponent)));
  const int bits = ((exponent - kLowest) << 7) + units;
  return static_cast<uint16_t>(sign | std::min(bits, kInfinity));
}

uint16_t NarrowFloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return kNan;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t Fma(uint16_t a, uint16_t b, uint16_t c) {
  // The product has 16 bits. If f64 has no place for all bits of the sum, it is the
  // number next to it whose last bit is set: rounding that is rounding the sum once.
  const double product = Widen(a) * Widen(b), term = Widen(c);
  const double sum = product + term;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (term - part);
  if (!std::isfinite(sum) || error == 0) return Narrow(sum);
  auto bits = std::bit_cast<uint64_t>(sum);
  if ((error < 0) == (sum > 0)) --bits;
  return Narrow(std::bit_cast<double>(bits | 1));
}

uint16_t Max(uint16_t a, uint16_t b) {
  if (std::isnan(Widen(a)) || std::isnan(Widen(b))) return kNan;
  // In two's complement, -0 is below +0.
  auto order = [](uint16_t bits) {
    return bits & 0x8000 ? -1 - (bits & 0x7fff) : static_cast<int>(bits);
  };
  return order(a) > order(b) ? a : b;
}

uint16_t Min(uint16_t a, uint16_t b) {
  const uint16_t larger = Max(a, b);
  return larger == kNan ? kNan : larger == a ? b : a;
}

// Compares bits: the mode may be that denormals are zero.
float Flush(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return (bits & 0x7f800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : x;
}

uint16_t Low(uint32_t word) { return static_cast<uint16_t>(word); }
uint16_t High(uint32_t word) { return static_cast<uint16_t>(word >> 16); }

uint32_t Pair(uint16_t lower, uint16_t upper) {
  return lower | static_cast<uint32_t>(upper) << 16;
}

}  // namespace

uint32_t FmaBf16x2(uint32_t a, uint32_t b, uint32_t c) {
  return Pair(Fma(Low(a), Low(b), Low(c)), Fma(High(a), High(b), High(c)));
}

uint32_t MaxBf16x2(uint32_t a, uint32_t b) {
  return Pair(Max(Low(a), Low(b)), Max(High(a), High(b)));
}

uint32_t MinBf16x2(uint32_t a, uint32_t b) {
  return Pair(Min(Low(a), Low(b)), Min(High(a), High(b)));
}

uint32_t NarrowBf16x2(float upper, float lower) {
  return Pair(NarrowFloat(lower), NarrowFloat(upper));
}

float Exp2Approx(float x) { return Flush(std::exp2(Flush(x))); }

float RcpApprox(float x) { return Flush(1 / Flush(x)); }

float DivFull(float x, float y) { return Flush(Flush(x) / Flush(y)); }

float FmaRm(float x, float y, float z) {
  // The product is exact. A sum that is not differs too little to matter but to say that
  // it is below or above.
  const double product = static_cast<double>(Flush(x)) * Flush(y), term = Flush(z);
  const double sum = product + term;
  auto result = static_cast<float>(sum);
  if (!std::isfinite(sum)) return result;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (term - part);
  if (result > sum || (result == sum && error < 0))
    result = std::nextafter(result, -HUGE_VALF);
  return Flush(result);
}

}  // namespace tenon::gpu_test
