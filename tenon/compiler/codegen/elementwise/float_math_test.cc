// Measures the error of every float function, on strided f32 patterns and random f64
// ones, against the C library in the next wider type. TENON_ULP_STRIDE=1 tests every f32;
// TENON_ULP_TABLE=1 prints the errors.
#include "tenon/compiler/codegen/elementwise/float_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "tenon/compiler/codegen/elementwise/accuracy.h"
#include "tenon/compiler/codegen/elementwise/kernel_jit.h"
#include "tenon/compiler/targets/x86_elementwise.h"

namespace tenon::compiler {
namespace {

using Long = long double;

Long ErfInvReference(Long x) {
  if (std::fabs(x) >= 1) return std::fabs(x) == 1 ? x * INFINITY : NAN;
  if (x == 0) return x;
  Long a = std::fabs(x);
  Long y = a < 0.9L ? a : std::sqrt(-std::log1p(-a));
  for (int i = 0; i < 60; ++i) {
    Long error = a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    Long u = error / (2 / std::sqrt(std::acos(-1.0L)) * std::exp(-y * y));
    Long step = u / (1 + y * u);
    y -= step;
    if (std::fabs(step) < 1e-18L * y) break;
  }
  return std::copysign(y, x);
}

struct UnaryCase {
  const char* name;
  double (*f64)(double);
  Long (*extended)(Long);
};

#define TENON_UNARY(name, expression)                   \
  {name, [](double x) -> double { return expression; }, \
   [](Long x) -> Long { return expression; }}

const UnaryCase kUnaryCases[] = {
    TENON_UNARY("abs", std::fabs(x)),
    TENON_UNARY("acos", std::acos(x)),
    TENON_UNARY("acosh", std::acosh(x)),
    TENON_UNARY("asin", std::asin(x)),
    TENON_UNARY("asinh", std::asinh(x)),
    TENON_UNARY("atan", std::atan(x)),
    TENON_UNARY("atanh", std::atanh(x)),
    TENON_UNARY("cbrt", std::cbrt(x)),
    TENON_UNARY("ceil", std::ceil(x)),
    TENON_UNARY("cosh", std::cosh(x)),
    TENON_UNARY("cosine", std::cos(x)),
    TENON_UNARY("erf", std::erf(x)),
    TENON_UNARY("erf_inv", ErfInvReference(x)),
    TENON_UNARY("erfc", std::erfc(x)),
    TENON_UNARY("exponential", std::exp(x)),
    TENON_UNARY("exponential_minus_one", std::expm1(x)),
    TENON_UNARY("floor", std::floor(x)),
    TENON_UNARY("log", std::log(x)),
    TENON_UNARY("log_plus_one", std::log1p(x)),
    TENON_UNARY("logistic", 1 / (1 + std::exp(-x))),
    TENON_UNARY("negate", -x),
    TENON_UNARY("round_nearest_afz", std::round(x)),
    TENON_UNARY("round_nearest_even", std::nearbyint(x)),
    TENON_UNARY("rsqrt", 1 / std::sqrt(x)),
    TENON_UNARY("sign", x > 0   ? 1
                        : x < 0 ? -1
                                : x),
    TENON_UNARY("sine", std::sin(x)),
    TENON_UNARY("sinh", std::sinh(x)),
    TENON_UNARY("sqrt", std::sqrt(x)),
    TENON_UNARY("tan", std::tan(x)),
    TENON_UNARY("tanh", std::tanh(x)),
};

template <typename T>
Long ErrorInUlps(T result, Long exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact)) return std::isnan(result) ? 0 : INFINITY;
  Long ulp_at_top = std::ldexp(Long{1}, Limits::max_exponent - Limits::digits);
  // Results that round to infinity.
  if (std::fabs(exact) >= Long{Limits::max()} + ulp_at_top / 2) {
    if (std::isinf(result) && std::signbit(result) == std::signbit(exact)) return 0;
    return std::fabs(exact) < Long{Limits::max()} + 4 * ulp_at_top &&
                   std::fabs(result) == Limits::max()
               ? 1
               : INFINITY;
  }
  if (exact == 0 && result == 0 && std::signbit(exact) != std::signbit(result))
    return INFINITY;
  // A result below the normal numbers may be flushed to zero.
  if (std::fabs(exact) < Limits::min() && std::fabs(result) <= Limits::min()) return 0;
  if (std::isinf(result) && std::fabs(exact) > Long{Limits::max()} - 4 * ulp_at_top)
    return 1;
  int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  return std::fabs(result - exact) / std::ldexp(Long{1}, exponent - Limits::digits + 1);
}

