#include "tenon/types/literal.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tenon/types/literal_compare.h"
#include "tenon/types/npy.h"
#include "tenon/types/random_literal.h"
#include "tenon/types/small_floats.h"

namespace tenon {
namespace {

Literal F32(Dims dims, std::vector<float> values) {
  return Literal::FromValues<float>(ElementType::kF32, std::move(dims), values);
}

TEST(ShapeTest, CountsElementsAndIncrementsIndices) {
  EXPECT_EQ(*CountElements(Dims{2, 3}), 6);
  EXPECT_EQ(*CountElements(Dims{}), 1);
  EXPECT_EQ(*CountElements(Dims{int64_t{1} << 60, 1 << 20, 0}), 0);
  EXPECT_FALSE(CountElements(Dims{int64_t{1} << 40, int64_t{1} << 40}).ok());
  EXPECT_FALSE(CountElements(Dims{-1}).ok());
  EXPECT_FALSE(CountBytes(ElementType::kC128, Dims{int64_t{1} << 61}).ok());
  EXPECT_EQ(RowMajorStrides(Dims{2, 3, 4}), (Dims{12, 4, 1}));
  Dims index(2);
  EXPECT_TRUE(NextIndex(Dims{1, 2}, index));
  EXPECT_EQ(index, (Dims{0, 1}));
  EXPECT_FALSE(NextIndex(Dims{1, 2}, index));
}

TEST(LiteralTest, CopiesShareUntilWritten) {
  Literal a = F32({2}, {1, 2});
  Literal b = a;
  EXPECT_EQ(a.data(), b.data());
  b.mutable_values<float>()[0] = 5;
  EXPECT_EQ(a.values<float>()[0], 1);
  EXPECT_EQ(b.values<float>()[0], 5);
  const float foreign[2] = {7, 8};
  Literal shared = Literal::Share(ElementType::kF32, {2}, foreign, nullptr);
  EXPECT_EQ(static_cast<const void*>(shared.data()), foreign);
  shared.mutable_values<float>()[1] = 0;
  EXPECT_EQ(foreign[1], 8);
}

TEST(LiteralTest, CreateRejectsHugeSizes) {
  EXPECT_EQ(Literal::Create(ElementType::kF32, {int64_t{1} << 58}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(Literal::Create(ElementType::kF32, {-3}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(LiteralTest, Text) {
  EXPECT_EQ(F32({2}, {0.5f, -INFINITY}).ToString(), "f32[2] {0.5, -inf}");
  EXPECT_EQ(Literal::Scalar<uint8_t>(ElementType::kPred, 1).ToString(), "i1[] {true}");
  EXPECT_EQ(Literal::Scalar<uint16_t>(ElementType::kBF16, 0x3fc0).ToString(),
            "bf16[] {1.5}");
}

TEST(SmallFloatsTest, EveryValueRoundTrips) {
#define X(name, number, text, value_bits, bytes)                                     \
  if (const FloatFormat format = SmallFloatFormat(ElementType::name); format.bits)   \
    for (uint32_t i = 0; i < (1u << format.bits); ++i) {                             \
      const double value = DecodeSmallFloat(format, i);                              \
      if (!std::isnan(value)) EXPECT_EQ(EncodeSmallFloat(format, value), i) << text; \
    }
  TENON_ELEMENT_TYPES(X)
#undef X
}

TEST(SmallFloatsTest, RoundsOnceAndOverflowsAsTheTypeSays) {
  const FloatFormat fn = SmallFloatFormat(ElementType::kF8E4M3FN);
  EXPECT_EQ(DecodeSmallFloat(fn, EncodeSmallFloat(fn, 464)), 448);  // tie to even
  EXPECT_TRUE(std::isnan(DecodeSmallFloat(fn, EncodeSmallFloat(fn, 465))));
  const FloatFormat e5 = SmallFloatFormat(ElementType::kF8E5M2);
  EXPECT_TRUE(std::isinf(DecodeSmallFloat(e5, EncodeSmallFloat(e5, 1e6))));
  const FloatFormat f4 = SmallFloatFormat(ElementType::kF4E2M1FN);
  EXPECT_EQ(DecodeSmallFloat(f4, EncodeSmallFloat(f4, -INFINITY)), -6);
  const FloatFormat f16 = SmallFloatFormat(ElementType::kF16);
  EXPECT_EQ(EncodeSmallFloat(f16, 1 + 0x1p-11), 0x3c00u);
  EXPECT_EQ(EncodeSmallFloat(f16, 1 + 0x1p-11 + 0x1p-40), 0x3c01u);
  EXPECT_EQ(EncodeSmallFloat(f16, 0x1p-24), 1u);
  EXPECT_EQ(EncodeSmallFloat(f16, 0x1p-25), 0u);
  const FloatFormat fnuz = SmallFloatFormat(ElementType::kF8E4M3FNUZ);
  EXPECT_EQ(EncodeSmallFloat(fnuz, -0.0), 0u);
}

TEST(LiteralCompareTest, ReportsTheFirstMismatch) {
  const Literal a = F32({2, 2}, {1, 2, 3, NAN});
  const Literal b = F32({2, 2}, {1, 2, 4, -NAN});
  EXPECT_TRUE(CompareEqual(a, a).ok());
  const Status status = CompareEqual(a, b);
  EXPECT_EQ(status.message(),
            "f32[2,2]: 1 of 4 values differ; first at [1,0]: got 3, expected 4");
  EXPECT_FALSE(CompareEqual(a, F32({4}, {1, 2, 3, 4})).ok());
  EXPECT_FALSE(CompareEqual(F32({}, {0.f}), F32({}, {-0.f})).ok());
}

TEST(LiteralCompareTest, Tolerances) {
  const Literal one = F32({}, {1});
  const Literal next = F32({}, {std::nextafterf(std::nextafterf(1, 2), 2)});
  EXPECT_TRUE(CompareUlps(one, next, 2).ok());
  EXPECT_FALSE(CompareUlps(one, next, 1).ok());
  EXPECT_TRUE(CompareUlps(F32({}, {0.f}), F32({}, {-0.f}), 0).ok());
  EXPECT_EQ(UlpDistance(ElementType::kF32, -0x1p-149, 0x1p-149), 2);
  EXPECT_TRUE(CompareClose(F32({}, {1.0001f}), one, 1e-3, 0).ok());
  EXPECT_FALSE(CompareClose(F32({}, {1.01f}), one, 1e-3, 0).ok());
  EXPECT_FALSE(CompareClose(F32({}, {NAN}), one, 1, 1).ok());
  EXPECT_FALSE(CompareClose(F32({}, {INFINITY}), F32({}, {-INFINITY}), 1, 1).ok());
}

TEST(NpyTest, RoundTripsEveryType) {
#define X(name, number, text, bits, bytes)                                           \
  if (ElementType::name != ElementType::kToken) {                                    \
    const Literal literal = RandomLiteral(ElementType::name, {3, 5}, number);        \
    auto stored = FormatNpy(literal);                                                \
    ASSERT_TRUE(stored.ok()) << text;                                                \
    auto read =                                                                      \
        ParseNpy({reinterpret_cast<const uint8_t*>(stored->data()), stored->size()}, \
                 ElementType::name);                                                 \
    ASSERT_TRUE(read.ok()) << read.status().ToString();                              \
    EXPECT_TRUE(CompareEqual(*read, literal).ok()) << text;                          \
  }
  TENON_ELEMENT_TYPES(X)
#undef X
}

TEST(NpyTest, UnusedBitsOfNarrowTypesAreIgnored) {
  // ml_dtypes stores -6 of 4 bits as 0x0a.
  std::string stored = *FormatNpy(Literal(ElementType::kS4, {1}));
  stored.back() = 0x0a;
  auto read = ParseNpy({reinterpret_cast<const uint8_t*>(stored.data()), stored.size()},
                       ElementType::kS4);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(static_cast<int8_t>(read->data()[0]), -6);
}

TEST(NpyTest, RejectsTruncatedFiles) {
  const std::string stored = *FormatNpy(F32({2, 2}, {1, 2, 3, 4}));
  for (size_t size = 0; size < stored.size(); ++size)
    EXPECT_FALSE(ParseNpy({reinterpret_cast<const uint8_t*>(stored.data()), size}).ok())
        << size;
}

}  // namespace
}  // namespace tenon
