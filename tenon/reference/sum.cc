// Sums of floats, accumulated in a wider type.
#include <complex>

#include "tenon/reference/reduction.h"

namespace tenon::reference {
namespace {

template <typename T, typename Wide>
void Sum(ElementType type, const T* inputs, T init, int64_t outputs, int64_t steps,
         bool flush_denormals, uint8_t* out) {
  const ComputeKind kind = ComputeKindOf(type);
  for (int64_t i = 0; i < outputs; ++i) {
    Wide sum(init);
    for (int64_t k = 0; k < steps; ++k) sum += Wide(inputs[i * steps + k]);
    T rounded(sum);
    if (flush_denormals) FlushDenormals(kind, &rounded, 1);
    StoreElements(type, &rounded, out + i * ElementBytes(type), 1);
  }
}

template <typename T, typename Wide>
void RunningSum(ElementType type, const T* inputs, T init, int64_t count, int64_t stride,
                bool backward, bool flush_denormals, uint8_t* out) {
  const ComputeKind kind = ComputeKindOf(type);
  Wide sum(init);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t index = (backward ? count - 1 - k : k) * stride;
    sum += Wide(inputs[index]);
    T rounded(sum);
    if (flush_denormals) FlushDenormals(kind, &rounded, 1);
    StoreElements(type, &rounded, out + index * ElementBytes(type), 1);
  }
}

}  // namespace

bool RunningSumWide(ElementType type, const void* inputs, const void* init, int64_t count,
                    int64_t stride, bool backward, bool flush_denormals, uint8_t* out) {
  using C = std::complex<float>;
  switch (ComputeKindOf(type)) {
    case ComputeKind::kF32:
      RunningSum<float, double>(type, static_cast<const float*>(inputs),
                                *static_cast<const float*>(init), count, stride, backward,
                                flush_denormals, out);
      return true;
    case ComputeKind::kF64:
      RunningSum<double, long double>(type, static_cast<const double*>(inputs),
                                      *static_cast<const double*>(init), count, stride,
                                      backward, flush_denormals, out);
      return true;
    case ComputeKind::kC64:
      RunningSum<C, std::complex<double>>(type, static_cast<const C*>(inputs),
                                          *static_cast<const C*>(init), count, stride,
                                          backward, flush_denormals, out);
      return true;
    default:
      return false;
  }
}

bool SumWide(ElementType type, const void* inputs, const void* init, int64_t outputs,
             int64_t steps, bool flush_denormals, uint8_t* out) {
  switch (ComputeKindOf(type)) {
    case ComputeKind::kF32:
      Sum<float, double>(type, static_cast<const float*>(inputs),
                         *static_cast<const float*>(init), outputs, steps,
                         flush_denormals, out);
      return true;
    case ComputeKind::kF64:
      Sum<double, long double>(type, static_cast<const double*>(inputs),
                               *static_cast<const double*>(init), outputs, steps,
                               flush_denormals, out);
      return true;
    case ComputeKind::kC64: {
      using C = std::complex<float>;
      Sum<C, std::complex<double>>(type, static_cast<const C*>(inputs),
                                   *static_cast<const C*>(init), outputs, steps,
                                   flush_denormals, out);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace tenon::reference