template <typename T>
std::vector<T> SpecialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           T(0.5),
                           1,
                           T(1.5),
                           2,
                           T(2.5),
                           3,
                           10,
                           100,
                           T(0.49999997),
                           Limits::min(),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::epsilon(),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           T(1) / Limits::epsilon(),
                           T(0.75),
                           Limits::min() * T(1.9),
                           Limits::min() * 5,
                           T(0.9375)};
  for (size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
  return values;
}

std::vector<float> F32Inputs() {
  const char* text = std::getenv("TENON_ULP_STRIDE");
  uint64_t stride = text ? std::strtoull(text, nullptr, 10) : 4099;
  std::vector<float> values = SpecialValues<float>();
  for (uint64_t pattern = 0; pattern < uint64_t{1} << 32; pattern += stride) {
    uint32_t bits = static_cast<uint32_t>(pattern);
    float value;
    std::memcpy(&value, &bits, 4);
    if (std::fpclassify(value) != FP_SUBNORMAL) values.push_back(value);
  }
  // Dense samples of the range that most programs use.
  for (int i = -40000; i < 40000; ++i) values.push_back(i * 0x1.234p-12f);
  return values;
}

std::vector<double> F64Inputs() {
  std::vector<double> values = SpecialValues<double>();
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 40000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, 8);
    if (std::fpclassify(value) != FP_SUBNORMAL) values.push_back(value);
    values.push_back(unit(random));
    values.push_back(unit(random) * 10);
    values.push_back(unit(random) * 750);
    values.push_back(std::exp2(unit(random) * 30));
    values.push_back(1 + unit(random) * 0x1p-6);
  }
  return values;
}

template <typename T>
struct Worst {
  Long ulps = 0;
  T at = 0;
  T second = 0;
  T got = 0;
  Long want = 0;
};

template <typename T>
Worst<T> RunUnary(const UnaryCase& test, const std::vector<T>& inputs, int lanes,
                  const ElementwiseOptions& options) {
  ElementType type = sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64;
  auto kernel =
      Kernel::Make({*ElementwiseOpFromName(test.name), {type}, type, {}, lanes, options});
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  std::vector<T> padded = inputs;
  while (padded.size() % 16) padded.push_back(1);
  std::vector<T> results(padded.size());
  kernel->Run({padded.data()}, results.data(), static_cast<int64_t>(padded.size()));
  Worst<T> worst;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Long exact = sizeof(T) == 4 ? Long{test.f64(inputs[i])} : test.extended(inputs[i]);
    Long error = ErrorInUlps(results[i], exact);
    if (!(error <= worst.ulps)) worst = {error, inputs[i], 0, results[i], exact};
  }
  return worst;
}

template <typename T>
void Report(const char* name, const char* variant, const Worst<T>& worst, double bound) {
  if (std::getenv("TENON_ULP_TABLE"))
    std::printf("%-22s f%zu %-8s %6.3Lf ulp at %a %a\n", name, sizeof(T) * 8, variant,
                worst.ulps, double(worst.at), double(worst.second));
  EXPECT_LE(worst.ulps, bound) << name << " f" << sizeof(T) * 8 << " " << variant
                               << " of " << std::hexfloat << worst.at << ", "
                               << worst.second << " gives " << worst.got << ", not "
                               << worst.want;
}

template <typename T>
double Bound(const char* name) {
  return MaxUlps(*ElementwiseOpFromName(name),
                 sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64) +
         (sizeof(T) == 4 ? 1e-6 : 2e-3);
}

