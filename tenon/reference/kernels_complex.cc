#include <cmath>
#include <compare>
#include <complex>

#include "tenon/reference/kernel_loops.h"

namespace tenon::reference {
namespace {

// Functions are computed in a wider type and rounded once.
template <typename T>
struct WiderOf;
template <>
struct WiderOf<float> {
  using type = std::complex<double>;
};
template <>
struct WiderOf<double> {
  using type = std::complex<long double>;
};
template <typename T>
using Wider = typename WiderOf<T>::type;

template <typename T, auto Fn>
constexpr auto kWide = [](std::complex<T> z) {
  const auto result = Fn(Wider<T>(z.real(), z.imag()));
  return std::complex<T>(static_cast<T>(result.real()), static_cast<T>(result.imag()));
};
template <typename T, auto Fn>
constexpr auto kWide2 = [](std::complex<T> z, std::complex<T> w) {
  const auto result = Fn(Wider<T>(z.real(), z.imag()), Wider<T>(w.real(), w.imag()));
  return std::complex<T>(static_cast<T>(result.real()), static_cast<T>(result.imag()));
};

template <typename C>
using Part = typename C::value_type;

constexpr auto kCbrt = []<typename C>(C z) {
  if (z == C(0)) return z;
  return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3);
};
constexpr auto kCos = [](auto z) { return std::cos(z); };
// An infinite angle gives NaN, whatever the magnitude (unlike C99).
constexpr auto kExp = []<typename C>(C z) {
  const auto x = z.real(), y = z.imag();
  return y == 0 ? C(std::exp(x), y)
                : C(std::exp(x) * std::cos(y), std::exp(x) * std::sin(y));
};
// exp(x+iy) - 1, without cancellation near zero.
constexpr auto kExpm1 = []<typename C>(C z) {
  const auto x = z.real(), y = z.imag();
  const auto half_sine = std::sin(y / 2);
  return C(std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine,
           y == 0 ? y : std::exp(x) * std::sin(y));
};
constexpr auto kLog = [](auto z) { return std::log(z); };
// log(1+z), without cancellation near zero.
constexpr auto kLog1p = []<typename C>(C z) {
  const auto x = z.real(), y = z.imag();
  const Part<C> imag = std::atan2(y, 1 + x);
  if (std::abs(x) > Part<C>(0.5) || std::abs(y) > Part<C>(0.5))
    return C(std::log(std::hypot(1 + x, y)), imag);
  return C(std::log1p(x * (2 + x) + y * y) / 2, imag);
};
constexpr auto kLogistic = []<typename C>(C z) { return C(1) / (C(1) + kExp(-z)); };
constexpr auto kRsqrt = []<typename C>(C z) { return C(1) / std::sqrt(z); };
constexpr auto kSign = []<typename C>(C z) {
  const auto magnitude = std::abs(z);
  return magnitude == 0 ? C(0) : C(z.real() / magnitude, z.imag() / magnitude);
};
constexpr auto kSin = [](auto z) { return std::sin(z); };
constexpr auto kSqrt = [](auto z) { return std::sqrt(z); };
constexpr auto kTan = [](auto z) { return std::tan(z); };
constexpr auto kTanh = [](auto z) { return std::tanh(z); };
// The analytic continuation of the principal argument: -i log((x + iy) / sqrt(x^2 +
// y^2)).
constexpr auto kAtan2 = []<typename C>(C y, C x) {
  const C i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
};
constexpr auto kDivide = [](auto z, auto w) { return z / w; };
constexpr auto kPow = []<typename C>(C z, C w) {
  if (w == C(0)) return C(1);
  if (z == C(0)) return w.real() > 0 ? C(0) : std::pow(z, w);
  return std::pow(z, w);
};

// A product without C's recovery of infinities, as vector code computes it.
template <typename T>
std::complex<T> Multiply(std::complex<T> z, std::complex<T> w) {
  return {z.real() * w.real() - z.imag() * w.imag(),
          z.real() * w.imag() + z.imag() * w.real()};
}

template <typename T>
T Abs(std::complex<T> z) {
  return static_cast<T>(std::abs(Wider<T>(z.real(), z.imag())));
}

// Lexicographic order of (real, imaginary); unordered if the deciding part is NaN.
template <typename T>
std::partial_ordering Order(std::complex<T> z, std::complex<T> w) {
  const auto order = z.real() <=> w.real();
  return order == 0 ? z.imag() <=> w.imag() : order;
}

bool Holds(Relation relation, std::partial_ordering order) {
  switch (relation) {
    case Relation::kEq:
      return order == 0;
    case Relation::kNe:
      return order != 0;
    case Relation::kGe:
      return order >= 0;
    case Relation::kGt:
      return order > 0;
    case Relation::kLe:
      return order <= 0;
    case Relation::kLt:
      return order < 0;
  }
  return false;
}

template <typename T>
void Compare(const KernelParams& params, const void* const* inputs, void* output,
             int64_t count) {
  const auto* x = static_cast<const std::complex<T>*>(inputs[0]);
  const auto* y = static_cast<const std::complex<T>*>(inputs[1]);
  auto* out = static_cast<uint64_t*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Holds(params.relation, Order(x[i], y[i]));
}

template <typename T>
bool IsNan(std::complex<T> z) {
  return std::isnan(z.real()) || std::isnan(z.imag());
}

// Returns the first NaN, if there is one.
template <typename T>
std::complex<T> Max(std::complex<T> z, std::complex<T> w) {
  if (IsNan(z)) return z;
  return !IsNan(w) && Order(z, w) >= 0 ? z : w;
}

template <typename T>
std::complex<T> Min(std::complex<T> z, std::complex<T> w) {
  if (IsNan(z)) return z;
  return !IsNan(w) && Order(z, w) <= 0 ? z : w;
}

template <typename T>
Kernel Find(ElementOp op) {
  using C = std::complex<T>;
  switch (op) {
    case ElementOp::kAbs:
      return Unary<C, T, Abs<T>>;
    case ElementOp::kAdd:
      return Binary<C, C, [](C x, C y) { return x + y; }>;
    case ElementOp::kAtan2:
      return Binary<C, C, kWide2<T, kAtan2>>;
    case ElementOp::kCbrt:
      return Unary<C, C, kWide<T, kCbrt>>;
    case ElementOp::kClamp:
      return Clamp<C, Min<T>, Max<T>>;
    case ElementOp::kCompare:
      return Compare<T>;
    case ElementOp::kCosine:
      return Unary<C, C, kWide<T, kCos>>;
    case ElementOp::kDivide:
      return Binary<C, C, kWide2<T, kDivide>>;
    case ElementOp::kExp:
      return Unary<C, C, kWide<T, kExp>>;
    case ElementOp::kExpm1:
      return Unary<C, C, kWide<T, kExpm1>>;
    case ElementOp::kImag:
      return Unary<C, T, [](C x) { return x.imag(); }>;
    case ElementOp::kLog:
      return Unary<C, C, kWide<T, kLog>>;
    case ElementOp::kLog1p:
      return Unary<C, C, kWide<T, kLog1p>>;
    case ElementOp::kLogistic:
      return Unary<C, C, kWide<T, kLogistic>>;
    case ElementOp::kMaximum:
      return Binary<C, C, Max<T>>;
    case ElementOp::kMinimum:
      return Binary<C, C, Min<T>>;
    case ElementOp::kMultiply:
      return Binary<C, C, Multiply<T>>;
    case ElementOp::kNegate:
      return Unary<C, C, [](C x) { return -x; }>;
    case ElementOp::kPower:
      return Binary<C, C, kWide2<T, kPow>>;
    case ElementOp::kReal:
      return Unary<C, T, [](C x) { return x.real(); }>;
    case ElementOp::kRsqrt:
      return Unary<C, C, kWide<T, kRsqrt>>;
    case ElementOp::kSign:
      return Unary<C, C, kWide<T, kSign>>;
    case ElementOp::kSine:
      return Unary<C, C, kWide<T, kSin>>;
    case ElementOp::kSqrt:
      return Unary<C, C, kWide<T, kSqrt>>;
    case ElementOp::kSubtract:
      return Binary<C, C, [](C x, C y) { return x - y; }>;
    case ElementOp::kTan:
      return Unary<C, C, kWide<T, kTan>>;
    case ElementOp::kTanh:
      return Unary<C, C, kWide<T, kTanh>>;
    default:
      return nullptr;
  }
}

}  // namespace

Kernel FindComplexKernel(ElementOp op, ComputeKind kind) {
  return kind == ComputeKind::kC64 ? Find<float>(op) : Find<double>(op);
}

}  // namespace tenon::reference
