// Complex functions against the C library's in double (for c64) and long double (for
// c128), and the special values of C99's Annex G.
#include "tenon/compiler/codegen/elementwise/complex_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "tenon/compiler/codegen/elementwise/kernel_jit.h"

namespace tenon::compiler {
namespace {

using Long = long double;
using Reference = std::complex<Long> (*)(std::complex<Long>, std::complex<Long>);

struct Case {
  const char* name;
  int arity;
  Reference reference;
};

#define TENON_COMPLEX(name, arity, expression)                                         \
  {name, arity, [](std::complex<Long> x, std::complex<Long> y) -> std::complex<Long> { \
     (void)y;                                                                          \
     return expression;                                                                \
   }}

std::complex<Long> Expm1(std::complex<Long> x) {
  Long half_sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
          std::exp(x.real()) * std::sin(x.imag())};
}

const Case kCases[] = {
    TENON_COMPLEX("add", 2, x + y),
    TENON_COMPLEX("subtract", 2, x - y),
    TENON_COMPLEX("multiply", 2, x* y),
    TENON_COMPLEX("divide", 2, x / y),
    TENON_COMPLEX("negate", 1, -x),
    TENON_COMPLEX("sign", 1, x == Long{0} ? x : x / std::abs(x)),
    TENON_COMPLEX("exponential", 1, std::exp(x)),
    TENON_COMPLEX("exponential_minus_one", 1, Expm1(x)),
    TENON_COMPLEX("log", 1, std::log(x)),
    TENON_COMPLEX("log_plus_one", 1, std::log(Long{1} + x)),
    TENON_COMPLEX("logistic", 1, Long{1} / (Long{1} + std::exp(-x))),
    TENON_COMPLEX("sqrt", 1, std::sqrt(x)),
    TENON_COMPLEX("rsqrt", 1, Long{1} / std::sqrt(x)),
    TENON_COMPLEX("cbrt", 1, std::polar(std::cbrt(std::abs(x)), std::arg(x) / 3)),
    TENON_COMPLEX("power", 2, std::pow(x, y)),
    TENON_COMPLEX("sine", 1, std::sin(x)),
    TENON_COMPLEX("cosine", 1, std::cos(x)),
    TENON_COMPLEX("tan", 1, std::tan(x)),
    TENON_COMPLEX("tanh", 1, std::tanh(x)),
};

template <typename T>
std::vector<std::complex<T>> Inputs(int seed) {
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<std::complex<T>> values;
  for (int i = 0; i < 1600; ++i) {
    double scale = std::exp2(std::round(unit(random) * 3));
    values.push_back(
        {static_cast<T>(unit(random) * scale), static_cast<T>(unit(random) * scale)});
  }
  for (T re : {T(0.5), T(-2), T(1)}) values.push_back({re, 0});
  values.push_back({0, 1});
  while (values.size() % 16) values.push_back({1, 1});
  return values;
}

template <typename T>
Kernel MakeKernel(const char* name, int arity, int lanes = 8) {
  ElementType type = sizeof(T) == 4 ? ElementType::kC64 : ElementType::kC128;
  std::vector<ElementType> operands(static_cast<size_t>(arity), type);
  auto kernel = Kernel::Make({*ElementwiseOpFromName(name), operands, type, {}, lanes});
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  return *std::move(kernel);
}

// Returns the error relative to the magnitude of the complex number, in units of the
// type's epsilon.
template <typename T>
void CheckErrors(const Case& test, double bound) {
  Kernel kernel = MakeKernel<T>(test.name, test.arity);
  auto x = Inputs<T>(3), y = Inputs<T>(4);
  std::vector<std::complex<T>> results(x.size());
  kernel.Run({x.data(), y.data()}, results.data(), static_cast<int64_t>(x.size()));
  Long worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    std::complex<Long> want = test.reference(x[i], y[i]);
    std::complex<Long> error = std::complex<Long>(results[i]) - want;
    // Skips results that the type cannot represent.
    if (std::abs(want) > std::numeric_limits<T>::max()) continue;
    Long size = std::max<Long>(std::abs(want), std::numeric_limits<T>::min());
    Long relative = std::abs(error) / size / std::numeric_limits<T>::epsilon();
    EXPECT_LE(relative, bound) << test.name << " of " << x[i] << ", " << y[i] << " gives "
                               << results[i] << ", not " << want;
    if (!(relative <= bound)) return;
    worst = std::max(worst, relative);
  }
  if (std::getenv("TENON_ULP_TABLE"))
    std::printf("%-22s c%zu %6.3Lf eps\n", test.name, sizeof(T) * 16, worst);
}

