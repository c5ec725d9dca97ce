// Conversions: narrow floats exhaustively against a table computed from their definition,
// integers and wide floats at their limits, and the rules of signs and rounding.
#include "tenon/compiler/codegen/elementwise/conversions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tenon/compiler/codegen/elementwise/kernel_jit.h"

namespace tenon::compiler {
namespace {

// Independent of the implementation: from the definitions of OCP and of the FNUZ papers.
struct Format {
  ElementType type;
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity;
  int nan_code;  // the NaN that conversions return; -1: there is none
  int num_codes;
  double overflow;  // result of an overflow: infinity, NaN or the largest number
};

const Format kFormats[] = {
    {ElementType::kF16, 5, 10, 15, true, 0x7e00, 1 << 16, INFINITY},
    {ElementType::kF8E5M2, 5, 2, 15, true, 0x7e, 256, INFINITY},
    {ElementType::kF8E4M3, 4, 3, 7, true, 0x7c, 256, INFINITY},
    {ElementType::kF8E3M4, 3, 4, 3, true, 0x78, 256, INFINITY},
    {ElementType::kF8E4M3FN, 4, 3, 7, false, 0x7f, 256, NAN},
    {ElementType::kF8E4M3B11FNUZ, 4, 3, 11, false, 0x80, 256, NAN},
    {ElementType::kF8E4M3FNUZ, 4, 3, 8, false, 0x80, 256, NAN},
    {ElementType::kF8E5M2FNUZ, 5, 2, 16, false, 0x80, 256, NAN},
    {ElementType::kF4E2M1FN, 2, 1, 1, false, -1, 16, 6},
    {ElementType::kF6E2M3FN, 2, 3, 1, false, -1, 64, 7.5},
    {ElementType::kF6E3M2FN, 3, 2, 3, false, -1, 64, 28},
};

double Decode(const Format& f, int code) {
  int sign_code = 1 << (f.exponent_bits + f.mantissa_bits);
  int magnitude = code & (sign_code - 1);
  double sign = code & sign_code ? -1 : 1;
  if (f.nan_code == 0x80 && code == 0x80) return NAN;
  if (f.nan_code == 0x7f && magnitude == 0x7f) return NAN;
  int exponent = magnitude >> f.mantissa_bits;
  int mantissa = magnitude & ((1 << f.mantissa_bits) - 1);
  if (f.has_infinity && exponent == (1 << f.exponent_bits) - 1)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits);
  return sign * std::ldexp((1 << f.mantissa_bits) + mantissa,
                           exponent - f.bias - f.mantissa_bits);
}

// Finds the nearest code by search; ties go to the even one.
int Encode(const Format& f, double value) {
  int sign_code = 1 << (f.exponent_bits + f.mantissa_bits);
  bool fnuz = f.nan_code == 0x80;
  int sign = std::signbit(value) ? sign_code : 0;
  if (std::isnan(value)) {
    if (fnuz) return 0x80;
    return f.nan_code < 0 ? sign_code ^ sign : f.nan_code | sign;
  }
  double a = std::fabs(value);
  int largest = sign_code - 1;
  while (!std::isfinite(Decode(f, largest))) --largest;
  // The midpoint between the largest number and the next one of the format without
  // bounds.
  double top = Decode(f, largest), below = Decode(f, largest - 1);
  double limit = top + (top - below) / 2;
  bool tie_overflows = largest & 1;
  if (a > limit || (a == limit && tie_overflows)) {
    if (std::isinf(f.overflow))
      return ((1 << f.exponent_bits) - 1) << f.mantissa_bits | sign;
    if (std::isnan(f.overflow)) return fnuz ? 0x80 : f.nan_code | sign;
    return largest | sign;
  }
  int low = 0, high = largest;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (Decode(f, middle) <= a)
      low = middle;
    else
      high = middle - 1;
  }
  int code = low;
  if (low < largest) {
    double down = a - Decode(f, low), up = Decode(f, low + 1) - a;
    if (up < down || (up == down && (low & 1))) code = low + 1;
  }
  if (code == 0 && fnuz) return 0;
  return code | sign;
}

template <typename To, typename From>
std::vector<To> Convert(ElementType from, ElementType to, std::vector<From> values,
                        int lanes = 16, ElementwiseOptions options = HostOptions()) {
  auto kernel = Kernel::Make({ElementwiseOp::kConvert, {from}, to, {}, lanes, options});
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  size_t count = values.size();
  while (values.size() % 16) values.push_back(From{});
  std::vector<To> results(values.size());
  kernel->Run({values.data()}, results.data(), static_cast<int64_t>(values.size()));
  results.resize(count);
  return results;
}

