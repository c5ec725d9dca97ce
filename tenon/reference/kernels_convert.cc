#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "tenon/reference/kernels.h"
#include "tenon/types/small_floats.h"

namespace tenon::reference {
namespace {

template <typename T>
constexpr bool kIsComplex = false;
template <typename T>
constexpr bool kIsComplex<std::complex<T>> = true;

// Truncates, and saturates to `bits` bits; NaN gives 0.
template <typename To, typename From>
To Saturate(From x, int bits) {
  if (std::isnan(x)) return 0;
  if constexpr (std::is_signed_v<To>) {
    const From limit = std::ldexp(From{1}, bits - 1);
    if (x >= limit) return static_cast<To>(~uint64_t{0} >> (65 - bits));
    if (x < -limit) return -static_cast<To>(uint64_t{1} << (bits - 1) >> 1) * 2;
  } else {
    if (x >= std::ldexp(From{1}, bits)) return ~uint64_t{0} >> (64 - bits);
    if (x <= 0) return 0;
  }
  return static_cast<To>(x);
}

template <typename To, typename From>
To ConvertElement(From x, const KernelParams& params) {
  if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>)
      return To(static_cast<typename To::value_type>(x.real()),
                static_cast<typename To::value_type>(x.imag()));
    else
      return ConvertElement<To>(x.real(), params);
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(x), 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return Saturate<To>(x, ElementBits(params.result_type));
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
void Convert(const KernelParams& params, const void* const* inputs, void* output,
             int64_t count) {
  const auto* x = static_cast<const From*>(inputs[0]);
  auto* out = static_cast<To*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = ConvertElement<To>(x[i], params);
}

// Converts to pred: whether the value (the real part of a complex value) is not zero.
template <typename From>
void ConvertToPred(const KernelParams&, const void* const* inputs, void* output,
                   int64_t count) {
  const auto* x = static_cast<const From*>(inputs[0]);
  auto* out = static_cast<uint64_t*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = x[i] != From(0);
}

// Converts a double directly to a narrow float, so that it is rounded once.
template <typename From>
void ConvertToSmallFloat(const KernelParams& params, const void* const* inputs,
                         void* output, int64_t count) {
  const FloatFormat format = SmallFloatFormat(params.result_type);
  const auto* x = static_cast<const From*>(inputs[0]);
  auto* out = static_cast<float*>(output);
  for (int64_t i = 0; i < count; ++i) {
    const auto value = ConvertElement<double>(x[i], params);
    out[i] =
        static_cast<float>(DecodeSmallFloat(format, EncodeSmallFloat(format, value)));
  }
}

template <typename From>
Kernel Find(ElementType to) {
  if (to == ElementType::kPred) return ConvertToPred<From>;
  if (IsSmallFloat(to)) return ConvertToSmallFloat<From>;
  switch (ComputeKindOf(to)) {
    case ComputeKind::kSigned:
      return Convert<From, int64_t>;
    case ComputeKind::kUnsigned:
      return Convert<From, uint64_t>;
    case ComputeKind::kF32:
      return Convert<From, float>;
    case ComputeKind::kF64:
      return Convert<From, double>;
    case ComputeKind::kC64:
      return Convert<From, std::complex<float>>;
    case ComputeKind::kC128:
      return Convert<From, std::complex<double>>;
  }
  return nullptr;
}

}  // namespace

Kernel FindConvertKernel(ElementType from, ElementType to) {
  switch (ComputeKindOf(from)) {
    case ComputeKind::kSigned:
      return Find<int64_t>(to);
    case ComputeKind::kUnsigned:
      return Find<uint64_t>(to);
    case ComputeKind::kF32:
      return Find<float>(to);
    case ComputeKind::kF64:
      return Find<double>(to);
    case ComputeKind::kC64:
      return Find<std::complex<float>>(to);
    case ComputeKind::kC128:
      return Find<std::complex<double>>(to);
  }
  return nullptr;
}

}  // namespace tenon::reference
