// Roots of unity and Fourier transforms of constants, computed at compile time. Plain
// functions and values; any thread.
#ifndef TENON_COMPILER_CODEGEN_FFT_ROOTS_H_
#define TENON_COMPILER_CODEGEN_FFT_ROOTS_H_

#include <complex>
#include <cstdint>
#include <vector>

namespace tenon::codegen {

// exp(sign * 2 pi i * numerator / n), exact at multiples of a quarter circle. The angle
// is reduced to an eighth of the circle in integers, so that both parts are correctly
// rounded except for rare ties.
std::complex<double> RootOfUnity(uint64_t numerator, int64_t n, int sign);

// Computes many roots of one order, each as the product of two of about 2 sqrt(n) stored
// roots, in extended precision.
class UnityRoots {
 public:
  explicit UnityRoots(int64_t n);
  // exp(-2 pi i * numerator / n) for numerator < n
  std::complex<double> operator()(uint64_t numerator) const;

 private:
  uint64_t n_;
  int shift_ = 0;
  std::vector<std::complex<long double>> fine_, coarse_;
};

// The chirp exp(-pi i j^2 / n) for j < n.
std::vector<std::complex<double>> Chirp(int64_t n);

// The forward transform of `x`, whose length must be a product of small primes.
void TransformConstants(std::vector<std::complex<double>>& x);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_ROOTS_H_