TEST(ComplexMathTest, Errors) {
  for (const Case& test : kCases) {
    // The result of power has the error of its exponential's argument, and logistic has
    // poles.
    std::string name = test.name;
    double bound = name == "power" || name == "logistic" ? 64 : 4;
    CheckErrors<float>(test, bound);
    CheckErrors<double>(test, bound);
  }
}

template <typename T>
bool Same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

template <typename T>
void CheckValue(const char* name, std::vector<std::complex<T>> operands,
                std::complex<T> want) {
  Kernel kernel = MakeKernel<T>(name, static_cast<int>(operands.size()), /*lanes=*/1);
  std::complex<T> result;
  std::vector<const void*> arrays;
  for (auto& operand : operands) arrays.push_back(&operand);
  kernel.Run(arrays, &result, 1);
  EXPECT_TRUE(Same(result.real(), want.real()) && Same(result.imag(), want.imag()))
      << name << " of " << operands[0] << " gives " << result << ", not " << want;
}

template <typename T>
void CheckSpecialValues() {
  const T inf = INFINITY, nan = NAN;
  CheckValue<T>("exponential", {{-inf, nan}}, {nan, nan});
  CheckValue<T>("exponential", {{-inf, inf}}, {nan, nan});
  CheckValue<T>("exponential", {{inf, inf}}, {nan, nan});
  CheckValue<T>("exponential", {{0, -T(0)}}, {1, -T(0)});
  CheckValue<T>("exponential", {{inf, 0}}, {inf, 0});
  CheckValue<T>("exponential", {{-inf, 1}}, {0, 0});
  CheckValue<T>("sqrt", {{0, 0}}, {0, 0});
  CheckValue<T>("sqrt", {{-4, 0}}, {0, 2});
  CheckValue<T>("sqrt", {{-4, -T(0)}}, {0, -2});
  CheckValue<T>("sqrt", {{1, inf}}, {inf, inf});
  CheckValue<T>("sqrt", {{nan, -inf}}, {inf, -inf});
  CheckValue<T>("sqrt", {{-inf, 1}}, {0, inf});
  CheckValue<T>("sqrt", {{inf, -1}}, {inf, -T(0)});
  CheckValue<T>("log", {{0, 0}}, {-inf, 0});
  CheckValue<T>("log", {{-1, 0}}, {0, static_cast<T>(std::acos(-1.0L))});
  CheckValue<T>("log", {{inf, -inf}}, {inf, static_cast<T>(-std::acos(-1.0L) / 4)});
  CheckValue<T>("tanh", {{inf, 1}}, {1, 0});
  CheckValue<T>("tanh", {{-inf, nan}}, {-1, 0});
  CheckValue<T>("tanh", {{100, inf}}, {nan, nan});
  CheckValue<T>("tan", {{-inf, 100}}, {nan, nan});
  CheckValue<T>("tanh", {{0, 0}}, {0, 0});
  CheckValue<T>("tanh", {{nan, -T(0)}}, {nan, -T(0)});
  CheckValue<T>("tan", {{0, nan}}, {0, nan});
  CheckValue<T>("divide", {{1, 1}, {0, 0}}, {inf, inf});
  CheckValue<T>("divide", {{inf, 1}, {1, 0}}, {inf, nan});
  CheckValue<T>("divide", {{1, 1}, {inf, nan}}, {0, 0});
  CheckValue<T>("divide", {{8, -6}, {2, 0}}, {4, -3});
  CheckValue<T>("power", {{0, 0}, {0, 0}}, {1, 0});
  CheckValue<T>("power", {{0, 0}, {2, 1}}, {0, 0});
  CheckValue<T>("sign", {{0, 0}}, {0, 0});
  T max = std::numeric_limits<T>::max();
  CheckValue<T>("divide", {{max, 1}, {1, 0}}, {max, 1});
  CheckValue<T>("divide", {{max, max}, {max, max}}, {1, 0});
  CheckValue<T>("divide", {{max, -max}, {2, 0}}, {max / 2, -max / 2});
  CheckValue<T>("divide", {{-max, 0}, {T(0.5), 0}}, {-inf, 0});
  T huge = max / 16, tiny = std::numeric_limits<T>::min() * 4;
  CheckValue<T>("divide", {{huge, huge}, {huge, huge}}, {1, 0});
  CheckValue<T>("divide", {{tiny, tiny}, {tiny, tiny}}, {1, 0});
  T min = std::numeric_limits<T>::min();
  CheckValue<T>("divide", {{1, 0}, {min, 0}}, {1 / min, 0});
  CheckValue<T>("divide", {{-min, min}, {min, 0}}, {-1, 1});
  CheckValue<T>("divide", {{min, 1}, {1, 0}}, {min, 1});
  CheckValue<T>("divide", {{max, 3}, {1, min}}, {max, 3 - max * min});
  CheckValue<T>("divide", {{inf, -T(0)}, {min, 1}}, {inf, -inf});
  CheckValue<T>("sign", {{-inf, 1}}, {nan, 0});
  T part = std::ldexp(T(1.5), std::numeric_limits<T>::max_exponent - 5);
  CheckValue<T>("sign", {{20 * part, 21 * part}}, {T(20) / 29, T(21) / 29});
  T half_log_of_two = static_cast<T>(std::log(2.0L) / 2);
  for (const char* name : {"log", "log_plus_one"})
    CheckValue<T>(name, {{max, max}}, {std::log(max) + half_log_of_two, std::atan(T(1))});
  CheckValue<T>("power", {{0, 0}, {1, 1}}, {0, 0});
  CheckValue<T>("power", {{inf, 0}, {1, 0}}, {inf, 0});
}

