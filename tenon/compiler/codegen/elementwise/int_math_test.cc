// Tests every integer op on every integer type, at the limits and at random values, with
// scalars and vectors, against 128-bit arithmetic.
#include "tenon/compiler/codegen/elementwise/int_math.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "tenon/compiler/codegen/elementwise/kernel_jit.h"

namespace tenon::compiler {
namespace {

using Wide = __int128;

struct IntType {
  ElementType type;
  int bits;
  bool is_signed;

  // Returns the value of this type that equals `v` modulo 2^bits.
  Wide Wrap(Wide v) const {
    Wide modulus = Wide{1} << bits;
    v = ((v % modulus) + modulus) % modulus;
    return is_signed && v >= modulus / 2 ? v - modulus : v;
  }
  Wide Min() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
  Wide Max() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
  Wide Unsigned(Wide v) const { return v < 0 ? v + (Wide{1} << bits) : v; }
};

const IntType kTypes[] = {
    {ElementType::kS2, 2, true},    {ElementType::kS4, 4, true},
    {ElementType::kS8, 8, true},    {ElementType::kS16, 16, true},
    {ElementType::kS32, 32, true},  {ElementType::kS64, 64, true},
    {ElementType::kU2, 2, false},   {ElementType::kU4, 4, false},
    {ElementType::kU8, 8, false},   {ElementType::kU16, 16, false},
    {ElementType::kU32, 32, false}, {ElementType::kU64, 64, false},
};

using Reference = std::function<Wide(const IntType&, Wide, Wide)>;

// Computes modulo 2^128, which squares of 64-bit numbers need.
unsigned __int128 Product(Wide x, Wide y) {
  return static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y);
}

Wide Power(const IntType& t, Wide x, Wide y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  Wide result = 1;
  for (; y; y >>= 1) {
    if (y & 1) result = t.Wrap(static_cast<Wide>(Product(result, x)));
    x = t.Wrap(static_cast<Wide>(Product(x, x)));
  }
  return result;
}

struct OpCase {
  const char* name;
  int arity;
  Reference reference;
};

const OpCase kOps[] = {
    {"abs", 1, [](const IntType&, Wide x, Wide) { return x < 0 ? -x : x; }},
    {"add", 2, [](const IntType&, Wide x, Wide y) { return x + y; }},
    {"and", 2, [](const IntType&, Wide x, Wide y) { return x & y; }},
    {"count_leading_zeros", 1,
     [](const IntType& t, Wide x, Wide) {
       Wide zeros = t.bits;
       for (Wide v = t.Unsigned(x); v; v >>= 1) --zeros;
       return zeros;
     }},
    {"divide", 2, [](const IntType&, Wide x, Wide y) { return y == 0 ? -1 : x / y; }},
    {"maximum", 2, [](const IntType&, Wide x, Wide y) { return x > y ? x : y; }},
    {"minimum", 2, [](const IntType&, Wide x, Wide y) { return x < y ? x : y; }},
    {"mulhi", 2,
     [](const IntType& t, Wide x, Wide y) {
       if (t.is_signed) return (t.Wrap(x) * t.Wrap(y)) >> t.bits;
       return static_cast<Wide>(Product(t.Wrap(x), t.Wrap(y)) >> t.bits);
     }},
    {"multiply", 2,
     [](const IntType& t, Wide x, Wide y) {
       return static_cast<Wide>(Product(t.Wrap(x), t.Wrap(y)));
     }},
    {"negate", 1, [](const IntType&, Wide x, Wide) { return -x; }},
    {"not", 1, [](const IntType&, Wide x, Wide) { return ~x; }},
    {"or", 2, [](const IntType&, Wide x, Wide y) { return x | y; }},
    {"popcnt", 1,
     [](const IntType& t, Wide x, Wide) {
       Wide ones = 0;
       for (Wide v = t.Unsigned(x); v; v >>= 1) ones += v & 1;
       return ones;
     }},
    {"power", 2, Power},
    {"remainder", 2, [](const IntType&, Wide x, Wide y) { return y == 0 ? x : x % y; }},
    {"shift_left", 2,
     [](const IntType& t, Wide x, Wide y) {
       return t.Unsigned(y) >= t.bits
                  ? 0
                  : static_cast<Wide>(Product(x, Wide{1} << t.Unsigned(y)));
     }},
    {"shift_right_arithmetic", 2,
     [](const IntType& t, Wide x, Wide y) {
       // An arithmetic shift of an unsigned type copies its top bit, too.
       Wide value = t.Unsigned(x);
       if (value >> (t.bits - 1)) value -= Wide{1} << t.bits;
       return value >> std::min<Wide>(t.Unsigned(y), t.bits - 1);
     }},
    {"shift_right_logical", 2,
     [](const IntType& t, Wide x, Wide y) {
       return t.Unsigned(y) >= t.bits ? 0 : t.Unsigned(x) >> t.Unsigned(y);
     }},
    {"sign", 1, [](const IntType&, Wide x, Wide) { return Wide{x > 0} - Wide{x < 0}; }},
    {"subtract", 2, [](const IntType&, Wide x, Wide y) { return x - y; }},
    {"xor", 2, [](const IntType&, Wide x, Wide y) { return x ^ y; }},
};

void Put(std::vector<char>& bytes, const IntType& t, Wide value) {
  auto bits = static_cast<uint64_t>(value);
  size_t size = static_cast<size_t>(ElementBytes(t.type));
  const char* data = reinterpret_cast<const char*>(&bits);
  bytes.insert(bytes.end(), data, data + size);
}

Wide Get(const std::vector<char>& bytes, const IntType& t, size_t index) {
  uint64_t bits = 0;
  size_t size = static_cast<size_t>(ElementBytes(t.type));
  std::memcpy(&bits, bytes.data() + index * size, size);
  // Narrow signed elements are sign-extended to their byte.
  if (t.is_signed && bits >> (size * 8 - 1)) return Wide(bits) - (Wide{1} << (size * 8));
  return Wide(bits);
}

std::vector<std::pair<Wide, Wide>> Inputs(const IntType& t) {
  std::vector<Wide> edges = {t.Min(), t.Min() + 1, t.Max(), t.Max() - 1, 0, 1, 2, 3, 7};
  for (int shift : {t.bits - 1, t.bits, t.bits + 1}) edges.push_back(shift);
  if (t.is_signed) edges.insert(edges.end(), {-1, -2, -3, -7});
  std::vector<std::pair<Wide, Wide>> pairs;
  for (Wide x : edges)
    for (Wide y : edges) pairs.push_back({t.Wrap(x), t.Wrap(y)});
  if (t.bits <= 4) {
    for (Wide x = t.Min(); x <= t.Max(); ++x)
      for (Wide y = t.Min(); y <= t.Max(); ++y) pairs.push_back({x, y});
  }
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    // Draws numbers of all magnitudes, so that small divisors and shifts are likely.
    Wide x = t.Wrap(static_cast<Wide>(random() >> (random() % 64)));
    Wide y = t.Wrap(static_cast<Wide>(random() >> (random() % 64)));
    pairs.push_back({x, y});
  }
  while (pairs.size() % 16) pairs.push_back({1, 1});
  return pairs;
}

