// Proves that functions of bf16 by approximations have the bits of the exact results,
// each rounded once: the interval that the errors allow rounds to one number, for every
// operand.
#include "tenon/compiler/codegen/elementwise/bf16_functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace tenon::compiler {
namespace {

using namespace bf16_functions;
using Long = long double;

constexpr Long kExp2 = Approximations::kExp2Error,
               kReciprocal = Approximations::kReciprocalError,
               kDivide = Approximations::kDivideError, kHalfUlp = 0x1p-24L;
constexpr Long kMinNormal = 0x1p-126L;

struct Interval {
  Long low, high;
};

float FromBits(uint32_t bits) { return std::bit_cast<float>(bits << 16); }

// To bf16, of 8 significant bits; numbers below the normal ones are zero.
Long Rounded(Long x) {
  if (std::fabs(x) < kMinNormal) return std::copysign(Long{0}, x);
  if (std::isinf(x)) return x;
  const Long place = std::ldexp(Long{1}, std::ilogb(x) - 7);
  const Long rounded = std::nearbyint(x / place) * place;
  return std::fabs(rounded) >= 0x1p128L ? std::copysign(Long{HUGE_VAL}, x) : rounded;
}

// Whether every number of the interval rounds to what `exact` does.
testing::AssertionResult Rounds(Interval y, Long exact, Long x) {
  if (Rounded(y.low) == Rounded(exact) && Rounded(y.high) == Rounded(exact))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << std::hexfloat << "of " << x << ": [" << y.low
                                     << ", " << y.high << "] is not " << exact;
}

Interval Widened(Interval y, Long error) {
  auto distance = [&](Long bound) {
    return std::isinf(bound) ? 0 : std::fabs(bound) * error;
  };
  return {y.low - distance(y.low), y.high + distance(y.high)};
}

// 2^t by the instruction, which flushes results.
Interval Exp2(float t) {
  const Long power = std::exp2(Long{t});
  return power < kMinNormal / 2 ? Interval{0, 0} : Widened({power, power}, kExp2);
}

// 1 / (1 + 2^t).
Interval Sigmoid(float t) {
  Interval power = Exp2(t);
  Interval sum = Widened({power.low + 1, power.high + 1}, kHalfUlp);
  return Widened({1 / sum.high, 1 / sum.low}, kReciprocal);
}

template <typename Function>
void ForFiniteBf16(Function function) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    if (std::isfinite(FromBits(bits))) function(FromBits(bits));
}

// Exact in long double: the product has 32 bits, and the offset 5.
float FmaDown(float x, float y, float z) {
  const Long sum = Long{x} * y + z;
  const auto nearest = static_cast<float>(sum);
  return nearest > sum ? std::nextafter(nearest, -HUGE_VALF) : nearest;
}

TEST(Bf16FunctionsTest, Exponential) {
  ForFiniteBf16([](float x) {
    const float t = FmaDown(x, kLog2E, kExpOffset);
    EXPECT_TRUE(Rounds(Exp2(t), std::exp(Long{x}), x));
  });
}

// The rounding is needed: to nearest, 57 is on the wrong side of a tie.
TEST(Bf16FunctionsTest, ExponentialNeedsItsRounding) {
  int wrong = 0;
  ForFiniteBf16([&](float x) {
    const auto t = static_cast<float>(Long{x} * kLog2E);
    wrong += !Rounds(Exp2(t), std::exp(Long{x}), x);
  });
  EXPECT_GT(wrong, 0);
}

TEST(Bf16FunctionsTest, Tanh) {
  ForFiniteBf16([](float x) {
    Interval y{x, x};
    if (std::fabs(x) > kTanhLow) {
      const Interval part = Sigmoid(x * (2 * kLog2E));
      y = Widened({1 - 2 * part.high, 1 - 2 * part.low}, kHalfUlp);
    } else if (std::fabs(x) < kMinNormal) {
      return;  // stays what it is
    }
    EXPECT_TRUE(Rounds(y, std::tanh(Long{x}), x));
  });
}

TEST(Bf16FunctionsTest, Logistic) {
  ForFiniteBf16([](float x) {
    Interval y;
    if (std::fabs(x) < kLogisticLow) {
      const float slope = std::fma(x * x, kLogisticCubic, 0.25f);
      y.low = y.high = std::fma(x, slope, 0.5f);
    } else {
      y = Sigmoid(x * -kLog2E);
    }
    EXPECT_TRUE(Rounds(y, 1 / (1 + std::exp(-Long{x})), x));
  });
}

// All pairs of significands; exponents matter where the quotient is at the ends of its
// range alone.
TEST(Bf16FunctionsTest, Quotients) {
  for (int a = 128; a < 256; ++a)
    for (int b = 128; b < 256; ++b)
      for (int exponent : {0, -127, -126, -125, 127, 128}) {
        const Long exact = std::ldexp(Long(a) / b, exponent);
        const Long scaled = exact * kQuotientFactor;
        // Of the dividend times the factor; or of a reciprocal, its product with the
        // factor, and the quotient.
        constexpr Long kError =
            std::max(kHalfUlp + kDivide, kReciprocal + 2.01L * kHalfUlp);
        EXPECT_TRUE(Rounds(Widened({scaled, scaled}, kError), exact, a));
      }
}

TEST(Bf16FunctionsTest, Reciprocals) {
  ForFiniteBf16([](float y) {
    if (std::fabs(y) < kMinNormal) return;
    const float divisor = std::fabs(y) >= kLargestDivisor ? y * (2 - kQuotientFactor) : y;
    EXPECT_TRUE(Rounds(Widened({1 / Long{divisor}, 1 / Long{divisor}}, kReciprocal),
                       1 / Long{y}, y));
  });
}

// Without the factor, the smallest normal number may become zero.
TEST(Bf16FunctionsTest, QuotientsNeedTheirFactor) {
  EXPECT_FALSE(Rounds(Widened({kMinNormal, kMinNormal}, kDivide), kMinNormal, 1));
}

}  // namespace
}  // namespace tenon::compiler