TEST(ComplexMathTest, SpecialValuesC64) { CheckSpecialValues<float>(); }

TEST(ComplexMathTest, SpecialValuesC128) { CheckSpecialValues<double>(); }

TEST(ComplexMathTest, PartsAndMagnitude) {
  std::vector<std::complex<float>> z(16, {3e30f, -4e30f});
  auto magnitude =
      Kernel::Make({ElementwiseOp::kAbs, {ElementType::kC64}, ElementType::kF32});
  ASSERT_TRUE(magnitude.ok());
  std::vector<float> parts(16);
  magnitude->Run({z.data()}, parts.data(), 16);
  EXPECT_FLOAT_EQ(parts[5], 5e30f);
  z[5] = {NAN, -INFINITY};
  z[6] = {INFINITY, NAN};
  magnitude->Run({z.data()}, parts.data(), 16);
  EXPECT_EQ(parts[5], INFINITY);
  EXPECT_EQ(parts[6], INFINITY);
  auto imaginary =
      Kernel::Make({ElementwiseOp::kImag, {ElementType::kC64}, ElementType::kF32});
  ASSERT_TRUE(imaginary.ok());
  imaginary->Run({z.data()}, parts.data(), 16);
  EXPECT_EQ(parts[7], -4e30f);
  std::vector<float> re(16, 1), im(16, 2);
  auto together = Kernel::Make({ElementwiseOp::kComplex,
                                {ElementType::kF32, ElementType::kF32},
                                ElementType::kC64});
  ASSERT_TRUE(together.ok());
  together->Run({re.data(), im.data()}, z.data(), 16);
  EXPECT_EQ(z[3], (std::complex<float>{1, 2}));
}

}  // namespace
}  // namespace tenon::compiler