TEST(FloatMathTest, UnaryF32) {
  std::vector<float> inputs = F32Inputs();
  for (const UnaryCase& test : kUnaryCases)
    Report(test.name, "vector", RunUnary(test, inputs, 16, HostOptions()),
           Bound<float>(test.name));
}

TEST(FloatMathTest, UnaryF64) {
  std::vector<double> inputs = F64Inputs();
  for (const UnaryCase& test : kUnaryCases)
    Report(test.name, "vector", RunUnary(test, inputs, 8, HostOptions()),
           Bound<double>(test.name));
}

TEST(FloatMathTest, UnaryScalars) {
  std::vector<float> f32 = SpecialValues<float>();
  std::vector<double> f64 = SpecialValues<double>();
  for (int i = -500; i < 500; ++i) {
    f32.push_back(i * 0.037f);
    f64.push_back(i * 0.037);
    f64.push_back(i * 0x1.37p70);
  }
  for (const UnaryCase& test : kUnaryCases) {
    Report(test.name, "scalar", RunUnary(test, f32, 1, HostOptions()),
           Bound<float>(test.name));
    Report(test.name, "scalar", RunUnary(test, f64, 1, HostOptions()),
           Bound<double>(test.name));
  }
}

TEST(FloatMathTest, UnaryWithoutTables) {
  ElementwiseOptions options = HostOptions();
  options.look_up = nullptr;
  std::vector<float> inputs = F32Inputs();
  for (const UnaryCase& test : kUnaryCases)
    Report(test.name, "no tables", RunUnary(test, inputs, 8, options),
           Bound<float>(test.name));
}

// Processors with long tables run the test above with those.
TEST(FloatMathTest, UnaryWithShortTables) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx2"))
    GTEST_SKIP() << "the processor has no AVX2";
  ElementwiseOptions options = HostOptions();
  options.look_up = nullptr;
  AddX86Elementwise(256, options);
  std::vector<float> inputs = F32Inputs();
  for (const char* name : {"tanh", "erf"}) {
    const UnaryCase* test = llvm::find_if(kUnaryCases, [&](const UnaryCase& test) {
      return test.name == std::string_view(name);
    });
    ASSERT_NE(test, std::end(kUnaryCases)) << name;
    for (int lanes : {1, 4, 8, 16})
      Report(name, "short tables", RunUnary(*test, inputs, lanes, options),
             Bound<float>(name));
  }
}

// Without FMA there are two roundings instead of one, so half an ulp more is allowed.
TEST(FloatMathTest, UnaryOfOldProcessors) {
  ElementwiseOptions options;
  options.native_fma = options.native_rounding = false;
  std::vector<float> f32 = SpecialValues<float>();
  std::vector<double> f64 = SpecialValues<double>();
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal(0, 8);
  for (int i = 0; i < 20000; ++i) {
    f64.push_back(normal(random));
    f32.push_back(static_cast<float>(normal(random)));
    f32.push_back(static_cast<float>(std::exp2(normal(random) * 4)));
  }
  for (const UnaryCase& test : kUnaryCases) {
    double more = Bound<float>(test.name) > 1 ? 0.5 : 0;
    Report(test.name, "no fma", RunUnary(test, f32, 4, options),
           Bound<float>(test.name) + more);
    Report(test.name, "no fma", RunUnary(test, f64, 2, options),
           Bound<double>(test.name) + more);
  }
}