template <typename T>
bool SameFloat(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Returns all codes as raw elements: bytes, or 16 bits for f16.
template <typename Raw>
void DecodesEveryCode(const Format& f, const ElementwiseOptions& options) {
  std::vector<Raw> codes;
  for (int code = 0; code < f.num_codes; ++code) codes.push_back(static_cast<Raw>(code));
  auto f32 = Convert<float>(f.type, ElementType::kF32, codes, 16, options);
  auto f64 = Convert<double>(f.type, ElementType::kF64, codes, 16, options);
  for (size_t i = 0; i < codes.size(); ++i) {
    double want = Decode(f, static_cast<int>(i));
    EXPECT_TRUE(SameFloat(f32[i], static_cast<float>(want)))
        << ElementTypeName(f.type) << " " << i << ": " << f32[i] << ", not " << want;
    EXPECT_TRUE(SameFloat(f64[i], want)) << ElementTypeName(f.type) << " " << i;
  }
}

template <typename Raw>
void EncodesNumbersAndHalfways(const Format& f, const ElementwiseOptions& options) {
  std::vector<double> values = {INFINITY, -INFINITY, NAN,   -NAN,  0.0,
                                -0.0,     1e30,      -1e30, 1e-30, -1e-30};
  int step = f.num_codes > 1000 ? 7 : 1;
  for (int code = 0; code < f.num_codes; code += step) {
    double x = Decode(f, code), y = Decode(f, (code + 1) & (f.num_codes - 1));
    if (!std::isfinite(x)) continue;
    values.push_back(x);
    if (!std::isfinite(y)) y = x * 1.0625;
    double halfway = (x + y) / 2;
    for (double v : {halfway, x * 1.5, x * 1.001})
      for (double w : {v, std::nextafter(v, 1e300), std::nextafter(v, -1e300)})
        values.push_back(w);
  }
  auto from_f64 = Convert<Raw>(ElementType::kF64, f.type, values, 16, options);
  std::vector<float> singles(values.begin(), values.end());
  auto from_f32 = Convert<Raw>(ElementType::kF32, f.type, singles, 16, options);
  for (size_t i = 0; i < values.size(); ++i) {
    int want = Encode(f, values[i]);
    int mask = f.num_codes - 1;
    // NaNs may carry any sign and payload through hardware conversions to f16.
    if (std::isnan(values[i]) && f.type == ElementType::kF16) {
      EXPECT_GT(from_f64[i] & 0x7fff, 0x7c00);
      continue;
    }
    EXPECT_EQ(from_f64[i] & mask, want)
        << ElementTypeName(f.type) << " from f64 " << std::hexfloat << values[i];
    EXPECT_EQ(from_f32[i] & mask, Encode(f, singles[i]))
        << ElementTypeName(f.type) << " from f32 " << std::hexfloat << singles[i];
  }
}

TEST(ConversionsTest, NarrowFloats) {
  ElementwiseOptions soft = HostOptions();
  soft.native_f16_conversion = false;
  for (const Format& f : kFormats) {
    if (f.type == ElementType::kF16) {
      DecodesEveryCode<uint16_t>(f, soft);
      EncodesNumbersAndHalfways<uint16_t>(f, soft);
      DecodesEveryCode<uint16_t>(f, HostOptions());
      EncodesNumbersAndHalfways<uint16_t>(f, HostOptions());
    } else {
      DecodesEveryCode<uint8_t>(f, soft);
      EncodesNumbersAndHalfways<uint8_t>(f, soft);
    }
  }
}

TEST(ConversionsTest, PowersOfTwo) {
  std::vector<uint8_t> codes;
  for (int code = 0; code < 256; ++code) codes.push_back(static_cast<uint8_t>(code));
  auto f32 = Convert<float>(ElementType::kF8E8M0FNU, ElementType::kF32, codes);
  auto f64 = Convert<double>(ElementType::kF8E8M0FNU, ElementType::kF64, codes);
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(f32[static_cast<size_t>(code)], std::ldexp(1.0f, code - 127));
    EXPECT_EQ(f64[static_cast<size_t>(code)], std::ldexp(1.0, code - 127));
  }
  EXPECT_TRUE(std::isnan(f32[255]) && std::isnan(f64[255]));
  std::vector<double> values = {
      0, -1,       INFINITY, NAN,        1,       1.49,      1.5,       2.9,
      3, 0x1p-127, 0x1p-140, 0x1.8p-127, 0x1p127, 0x1.7p127, 0x1.8p127, 0x1.7ffffffp0};
  std::vector<int> want = {255, 255, 255, 255, 127, 127, 128, 128,
                           129, 0,   0,   1,   254, 254, 255, 127};
  auto encoded = Convert<uint8_t>(ElementType::kF64, ElementType::kF8E8M0FNU, values);
  std::vector<float> singles(values.begin(), values.end() - 1);
  auto encoded32 = Convert<uint8_t>(ElementType::kF32, ElementType::kF8E8M0FNU, singles);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(encoded[i], want[i]) << values[i];
    if (i < singles.size()) EXPECT_EQ(encoded32[i], want[i]) << values[i];
  }
}

