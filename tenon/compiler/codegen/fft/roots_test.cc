#include "tenon/compiler/codegen/fft/roots.h"

#include <cmath>
#include <numbers>

#include "gtest/gtest.h"

namespace tenon::codegen {
namespace {

using Complex = std::complex<double>;
using Long = std::complex<long double>;

Long Exact(long double turns) {
  long double angle = 2 * std::numbers::pi_v<long double> * turns;
  return {std::cos(angle), std::sin(angle)};
}

double Error(Complex got, Long want) {
  return static_cast<double>(
      std::abs(Long(got.real() - want.real(), got.imag() - want.imag())));
}

TEST(RootsTest, QuartersOfTheCircleAreExact) {
  for (int64_t n : {4, 8, 12, 1000, 4100, 1 << 20}) {
    for (int sign : {1, -1}) {
      EXPECT_EQ(RootOfUnity(0, n, sign), Complex(1, 0));
      EXPECT_EQ(RootOfUnity(n / 4, n, sign), Complex(0, sign));
      EXPECT_EQ(RootOfUnity(n / 2, n, sign), Complex(-1, 0));
      EXPECT_EQ(RootOfUnity(3 * n / 4, n, sign), Complex(0, -sign));
    }
    UnityRoots roots(n);
    for (int64_t k = 0; k < 4; ++k)
      EXPECT_EQ(roots(k * n / 4), RootOfUnity(k * n / 4, n, -1)) << n;
  }
  for (int64_t n : {4100, 4102, 99990}) {
    EXPECT_EQ(UnityRoots(n)(n / 2), Complex(-1, 0)) << n;
  }
  EXPECT_EQ(RootOfUnity(0, 1, -1), Complex(1, 0));
  EXPECT_EQ(RootOfUnity(1, 2, -1), Complex(-1, 0));
}

TEST(RootsTest, ErrorsOfRoots) {
  for (int64_t n : {1, 2, 3, 5, 7, 8, 9, 16, 100, 257, 1001, 4100, 99991, 1 << 20}) {
    UnityRoots roots(n);
    for (int64_t k = 0; k < n; k += 1 + n / 5000) {
      Long want = Exact(-static_cast<long double>(k) / n);
      EXPECT_LT(Error(RootOfUnity(k, n, -1), want), 1.6e-16) << k << " of " << n;
      EXPECT_LT(Error(roots(k), want), 1.6e-16) << k << " of " << n;
      EXPECT_EQ(RootOfUnity(k, n, 1), std::conj(RootOfUnity(k, n, -1)));
    }
  }
}

// j^2 is reduced by 2n in integers: the angle is as exact at the end as at the start.
TEST(RootsTest, ChirpsOfLongTransforms) {
  for (int64_t n : {1, 2, 3, 17, 100003}) {
    std::vector<Complex> chirp = Chirp(n);
    ASSERT_EQ(chirp.size(), static_cast<size_t>(n));
    for (int64_t j = 0; j < n; j += 1 + n / 50) {
      long double turns = static_cast<long double>(j * j % (2 * n)) / (2 * n);
      EXPECT_LT(Error(chirp[j], Exact(-turns)), 1.6e-16) << j << " of " << n;
    }
  }
}

TEST(RootsTest, TransformsOfConstants) {
  for (int64_t n : {1, 2, 3, 4, 6, 8, 12, 30, 49, 64, 96}) {
    std::vector<Complex> x;
    for (int64_t j = 0; j < n; ++j)
      x.push_back({std::sin(3.0 * j), std::cos(double(j * j))});
    std::vector<Complex> got = x;
    TransformConstants(got);
    ASSERT_EQ(got.size(), x.size());
    for (int64_t k = 0; k < n; ++k) {
      Long sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += Long(x[j]) * Exact(-static_cast<long double>(j * k % n) / n);
      EXPECT_LT(Error(got[k], sum), 1e-14 * std::sqrt(double(n))) << k << " of " << n;
    }
  }
}

}  // namespace
}  // namespace tenon::codegen
