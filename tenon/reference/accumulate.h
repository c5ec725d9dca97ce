// The types in which products are summed, and conversions to and from them. Pure
// functions.
#ifndef TENON_REFERENCE_ACCUMULATE_H_
#define TENON_REFERENCE_ACCUMULATE_H_

#include <complex>
#include <cstdint>
#include <vector>

#include "tenon/reference/compute.h"
#include "tenon/reference/kernels.h"

namespace tenon::reference {

// Products are summed as wrapping 64-bit integers, f64 or complex f64.
enum class Accumulation { kInteger, kReal, kComplex };

inline Accumulation AccumulationOf(ElementType type) {
  switch (ComputeKindOf(type)) {
    case ComputeKind::kSigned:
    case ComputeKind::kUnsigned:
      return Accumulation::kInteger;
    case ComputeKind::kF32:
    case ComputeKind::kF64:
      return Accumulation::kReal;
    case ComputeKind::kC64:
    case ComputeKind::kC128:
      return Accumulation::kComplex;
  }
  return Accumulation::kReal;
}

// Returns the widest of the operands' and the result's accumulation types.
inline Accumulation AccumulationOf(ElementType lhs, ElementType rhs, ElementType result) {
  return std::max({AccumulationOf(lhs), AccumulationOf(rhs), AccumulationOf(result)});
}

template <typename T>
struct AccumulatorElement;
template <>
struct AccumulatorElement<uint64_t> {
  static constexpr ElementType kType = ElementType::kS64;
};
template <>
struct AccumulatorElement<double> {
  static constexpr ElementType kType = ElementType::kF64;
};
template <>
struct AccumulatorElement<std::complex<double>> {
  static constexpr ElementType kType = ElementType::kC128;
};

// Returns all elements of `literal` as T: uint64_t, double or std::complex<double>.
template <typename T>
std::vector<T> ToAccumulator(const Literal& literal, bool flush_denormals) {
  std::vector<T> values(literal.count());
  KernelParams params;
  params.operand_type = literal.type();
  params.result_type = AccumulatorElement<T>::kType;
  const Kernel convert = FindConvertKernel(params.operand_type, params.result_type);
  constexpr int64_t kBlock = 256;
  alignas(16) uint8_t block[kBlock * 16];
  const void* inputs[] = {block};
  for (int64_t i = 0; i < literal.count(); i += kBlock) {
    const int64_t count = std::min(kBlock, literal.count() - i);
    LoadElements(literal.type(), literal.data() + i * ElementBytes(literal.type()), block,
                 count);
    if (flush_denormals) FlushDenormals(ComputeKindOf(literal.type()), block, count);
    convert(params, inputs, values.data() + i, count);
  }
  return values;
}

// Stores sums as elements of `type`, rounded once. A pred is true if the sum is not zero.
template <typename T>
void FromAccumulator(ElementType type, const T* sums, uint8_t* storage, int64_t count,
                     bool flush_denormals) {
  KernelParams params;
  params.operand_type = AccumulatorElement<T>::kType;
  params.result_type = type;
  const Kernel convert = FindConvertKernel(params.operand_type, params.result_type);
  constexpr int64_t kBlock = 256;
  alignas(16) uint8_t block[kBlock * 16];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t lanes = std::min(kBlock, count - i);
    const void* inputs[] = {sums + i};
    convert(params, inputs, block, lanes);
    if (flush_denormals) FlushDenormals(ComputeKindOf(type), block, lanes);
    StoreElements(type, block, storage + i * ElementBytes(type), lanes);
  }
}

// Products without the recovery of infinities that std::complex's operator has.
inline uint64_t Product(uint64_t x, uint64_t y) { return x * y; }
inline double Product(double x, double y) { return x * y; }
inline std::complex<double> Product(std::complex<double> x, std::complex<double> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_ACCUMULATE_H_
