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
// roots. Those of the first are the sums of two doubles, those of the second are stored
// without the 1 that they are close to. So both parts of a root have an error of little
// more than half a unit in the last place.
class UnityRoots {
 public:
  explicit UnityRoots(int64_t n);
  // exp(-2 pi i * numerator / n) for numerator < n
  std::complex<double> operator()(uint64_t numerator) const;

 private:
  bool IsQuarter(uint64_t numerator) const {
    return numerator == quarters_[0] || numerator == quarters_[1] ||
           numerator == quarters_[2] || numerator == quarters_[3];
  }

  uint64_t n_;
  uint64_t quarters_[4];  // of the circle, if they are integers
  int shift_ = 0;
  struct Coarse {
    std::complex<double> high, low;
  };
  std::vector<std::complex<double>> fine_;  // minus 1
  std::vector<Coarse> coarse_;
};

// The chirp exp(-pi i j^2 / n) for j < n.
std::vector<std::complex<double>> Chirp(int64_t n);

// The spectrum of the filter that convolves chirps of n numbers in a circle of `length`:
// the transform of the chirp's conjugate, times `scale`.
std::vector<std::complex<double>> ChirpFilter(int64_t n, int64_t length, double scale);

// The forward transform of `x`, whose length must be a product of small primes.
void TransformConstants(std::vector<std::complex<double>>& x);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_ROOTS_H_