TEST(ConversionsTest, BFloat16) {
  std::vector<uint16_t> codes;
  for (int code = 0; code < 1 << 16; ++code) codes.push_back(static_cast<uint16_t>(code));
  auto wide = Convert<float>(ElementType::kBF16, ElementType::kF32, codes);
  std::vector<float> between;
  std::vector<int> want;
  for (uint32_t code = 0; code < 1 << 16; ++code) {
    uint32_t bits = code << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    EXPECT_TRUE(SameFloat(wide[code], value));
    if (!std::isnormal(value)) continue;
    for (uint32_t offset : {0x0000u, 0x7fffu, 0x8000u, 0x8001u}) {
      uint32_t pattern = bits | offset;
      std::memcpy(&value, &pattern, 4);
      between.push_back(value);
      bool up = offset > 0x8000 || (offset == 0x8000 && (code & 1));
      want.push_back(static_cast<int>(code) + up);
    }
  }
  for (bool native : {false, true}) {
    ElementwiseOptions options = HostOptions();
    if (native && !options.native_bf16_conversion) continue;
    options.native_bf16_conversion = native;
    auto rounded =
        Convert<uint16_t>(ElementType::kF32, ElementType::kBF16, between, 16, options);
    for (size_t i = 0; i < between.size(); ++i)
      ASSERT_EQ(rounded[i], want[i]) << std::hexfloat << between[i];
    auto nan = Convert<uint16_t>(ElementType::kF32, ElementType::kBF16,
                                 std::vector<float>{NAN}, 16, options);
    EXPECT_GT(nan[0] & 0x7fff, 0x7f80);
  }
  // Must be rounded once: through f32 this is a tie, which goes to even.
  auto once = Convert<uint16_t>(ElementType::kF64, ElementType::kBF16,
                                std::vector<double>{1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8});
  EXPECT_EQ(once[0], 0x3f81);
  EXPECT_EQ(once[1], 0x3f80);
}

template <typename Int, typename Float>
void SaturatesFloats(ElementType to, ElementType from, std::vector<Float> values) {
  for (int lanes : {1, 16}) {
    auto results = Convert<Int>(from, to, values, lanes);
    int bits = ElementBits(to);
    bool is_signed = IsSignedInteger(to);
    double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
    double high = std::ldexp(1.0, is_signed ? bits - 1 : bits);
    Int largest = static_cast<Int>(is_signed ? (uint64_t{1} << (bits - 1)) - 1
                                             : ~uint64_t{0} >> (64 - bits));
    for (size_t i = 0; i < values.size(); ++i) {
      double v = std::trunc(static_cast<double>(values[i]));
      Int want = std::isnan(v) ? Int{0}
                 : v >= high   ? largest
                 : v <= low    ? static_cast<Int>(low)
                               : static_cast<Int>(v);
      EXPECT_EQ(results[i], want)
          << ElementTypeName(from) << " to " << ElementTypeName(to) << " of " << values[i]
          << " x " << lanes;
    }
  }
}

TEST(ConversionsTest, FloatsToIntegersSaturate) {
  std::vector<double> values = {
      0,      -0.0,       0.9,        -0.9,       1.5,        -1.5,        127,
      128,    -128,       -129,       255,        256,        65535.9,     65536,
      -32769, 2147483647, 2147483648, 4294967295, 4294967296, -2147483648, -2147483649,
      9.3e18, -9.3e18,    1.9e19,     1e300,      -1e300,     INFINITY,    -INFINITY,
      NAN,    7,          8,          -8,         -9,         15,          16,
      3,      4,          -2,         -3};
  std::vector<float> singles(values.begin(), values.end());
  auto both = [&]<typename Int>(Int, ElementType type) {
    SaturatesFloats<Int>(type, ElementType::kF64, values);
    SaturatesFloats<Int>(type, ElementType::kF32, singles);
  };
  both(int8_t{}, ElementType::kS2);
  both(int8_t{}, ElementType::kS4);
  both(int8_t{}, ElementType::kS8);
  both(int16_t{}, ElementType::kS16);
  both(int32_t{}, ElementType::kS32);
  both(int64_t{}, ElementType::kS64);
  both(uint8_t{}, ElementType::kU2);
  both(uint8_t{}, ElementType::kU4);
  both(uint8_t{}, ElementType::kU8);
  both(uint16_t{}, ElementType::kU16);
  both(uint32_t{}, ElementType::kU32);
  both(uint64_t{}, ElementType::kU64);
}