// With IEEE denormals, operands and results below the normal numbers are tested too.
TEST(FloatMathTest, IeeeDenormals) {
  ElementwiseOptions options = HostOptions();
  options.ieee_denormals = true;
  auto run = [&](const char* name, double (*reference)(double),
                 const std::vector<float>& inputs) {
    auto kernel = Kernel::Make({*ElementwiseOpFromName(name),
                                {ElementType::kF32},
                                ElementType::kF32,
                                {},
                                1,
                                options});
    ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
    std::vector<float> results(inputs.size());
    kernel->Run({inputs.data()}, results.data(), static_cast<int64_t>(inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      double exact = reference(inputs[i]);
      double unit = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
      EXPECT_LE(std::fabs(results[i] - exact), 2 * unit) << name << " of " << inputs[i];
    }
  };
  std::vector<float> tiny, exponents;
  for (int i = 1; i < 300; ++i) {
    tiny.push_back(static_cast<float>(i * i) * 0x1p-149f);
    exponents.push_back(-87.0f - static_cast<float>(i) * 0.05f);
  }
  run("log", [](double x) { return std::log(x); }, tiny);
  run("cbrt", [](double x) { return std::cbrt(x); }, tiny);
  run("sqrt", [](double x) { return std::sqrt(x); }, tiny);
  run("sine", [](double x) { return std::sin(x); }, tiny);
  run("exponential", [](double x) { return std::exp(x); }, exponents);
}

struct BinaryCase {
  const char* name;
  double (*f64)(double, double);
  Long (*extended)(Long, Long);
};

#define TENON_BINARY(name, expression)                            \
  {name, [](double x, double y) -> double { return expression; }, \
   [](Long x, Long y) -> Long { return expression; }}

// NaN if either operand is NaN, else the zero of the right sign.
template <typename T>
T MinimumReference(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return NAN;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

const BinaryCase kBinaryCases[] = {
    TENON_BINARY("add", x + y),
    TENON_BINARY("atan2", std::atan2(x, y)),
    TENON_BINARY("divide", x / y),
    TENON_BINARY("maximum", -MinimumReference(-x, -y)),
    TENON_BINARY("minimum", MinimumReference(x, y)),
    TENON_BINARY("multiply", x* y),
    TENON_BINARY("power", std::pow(x, y)),
    TENON_BINARY("remainder", std::fmod(x, y)),
    TENON_BINARY("subtract", x - y),
};

template <typename T>
std::vector<std::pair<T, T>> BinaryInputs() {
  std::vector<std::pair<T, T>> pairs;
  std::vector<T> special = SpecialValues<T>();
  for (T x : special)
    for (T y : special) pairs.push_back({x, y});
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 30000; ++i) {
    double range = sizeof(T) == 4 ? 120 : 1000;
    auto any = [&] {
      return static_cast<T>(std::copysign(std::exp2(unit(random) * range), unit(random)));
    };
    pairs.push_back({any(), any()});
    pairs.push_back(
        {static_cast<T>(unit(random) * 10), static_cast<T>(unit(random) * 10)});
    // Powers that neither overflow nor underflow.
    double base = std::exp2(unit(random) * 20),
           limit = range / (std::fabs(std::log2(base)) + 0.01);
    pairs.push_back(
        {static_cast<T>(base), static_cast<T>(unit(random) * std::min(limit, 1e6))});
    pairs.push_back({static_cast<T>(-std::fabs(unit(random)) * 3),
                     static_cast<T>(std::round(unit(random) * 40))});
  }
  while (pairs.size() % 16) pairs.push_back({1, 1});
  return pairs;
}

template <typename T>
void RunBinary(const BinaryCase& test, const char* variant, int lanes,
               const ElementwiseOptions& options, double more) {
  ElementType type = sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64;
  auto kernel = Kernel::Make(
      {*ElementwiseOpFromName(test.name), {type, type}, type, {}, lanes, options});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  static const std::vector<std::pair<T, T>> pairs = BinaryInputs<T>();
  std::vector<T> x, y, results(pairs.size());
  for (auto [a, b] : pairs) x.push_back(a), y.push_back(b);
  kernel->Run({x.data(), y.data()}, results.data(), static_cast<int64_t>(x.size()));
  Worst<T> worst;
  for (size_t i = 0; i < x.size(); ++i) {
    Long exact = sizeof(T) == 4 ? Long{test.f64(x[i], y[i])} : test.extended(x[i], y[i]);
    Long error = ErrorInUlps(results[i], exact);
    if (!(error <= worst.ulps)) worst = {error, x[i], y[i], results[i], exact};
  }
  Report(test.name, variant, worst, Bound<T>(test.name) + more);
}

TEST(FloatMathTest, Binary) {
  ElementwiseOptions without_fma;
  without_fma.native_fma = without_fma.native_rounding = false;
  for (const BinaryCase& test : kBinaryCases) {
    RunBinary<float>(test, "vector", 16, HostOptions(), 0);
    RunBinary<double>(test, "vector", 8, HostOptions(), 0);
    RunBinary<float>(test, "scalar", 1, HostOptions(), 0);
    RunBinary<double>(test, "scalar", 1, HostOptions(), 0);
    RunBinary<float>(test, "no fma", 4, without_fma, 0);
    RunBinary<double>(test, "no fma", 2, without_fma, 0);
  }
}

struct ExactCase {
  const char* name;
  double x, y, want;  // y: for binary functions
};

const ExactCase kExactCases[] = {
    {"exponential", 0, 0, 1},
    {"exponential", -INFINITY, 0, 0},
    {"exponential_minus_one", -INFINITY, 0, -1},
    {"log", 1, 0, 0},
    {"log", 0, 0, -INFINITY},
    {"log_plus_one", -1, 0, -INFINITY},
    {"logistic", 0, 0, 0.5},
    {"logistic", -INFINITY, 0, 0},
    {"logistic", INFINITY, 0, 1},
    {"tanh", INFINITY, 0, 1},
    {"tanh", 30, 0, 1},
    {"erf", INFINITY, 0, 1},
    {"erfc", -INFINITY, 0, 2},
    {"erfc", 0, 0, 1},
    {"erf_inv", 1, 0, INFINITY},
    {"cosine", 0, 0, 1},
    {"cosh", 0, 0, 1},
    {"acos", 1, 0, 0},
    {"cbrt", 8, 0, 2},
    {"cbrt", 27, 0, 3},
    {"cbrt", -1e9, 0, -1000},
    {"rsqrt", 4, 0, 0.5},
    {"rsqrt", INFINITY, 0, 0},
    {"rsqrt", 0, 0, INFINITY},
    {"power", 2, 10, 1024},
    {"power", 10, 2, 100},
    {"power", -3, 3, -27},
    {"power", 2, -20, 0x1p-20},
    {"power", 4, 0.5, 2},
    {"power", -INFINITY, 0.5, INFINITY},
    {"power", -INFINITY, 3, -INFINITY},
    {"power", -1, INFINITY, 1},
    {"power", 0.5, INFINITY, 0},
    {"power", 1, NAN, 1},
    {"power", NAN, 0, 1},
    {"power", 0, -1, INFINITY},
    {"atan2", 1, 1, 0x1.921fb54442d18p-1},
    {"atan2", INFINITY, INFINITY, 0x1.921fb54442d18p-1},
    {"atan2", 1, 0, 0x1.921fb54442d18p+0},
    {"atan2", 0, -1, 0x1.921fb54442d18p+1},
};

template <typename T>
void CheckExact(const ExactCase& test) {
  ElementType type = sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64;
  ElementwiseOp op = *ElementwiseOpFromName(test.name);
  std::vector<ElementType> operands(static_cast<size_t>(ElementwiseOpArity(op)), type);
  auto kernel = Kernel::Make({op, operands, type, {}, 1});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  T x = static_cast<T>(test.x), y = static_cast<T>(test.y), result;
  kernel->Run({&x, &y}, &result, 1);
  EXPECT_EQ(result, static_cast<T>(test.want)) << test.name << " of " << x << ", " << y;
}

TEST(FloatMathTest, ExactValues) {
  for (const ExactCase& test : kExactCases) {
    CheckExact<float>(test);
    CheckExact<double>(test);
  }
}

TEST(FloatMathTest, NoKernelCallsAFunction) {
  for (ElementType type : {ElementType::kF16, ElementType::kF32, ElementType::kF64}) {
    for (int lanes : {1, 8}) {
      for (const UnaryCase& test : kUnaryCases) {
        auto text =
            KernelAssembly({*ElementwiseOpFromName(test.name), {type}, type, {}, lanes});
        ASSERT_TRUE(text.ok()) << text.status().ToString();
        EXPECT_EQ(text->find("\tcall"), std::string::npos) << test.name;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::compiler
