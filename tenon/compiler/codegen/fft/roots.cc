#include "tenon/compiler/codegen/fft/roots.h"

#include <cmath>
#include <numbers>

namespace tenon::codegen {
namespace {

using Number = std::complex<double>;
using Extended = std::complex<long double>;

// exp(2 pi i k / n) for k < n.
Extended RootInExtended(uint64_t k, uint64_t n) {
  uint64_t eighths = 8 * k;
  bool lower_half = eighths > 4 * n;
  if (lower_half) eighths = 8 * n - eighths;
  bool second_quarter = eighths > 2 * n;
  if (second_quarter) eighths = 4 * n - eighths;
  bool second_eighth = eighths > n;
  if (second_eighth) eighths = 2 * n - eighths;
  long double angle = std::numbers::pi_v<long double> *
                      static_cast<long double>(eighths) / static_cast<long double>(4 * n);
  long double re = std::cos(angle), im = std::sin(angle);
  if (second_eighth) std::swap(re, im);
  return {second_quarter ? -re : re, lower_half ? -im : im};
}

Number Rounded(Extended x) {
  return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}

// A complex product. std::complex's operator would test the result for NaN.
template <typename T>
std::complex<T> Product(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

// Transforms `radix` numbers, multiplies all but the first result by `roots`, and stores
// them to y.
void Butterfly(int64_t radix, const Number* x, const std::vector<Number>& small_roots,
               const Number* roots, Number* y, int64_t stride) {
  if (radix == 4) {
    Number sum = x[0] + x[2], difference = x[0] - x[2];
    Number odd_sum = x[1] + x[3], odd = x[1] - x[3];
    Number rotated(odd.imag(), -odd.real());
    y[0] = sum + odd_sum;
    y[stride] = Product(difference + rotated, roots[1]);
    y[2 * stride] = Product(sum - odd_sum, roots[2]);
    y[3 * stride] = Product(difference - rotated, roots[3]);
    return;
  }
  for (int64_t m = 0; m < radix; ++m) {
    Number sum = x[0];
    for (int64_t k = 1; k < radix; ++k) sum += Product(x[k], small_roots[m * k % radix]);
    y[m * stride] = m == 0 ? sum : Product(sum, roots[m]);
  }
}

}  // namespace

Number RootOfUnity(uint64_t numerator, int64_t n, int sign) {
  Number root = Rounded(RootInExtended(numerator % n, n));
  return sign > 0 ? root : std::conj(root);
}

UnityRoots::UnityRoots(int64_t n) : n_(n) {
  // All second factors are within a tenth of 1.
  while (uint64_t{1} << (2 * shift_) < n_ && uint64_t{128} << shift_ <= n_) ++shift_;
  for (uint64_t k = 0; k < 4; ++k) quarters_[k] = k * n_ % 4 == 0 ? k * n_ / 4 : 0;
  for (uint64_t i = 0; i < uint64_t{1} << shift_; ++i)
    fine_.push_back(Rounded(std::conj(RootInExtended(i % n_, n_)) - Extended(1)));
  for (uint64_t i = 0; i <= n_ >> shift_; ++i) {
    const uint64_t numerator = (i << shift_) % n_;
    const Extended root = std::conj(RootInExtended(numerator, n_));
    const Number high = Rounded(root);
    coarse_.push_back({high, Rounded(root - Extended(high))});
  }
}

Number UnityRoots::operator()(uint64_t numerator) const {
  if (IsQuarter(numerator)) return RootOfUnity(numerator, n_, -1);
  const auto& [high, low] = coarse_[numerator >> shift_];
  const Number product = Product(high, fine_[numerator & ((uint64_t{1} << shift_) - 1)]);
  return {high.real() + (low.real() + product.real()),
          high.imag() + (low.imag() + product.imag())};
}

std::vector<Number> Chirp(int64_t n) {
  UnityRoots roots(2 * n);
  std::vector<Number> chirp(n);
  uint64_t square = 0, order = 2 * n;
  for (int64_t j = 0; j < n; ++j) {
    chirp[j] = roots(square);
    square += 2 * j + 1;
    if (square >= order) square -= order;
  }
  return chirp;
}

std::vector<Number> ChirpFilter(int64_t n, int64_t length, double scale) {
  const std::vector<Number> chirp = Chirp(n);
  std::vector<Number> filter(length);
  for (int64_t j = 0; j < n; ++j) {
    filter[j] = std::conj(chirp[j]) * scale;
    if (j > 0) filter[length - j] = filter[j];
  }
  TransformConstants(filter);
  return filter;
}

void TransformConstants(std::vector<Number>& x) {
  int64_t n = x.size();
  std::vector<Number> result(n), roots(n);
  UnityRoots unity(n);
  for (int64_t i = 0; i < n; ++i) roots[i] = unity(i);
  int64_t columns = 1;
  for (int64_t left = n; left > 1;) {
    int64_t radix = 2;
    if (left % 4 == 0)
      radix = 4;
    else
      while (left % radix != 0) ++radix;
    left /= radix;
    int64_t rest = n / columns / radix;
    std::vector<Number> numbers(radix), small_roots(radix), twiddles(radix);
    for (int64_t k = 0; k < radix; ++k) small_roots[k] = roots[k * (n / radix)];
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t k = 0; k < radix; ++k) twiddles[k] = roots[i * k * columns];
      for (int64_t column = 0; column < columns; ++column) {
        for (int64_t k = 0; k < radix; ++k)
          numbers[k] = x[(k * rest + i) * columns + column];
        Butterfly(radix, numbers.data(), small_roots, twiddles.data(),
                  &result[i * radix * columns + column], columns);
      }
    }
    columns *= radix;
    x.swap(result);
  }
}

}  // namespace tenon::codegen
