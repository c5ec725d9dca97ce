#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "tenon/reference/kernel_loops.h"
#include "tenon/types/small_floats.h"

namespace tenon::reference {
namespace {

// Transcendental functions are computed in a wider type and rounded once.
template <typename T>
struct WiderOf;
template <>
struct WiderOf<float> {
  using type = double;
};
template <>
struct WiderOf<double> {
  using type = long double;
};
template <typename T>
using Wider = typename WiderOf<T>::type;

template <typename T, auto Fn>
constexpr auto kWide = [](T x) { return static_cast<T>(Fn(static_cast<Wider<T>>(x))); };
template <typename T, auto Fn>
constexpr auto kWide2 = [](T x, T y) {
  return static_cast<T>(Fn(static_cast<Wider<T>>(x), static_cast<Wider<T>>(y)));
};

#define TENON_MATH(name, expression) \
  constexpr auto name = [](auto x) { return expression; }
TENON_MATH(kCbrt, std::cbrt(x));
TENON_MATH(kCos, std::cos(x));
TENON_MATH(kExp, std::exp(x));
TENON_MATH(kExpm1, std::expm1(x));
TENON_MATH(kLog, std::log(x));
TENON_MATH(kLog1p, std::log1p(x));
TENON_MATH(kLogistic, 1 / (1 + std::exp(-x)));
TENON_MATH(kRsqrt, 1 / std::sqrt(x));
TENON_MATH(kSin, std::sin(x));
TENON_MATH(kTan, std::tan(x));
TENON_MATH(kTanh, std::tanh(x));
#undef TENON_MATH
constexpr auto kAtan2 = [](auto y, auto x) { return std::atan2(y, x); };
constexpr auto kPow = [](auto x, auto y) { return std::pow(x, y); };

// Returns NaN if either is NaN. -0 is less than +0.
template <typename T>
T Max(T x, T y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  if (x == y) return std::signbit(x) ? y : x;
  return x < y ? y : x;
}

template <typename T>
T Min(T x, T y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  if (x == y) return std::signbit(x) ? x : y;
  return y < x ? y : x;
}

template <typename T>
T Sign(T x) {
  return x == 0 || std::isnan(x) ? x : std::copysign(T{1}, x);
}

template <typename T>
void IsFinite(const KernelParams&, const void* const* inputs, void* output,
              int64_t count) {
  const auto* x = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<uint64_t*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = std::isfinite(x[i]);
}

template <typename T>
void MakeComplex(const KernelParams&, const void* const* inputs, void* output,
                 int64_t count) {
  const auto* real = static_cast<const T*>(inputs[0]);
  const auto* imag = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<std::complex<T>*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = {real[i], imag[i]};
}

// IEEE 754's total order: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
template <typename T, typename Bits>
void CompareTotalOrder(const KernelParams& params, const void* const* inputs,
                       void* output, int64_t count) {
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  const auto* x = static_cast<const Bits*>(inputs[0]);
  const auto* y = static_cast<const Bits*>(inputs[1]);
  auto* out = static_cast<uint64_t*>(output);
  for (int64_t i = 0; i < count; ++i) {
    const Bits a = x[i] < 0 ? x[i] ^ kMagnitude : x[i];
    const Bits b = y[i] < 0 ? y[i] ^ kMagnitude : y[i];
    const void* pair[] = {&a, &b};
    CompareValues<Bits>(params, pair, out + i, 1);
  }
}

// The bit layout of a float type.
struct Layout {
  int mantissa_bits;
  int exponent_bits;
};

Layout LayoutOf(ElementType type) {
  if (type == ElementType::kF32) return {23, 8};
  if (type == ElementType::kF64) return {52, 11};
  const FloatFormat format = SmallFloatFormat(type);
  return {format.mantissa_bits, format.bits - 1 - format.mantissa_bits};
}

// Rounds bits of a value of IEEE layout `from` to the precision of `to`, to nearest even.
// Values outside the smaller exponent range become infinity or zero.
uint64_t ReducePrecisionBits(uint64_t bits, Layout from, Layout to) {
  const uint64_t sign = uint64_t{1} << (from.mantissa_bits + from.exponent_bits);
  const uint64_t infinity = sign - (uint64_t{1} << from.mantissa_bits);
  const uint64_t magnitude = bits & (sign - 1);
  if (magnitude > infinity) {
    // A NaN keeps its payload, even if `to` has fewer mantissa bits. A layout without
    // mantissa bits has no NaN; the result is infinity.
    return to.mantissa_bits > 0 ? bits : (bits & sign) | infinity;
  }
  uint64_t rounded = magnitude;
  if (to.mantissa_bits < from.mantissa_bits) {
    const int cut = from.mantissa_bits - to.mantissa_bits;
    const uint64_t last = uint64_t{1} << cut;
    const uint64_t bias = (last >> 1) - 1 + ((magnitude >> cut) & 1);
    rounded = (magnitude + bias) & ~(last - 1);
  }
  if (to.exponent_bits < from.exponent_bits) {
    const uint64_t bias = (uint64_t{1} << (from.exponent_bits - 1)) - 1;
    const uint64_t new_bias = (uint64_t{1} << (to.exponent_bits - 1)) - 1;
    const uint64_t exponent = rounded >> from.mantissa_bits;
    if (exponent > bias + new_bias) rounded = infinity;
    if (exponent <= bias - new_bias) rounded = 0;
  }
  return (bits & sign) | rounded;
}

template <typename T, typename Bits>
void ReducePrecision(const KernelParams& params, const void* const* inputs, void* output,
                     int64_t count) {
  // Values of narrow types are rounded in their f32 form, where their subnormals are
  // normal numbers. The exponent range is reduced only if `exponent_bits` is less than
  // the operand type's; if it is not, subnormals keep their exponent.
  const bool is_wide = std::is_same_v<T, double>;
  const Layout from = is_wide ? Layout{52, 11} : Layout{23, 8};
  const int own_exponent = LayoutOf(params.operand_type).exponent_bits;
  const Layout to = {params.mantissa_bits, params.exponent_bits < own_exponent
                                               ? params.exponent_bits
                                               : from.exponent_bits};
  T smallest = 0;  // the smallest normal number that subnormals are below
  if (own_exponent == 5 && params.exponent_bits >= own_exponent &&
      params.mantissa_bits < LayoutOf(params.operand_type).mantissa_bits)
    smallest = std::ldexp(T{1}, 1 - SmallFloatFormat(params.operand_type).bias);
  const auto* x = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) {
    if (std::fabs(x[i]) < smallest) {
      const T place = std::ldexp(smallest, -params.mantissa_bits);
      out[i] = std::copysign(std::nearbyint(std::fabs(x[i]) / place) * place, x[i]);
      continue;
    }
    out[i] = std::bit_cast<T>(
        static_cast<Bits>(ReducePrecisionBits(std::bit_cast<Bits>(x[i]), from, to)));
  }
}

template <typename T, typename Bits>
Kernel Find(ElementOp op, const KernelParams& params) {
  switch (op) {
    case ElementOp::kAbs:
      return Unary<T, T, [](T x) { return std::fabs(x); }>;
    case ElementOp::kAdd:
      return Binary<T, T, [](T x, T y) { return x + y; }>;
    case ElementOp::kAtan2:
      return Binary<T, T, kWide2<T, kAtan2>>;
    case ElementOp::kCbrt:
      return Unary<T, T, kWide<T, kCbrt>>;
    case ElementOp::kCeil:
      return Unary<T, T, [](T x) { return std::ceil(x); }>;
    case ElementOp::kClamp:
      return Clamp<T, Min<T>, Max<T>>;
    case ElementOp::kCompare:
      return params.total_order ? CompareTotalOrder<T, Bits> : CompareValues<T>;
    case ElementOp::kComplex:
      return MakeComplex<T>;
    case ElementOp::kCosine:
      return Unary<T, T, kWide<T, kCos>>;
    case ElementOp::kDivide:
      return Binary<T, T, [](T x, T y) { return x / y; }>;
    case ElementOp::kExp:
      return Unary<T, T, kWide<T, kExp>>;
    case ElementOp::kExpm1:
      return Unary<T, T, kWide<T, kExpm1>>;
    case ElementOp::kFloor:
      return Unary<T, T, [](T x) { return std::floor(x); }>;
    case ElementOp::kImag:
      return Unary<T, T, [](T) { return T{0}; }>;
    case ElementOp::kIsFinite:
      return IsFinite<T>;
    case ElementOp::kLog:
      return Unary<T, T, kWide<T, kLog>>;
    case ElementOp::kLog1p:
      return Unary<T, T, kWide<T, kLog1p>>;
    case ElementOp::kLogistic:
      return Unary<T, T, kWide<T, kLogistic>>;
    case ElementOp::kMaximum:
      return Binary<T, T, Max<T>>;
    case ElementOp::kMinimum:
      return Binary<T, T, Min<T>>;
    case ElementOp::kMultiply:
      return Binary<T, T, [](T x, T y) { return x * y; }>;
    case ElementOp::kNegate:
      return Unary<T, T, [](T x) { return -x; }>;
    case ElementOp::kPower:
      return Binary<T, T, kWide2<T, kPow>>;
    case ElementOp::kReal:
      return Unary<T, T, [](T x) { return x; }>;
    case ElementOp::kReducePrecision:
      return ReducePrecision<T, Bits>;
    case ElementOp::kRemainder:
      return Binary<T, T, [](T x, T y) { return std::fmod(x, y); }>;
    case ElementOp::kRoundAfz:
      return Unary<T, T, [](T x) { return std::round(x); }>;
    case ElementOp::kRoundEven:
      return Unary<T, T, [](T x) { return std::nearbyint(x); }>;
    case ElementOp::kRsqrt:
      return Unary<T, T, kWide<T, kRsqrt>>;
    case ElementOp::kSign:
      return Unary<T, T, Sign<T>>;
    case ElementOp::kSine:
      return Unary<T, T, kWide<T, kSin>>;
    case ElementOp::kSqrt:
      return Unary<T, T, [](T x) { return std::sqrt(x); }>;
    case ElementOp::kSubtract:
      return Binary<T, T, [](T x, T y) { return x - y; }>;
    case ElementOp::kTan:
      return Unary<T, T, kWide<T, kTan>>;
    case ElementOp::kTanh:
      return Unary<T, T, kWide<T, kTanh>>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel FindFloatKernel(ElementOp op, const KernelParams& params) {
  return ComputeKindOf(params.operand_type) == ComputeKind::kF32
             ? Find<float, int32_t>(op, params)
             : Find<double, int64_t>(op, params);
}

}  // namespace tenon::reference