void RunOp(const OpCase& op, const IntType& t, int lanes) {
  std::vector<ElementType> operands(static_cast<size_t>(op.arity), t.type);
  auto kernel =
      Kernel::Make({*ElementwiseOpFromName(op.name), operands, t.type, {}, lanes});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  auto pairs = Inputs(t);
  std::vector<char> x, y;
  for (auto [a, b] : pairs) Put(x, t, a), Put(y, t, b);
  std::vector<char> results(x.size());
  kernel->Run({x.data(), y.data()}, results.data(), static_cast<int64_t>(pairs.size()));
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [a, b] = pairs[i];
    Wide want = t.Wrap(op.reference(t, a, b));
    ASSERT_EQ(static_cast<int64_t>(Get(results, t, i)), static_cast<int64_t>(want))
        << op.name << " on " << ElementTypeName(t.type) << " x " << lanes << " of "
        << static_cast<int64_t>(a) << ", " << static_cast<int64_t>(b);
  }
}

TEST(IntMathTest, EveryOpOnEveryType) {
  for (const OpCase& op : kOps)
    for (const IntType& t : kTypes)
      for (int lanes : {1, 16}) RunOp(op, t, lanes);
}

TEST(IntMathTest, ComparesBySignedness) {
  const ComparisonDirection directions[] = {
      ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
      ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt};
  for (const IntType& t : kTypes) {
    auto pairs = Inputs(t);
    std::vector<char> x, y;
    for (auto [a, b] : pairs) Put(x, t, a), Put(y, t, b);
    for (ComparisonDirection direction : directions) {
      ElementwiseAttrs attrs;
      attrs.comparison_direction = direction;
      auto kernel = Kernel::Make(
          {ElementwiseOp::kCompare, {t.type, t.type}, ElementType::kPred, attrs, 16});
      ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
      std::vector<uint8_t> results(pairs.size());
      kernel->Run({x.data(), y.data()}, results.data(),
                  static_cast<int64_t>(pairs.size()));
      for (size_t i = 0; i < pairs.size(); ++i) {
        auto [a, b] = pairs[i];
        bool want = false;
        switch (direction) {
          case ComparisonDirection::kEq:
            want = a == b;
            break;
          case ComparisonDirection::kNe:
            want = a != b;
            break;
          case ComparisonDirection::kGe:
            want = a >= b;
            break;
          case ComparisonDirection::kGt:
            want = a > b;
            break;
          case ComparisonDirection::kLe:
            want = a <= b;
            break;
          case ComparisonDirection::kLt:
            want = a < b;
            break;
        }
        ASSERT_EQ(results[i], want) << ElementTypeName(t.type);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::compiler
