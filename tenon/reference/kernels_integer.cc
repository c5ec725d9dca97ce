#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "tenon/reference/kernel_loops.h"

namespace tenon::reference {
namespace {

// Wraps by computing on unsigned values, because signed overflow is undefined.
template <typename T, auto Fn>
constexpr auto kWrapping = [](T x, T y) {
  return static_cast<T>(Fn(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
};

constexpr auto kAdd = [](uint64_t x, uint64_t y) { return x + y; };
constexpr auto kSubtract = [](uint64_t x, uint64_t y) { return x - y; };
constexpr auto kMultiply = [](uint64_t x, uint64_t y) { return x * y; };

// Divides like XLA's built-in CPU backend: x/0 is all ones, x rem 0 is x, MIN/-1 wraps.
template <typename T>
T Divide(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (y == -1) return static_cast<T>(-static_cast<uint64_t>(x));
  return x / y;
}

template <typename T>
T Remainder(T x, T y) {
  if (y == 0) return x;
  if constexpr (std::is_signed_v<T>)
    if (y == -1) return 0;
  return x % y;
}

// By squaring, wrapping. A negative exponent gives the truncated reciprocal of the power.
template <typename T>
T Power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>)
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent & 1 ? -1 : 1;
      return 0;
    }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (auto e = static_cast<uint64_t>(exponent); e; e >>= 1) {
    if (e & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

// Shift amounts are unsigned. Shifting by the width or more shifts out all bits.
uint64_t Mask(int bits) { return ~uint64_t{0} >> (64 - bits); }

template <typename T>
T ShiftLeft(T x, T amount, int bits) {
  const uint64_t n = static_cast<uint64_t>(amount) & Mask(bits);
  return n >= static_cast<uint64_t>(bits) ? 0
                                          : static_cast<T>(static_cast<uint64_t>(x) << n);
}

template <typename T>
T ShiftRightLogical(T x, T amount, int bits) {
  const uint64_t n = static_cast<uint64_t>(amount) & Mask(bits);
  if (n >= static_cast<uint64_t>(bits)) return 0;
  return static_cast<T>((static_cast<uint64_t>(x) & Mask(bits)) >> n);
}

template <typename T>
T ShiftRightArithmetic(T x, T amount, int bits) {
  const uint64_t n =
      std::min<uint64_t>(static_cast<uint64_t>(amount) & Mask(bits), bits - 1);
  const int unused = 64 - bits;
  const auto widened = static_cast<int64_t>(static_cast<uint64_t>(x) << unused) >> unused;
  return static_cast<T>(widened >> n);
}

template <typename T>
T CountLeadingZeros(T x, int bits) {
  return static_cast<T>(std::countl_zero(static_cast<uint64_t>(x) & Mask(bits)) -
                        (64 - bits));
}

template <typename T>
T PopulationCount(T x, int bits) {
  return static_cast<T>(std::popcount(static_cast<uint64_t>(x) & Mask(bits)));
}

template <typename T>
T Abs(T x) {
  return x < 0 ? static_cast<T>(-static_cast<uint64_t>(x)) : x;
}

template <typename T>
T Min(T x, T y) {
  return y < x ? y : x;
}
template <typename T>
T Max(T x, T y) {
  return x < y ? y : x;
}

template <typename T>
Kernel Find(ElementOp op) {
  switch (op) {
    case ElementOp::kAbs:
      return Unary<T, T, Abs<T>>;
    case ElementOp::kAdd:
      return Binary<T, T, kWrapping<T, kAdd>>;
    case ElementOp::kAnd:
      return Binary<T, T, [](T x, T y) { return x & y; }>;
    case ElementOp::kClamp:
      return Clamp<T, Min<T>, Max<T>>;
    case ElementOp::kClz:
      return UnaryBits<T, CountLeadingZeros<T>>;
    case ElementOp::kCompare:
      return CompareValues<T>;
    case ElementOp::kDivide:
      return Binary<T, T, Divide<T>>;
    case ElementOp::kMaximum:
      return Binary<T, T, Max<T>>;
    case ElementOp::kMinimum:
      return Binary<T, T, Min<T>>;
    case ElementOp::kMultiply:
      return Binary<T, T, kWrapping<T, kMultiply>>;
    case ElementOp::kNegate:
      return Unary<T, T, [](T x) { return static_cast<T>(-static_cast<uint64_t>(x)); }>;
    case ElementOp::kNot:
      return Unary<T, T, [](T x) { return static_cast<T>(~x); }>;
    case ElementOp::kOr:
      return Binary<T, T, [](T x, T y) { return x | y; }>;
    case ElementOp::kPopcnt:
      return UnaryBits<T, PopulationCount<T>>;
    case ElementOp::kPower:
      return Binary<T, T, Power<T>>;
    case ElementOp::kRemainder:
      return Binary<T, T, Remainder<T>>;
    case ElementOp::kShiftLeft:
      return BinaryBits<T, ShiftLeft<T>>;
    case ElementOp::kShiftRightArithmetic:
      return BinaryBits<T, ShiftRightArithmetic<T>>;
    case ElementOp::kShiftRightLogical:
      return BinaryBits<T, ShiftRightLogical<T>>;
    case ElementOp::kSign:
      return Unary<T, T, [](T x) { return static_cast<T>((x > 0) - (x < 0)); }>;
    case ElementOp::kSubtract:
      return Binary<T, T, kWrapping<T, kSubtract>>;
    case ElementOp::kXor:
      return Binary<T, T, [](T x, T y) { return x ^ y; }>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel FindIntegerKernel(ElementOp op, ComputeKind kind) {
  return kind == ComputeKind::kSigned ? Find<int64_t>(op) : Find<uint64_t>(op);
}

Kernel FindPredKernel(ElementOp op) {
  using T = uint64_t;
  switch (op) {  // addition is or, multiplication is and
    case ElementOp::kAdd:
      return Binary<T, T, [](T x, T y) { return x | y; }>;
    case ElementOp::kMultiply:
      return Binary<T, T, [](T x, T y) { return x & y; }>;
    default:
      return nullptr;
  }
}

}  // namespace tenon::reference
