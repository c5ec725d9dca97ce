// Loops that turn a function of single elements into a kernel.
#ifndef TENON_REFERENCE_KERNEL_LOOPS_H_
#define TENON_REFERENCE_KERNEL_LOOPS_H_

#include "tenon/reference/kernels.h"

namespace tenon::reference {

// Fn has type R(T).
template <typename T, typename R, auto Fn>
void Unary(const KernelParams&, const void* const* inputs, void* output, int64_t count) {
  const auto* x = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<R*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Fn(x[i]);
}

// Fn has type R(T, T).
template <typename T, typename R, auto Fn>
void Binary(const KernelParams&, const void* const* inputs, void* output, int64_t count) {
  const auto* x = static_cast<const T*>(inputs[0]);
  const auto* y = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<R*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Fn(x[i], y[i]);
}

// Fn has type T(T, bits of the operand type).
template <typename T, auto Fn>
void UnaryBits(const KernelParams& params, const void* const* inputs, void* output,
               int64_t count) {
  const int bits = ElementBits(params.operand_type);
  const auto* x = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Fn(x[i], bits);
}

// Fn has type T(T, T, bits of the operand type).
template <typename T, auto Fn>
void BinaryBits(const KernelParams& params, const void* const* inputs, void* output,
                int64_t count) {
  const int bits = ElementBits(params.operand_type);
  const auto* x = static_cast<const T*>(inputs[0]);
  const auto* y = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Fn(x[i], y[i], bits);
}

// min(max(x, low), high), with the type's own min and max.
template <typename T, auto Min, auto Max>
void Clamp(const KernelParams&, const void* const* inputs, void* output, int64_t count) {
  const auto* low = static_cast<const T*>(inputs[0]);
  const auto* x = static_cast<const T*>(inputs[1]);
  const auto* high = static_cast<const T*>(inputs[2]);
  auto* out = static_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Min(Max(x[i], low[i]), high[i]);
}

template <typename T>
void CompareValues(const KernelParams& params, const void* const* inputs, void* output,
                   int64_t count) {
  const auto* x = static_cast<const T*>(inputs[0]);
  const auto* y = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<uint64_t*>(output);
  switch (params.relation) {
    case Relation::kEq:
      for (int64_t i = 0; i < count; ++i) out[i] = x[i] == y[i];
      return;
    case Relation::kNe:
      for (int64_t i = 0; i < count; ++i) out[i] = x[i] != y[i];
      return;
    case Relation::kGe:
      for (int64_t i = 0; i < count; ++i) out[i] = x[i] >= y[i];
      return;
    case Relation::kGt:
      for (int64_t i = 0; i < count; ++i) out[i] = x[i] > y[i];
      return;
    case Relation::kLe:
      for (int64_t i = 0; i < count; ++i) out[i] = x[i] <= y[i];
      return;
    case Relation::kLt:
      for (int64_t i = 0; i < count; ++i) out[i] = x[i] < y[i];
      return;
  }
}

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_KERNEL_LOOPS_H_
