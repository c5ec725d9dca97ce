// Fourier transforms of any length, in a precision wider than the element type's.
#include <cmath>
#include <complex>
#include <numbers>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {
namespace {

// exp(i * sign * pi * numerator / denominator)
template <typename T>
std::complex<T> Root(int64_t numerator, int64_t denominator, int sign) {
  const T angle = std::numbers::pi_v<T> * static_cast<T>(numerator % (2 * denominator)) /
                  static_cast<T>(denominator);
  return {std::cos(angle), sign * std::sin(angle)};
}

// Transforms in place; the length is a power of two. sign -1: forward; +1: inverse,
// unscaled.
template <typename T>
void PowerOfTwo(std::vector<std::complex<T>>& x, int sign) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t half = 1; half < n; half *= 2) {
    std::vector<std::complex<T>> roots(half);
    for (size_t k = 0; k < half; ++k)
      roots[k] = Root<T>(static_cast<int64_t>(k), static_cast<int64_t>(half), sign);
    for (size_t base = 0; base < n; base += 2 * half)
      for (size_t k = 0; k < half; ++k) {
        const std::complex<T> even = x[base + k], odd = x[base + k + half];
        const std::complex<T> rotated(
            odd.real() * roots[k].real() - odd.imag() * roots[k].imag(),
            odd.real() * roots[k].imag() + odd.imag() * roots[k].real());
        x[base + k] = even + rotated;
        x[base + k + half] = even - rotated;
      }
  }
}

// Transforms any length; by Bluestein's convolution with a chirp if it is no power of
// two.
template <typename T>
void Transform(std::vector<std::complex<T>>& x, int sign) {
  const auto n = static_cast<int64_t>(x.size());
  if (n <= 1) return;
  if ((n & (n - 1)) == 0) return PowerOfTwo(x, sign);
  size_t padded = 1;
  while (padded < static_cast<size_t>(2 * n - 1)) padded *= 2;
  std::vector<std::complex<T>> chirp(n), a(padded), b(padded);
  for (int64_t k = 0; k < n; ++k) {
    // Reducing k^2 modulo 2n keeps the angle small and exact.
    const auto square =
        static_cast<int64_t>(static_cast<unsigned __int128>(k) * k % (2 * n));
    chirp[k] = Root<T>(square, n, sign);
    a[k] = x[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k) b[padded - k] = b[k];
  }
  PowerOfTwo(a, -1);
  PowerOfTwo(b, -1);
  for (size_t k = 0; k < padded; ++k) a[k] *= b[k];
  PowerOfTwo(a, 1);
  for (int64_t k = 0; k < n; ++k) x[k] = a[k] * chirp[k] / static_cast<T>(padded);
}

// Transforms every line along `dimension` of `data`.
template <typename T>
void TransformDimension(std::vector<std::complex<T>>& data, const Dims& dims,
                        size_t dimension, bool inverse) {
  const int64_t size = dims[dimension], stride = RowMajorStrides(dims)[dimension];
  std::vector<std::complex<T>> line(size);
  for (int64_t i = 0; i < ElementCount(dims) / size; ++i) {
    const int64_t base = i / stride * stride * size + i % stride;
    for (int64_t k = 0; k < size; ++k) line[k] = data[base + k * stride];
    Transform(line, inverse ? 1 : -1);
    const T scale = inverse ? T{1} / static_cast<T>(size) : T{1};
    for (int64_t k = 0; k < size; ++k) data[base + k * stride] = line[k] * scale;
  }
}

// Copies lines along the last dimension, changing their length from `old_size` to
// `new_size` elements; fn(line, k) is new element k.
template <typename T, typename Fn>
std::vector<std::complex<T>> Resize(const std::vector<std::complex<T>>& data,
                                    int64_t old_size, int64_t new_size, Fn fn) {
  const int64_t lines = static_cast<int64_t>(data.size()) / old_size;
  std::vector<std::complex<T>> resized(lines * new_size);
  for (int64_t i = 0; i < lines; ++i)
    for (int64_t k = 0; k < new_size; ++k)
      resized[i * new_size + k] = fn(data.data() + i * old_size, k);
  return resized;
}

template <typename T, typename Part>
void Evaluate(stablehlo::FftType type, llvm::ArrayRef<int64_t> lengths,
              const Literal& operand, Literal& result) {
  std::vector<std::complex<T>> data(operand.count());
  if (type == stablehlo::FftType::RFFT) {
    const auto* values = reinterpret_cast<const Part*>(operand.data());
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(values[i]);
  } else {
    const auto* values = reinterpret_cast<const std::complex<Part>*>(operand.data());
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = {values[i].real(), values[i].imag()};
  }
  Dims dims = operand.dims();
  const size_t rank = dims.size(), first = rank - lengths.size();
  const bool inverse =
      type == stablehlo::FftType::IFFT || type == stablehlo::FftType::IRFFT;
  if (type == stablehlo::FftType::IRFFT) {
    for (size_t d = first; d + 1 < rank; ++d) TransformDimension(data, dims, d, true);
    // The second half of the last dimension is the conjugate of the first, reversed.
    const int64_t half = dims.back(), full = lengths.back();
    data = Resize(data, half, full, [&](const std::complex<T>* line, int64_t k) {
      return k < half ? line[k] : std::conj(line[full - k]);
    });
    // The imaginary parts that the spectrum of a real signal cannot have are dropped.
    dims.back() = full;
    for (int64_t i = 0; i < static_cast<int64_t>(data.size()); i += full) {
      data[i] = data[i].real();
      if (full % 2 == 0) data[i + full / 2] = data[i + full / 2].real();
    }
    TransformDimension(data, dims, rank - 1, true);
  } else {
    for (size_t d = rank; d-- > first;) {
      TransformDimension(data, dims, d, inverse);
      if (type == stablehlo::FftType::RFFT && d == rank - 1) {
        const int64_t half = dims.back() / 2 + 1;
        data = Resize(data, dims.back(), half,
                      [](const std::complex<T>* line, int64_t k) { return line[k]; });
        dims.back() = half;
      }
    }
  }
  if (type == stablehlo::FftType::IRFFT) {
    auto* out = reinterpret_cast<Part*>(result.mutable_data());
    for (size_t i = 0; i < data.size(); ++i) out[i] = static_cast<Part>(data[i].real());
  } else {
    auto* out = reinterpret_cast<std::complex<Part>*>(result.mutable_data());
    for (size_t i = 0; i < data.size(); ++i)
      out[i] = {static_cast<Part>(data[i].real()), static_cast<Part>(data[i].imag())};
  }
}

}  // namespace

Status EvalFft(OpContext& context) {
  auto op = llvm::cast<stablehlo::FftOp>(context.op);
  const Literal& operand = context.operands[0];
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  if (result.count() && operand.count()) {
    switch (operand.type()) {
      case ElementType::kF32:
      case ElementType::kC64:
        Evaluate<double, float>(op.getFftType(), op.getFftLength(), operand, result);
        break;
      case ElementType::kF64:
      case ElementType::kC128:
        Evaluate<long double, double>(op.getFftType(), op.getFftLength(), operand,
                                      result);
        break;
      default:
        return Unimplemented("on " + std::string(ElementTypeName(operand.type())));
    }
    if (context.flush_denormals())
      FlushDenormals(ComputeKindOf(result.type()), result.mutable_data(), result.count());
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