TEST(ConversionsTest, IntegersToNarrowFloatsRoundOnce) {
  std::mt19937_64 random(5);
  std::vector<int64_t> s64 = {0, 1, -1, 65519, 65520, -65520, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 4000; ++i)
    s64.push_back(static_cast<int64_t>(random()) >> (random() % 64));
  // Values next to the midpoint of two bf16 numbers, so close that f32 and f64 round to
  // the midpoint.
  for (int shift = 10; shift < 55; ++shift) {
    int64_t half = (int64_t{0x101} << shift);
    for (int64_t v : {half, half + 1, half - 1}) s64.push_back(v), s64.push_back(-v);
  }
  std::vector<uint64_t> u64(s64.begin(), s64.end());
  std::vector<int32_t> s32;
  for (int64_t v : s64) s32.push_back(static_cast<int32_t>(v));
  // long double represents all of them exactly.
  auto bf16 = [](long double v) -> int {
    int sign = v < 0 ? 0x8000 : 0;
    v = std::fabs(v);
    if (v == 0) return 0;
    int exponent = std::ilogb(v);
    auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(v, 7 - exponent)));
    return sign + ((exponent + 127) << 7) + mantissa - 128;
  };
  auto check = [&](auto from, ElementType from_type) {
    auto to_bf16 = Convert<uint16_t>(from_type, ElementType::kBF16, from);
    auto to_f16 = Convert<uint16_t>(from_type, ElementType::kF16, from);
    auto to_f32 = Convert<float>(from_type, ElementType::kF32, from);
    auto to_f64 = Convert<double>(from_type, ElementType::kF64, from);
    for (size_t i = 0; i < from.size(); ++i) {
      ASSERT_EQ(to_bf16[i], bf16(from[i]))
          << ElementTypeName(from_type) << " " << from[i];
      ASSERT_EQ(to_f32[i], static_cast<float>(from[i])) << from[i];
      ASSERT_EQ(to_f64[i], static_cast<double>(from[i])) << from[i];
      double exact = std::fabs(static_cast<double>(from[i])) > 1e6
                         ? std::copysign(1e6, static_cast<double>(from[i]))
                         : static_cast<double>(from[i]);
      ASSERT_EQ(to_f16[i], Encode(kFormats[0], exact)) << from[i];
    }
  };
  check(s64, ElementType::kS64);
  check(u64, ElementType::kU64);
  check(s32, ElementType::kS32);
}

TEST(ConversionsTest, PredicatesAndIntegers) {
  auto truth = Convert<uint8_t>(ElementType::kF32, ElementType::kPred,
                                std::vector<float>{0, -0.0f, 0.5f, NAN, -INFINITY});
  EXPECT_EQ(truth, (std::vector<uint8_t>{0, 0, 1, 1, 1}));
  auto narrow = Convert<uint8_t>(ElementType::kS32, ElementType::kPred,
                                 std::vector<int32_t>{0, 256, -1});
  EXPECT_EQ(narrow, (std::vector<uint8_t>{0, 1, 1}));
  auto ones = Convert<float>(ElementType::kPred, ElementType::kF32,
                             std::vector<uint8_t>{0, 1, 255});
  EXPECT_EQ(ones, (std::vector<float>{0, 1, 1}));
  auto wrapped = Convert<int8_t>(ElementType::kS32, ElementType::kS8,
                                 std::vector<int32_t>{200, -129, 5});
  EXPECT_EQ(wrapped, (std::vector<int8_t>{-56, 127, 5}));
  auto extended = Convert<int64_t>(ElementType::kS4, ElementType::kS64,
                                   std::vector<int8_t>{-8, 7, 0x1f});
  EXPECT_EQ(extended, (std::vector<int64_t>{-8, 7, -1}));
  auto unsigned_wide = Convert<int64_t>(ElementType::kU32, ElementType::kS64,
                                        std::vector<uint32_t>{4000000000u});
  EXPECT_EQ(unsigned_wide, (std::vector<int64_t>{4000000000}));
  auto complex = Convert<std::pair<float, float>>(ElementType::kF64, ElementType::kC64,
                                                  std::vector<double>{2.5});
  EXPECT_EQ(complex[0], (std::pair<float, float>{2.5f, 0.0f}));
}

}  // namespace
}  // namespace tenon::compiler
