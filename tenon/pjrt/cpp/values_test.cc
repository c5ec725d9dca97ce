// Element types, compile options and named values: what needs no plugin.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tenon/pjrt.hpp"

namespace pjrt {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (unsigned char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

TEST(ElementTypesTest, HalfPrecisionRoundsToNearestEven) {
  EXPECT_EQ(float16(1.f).bits, 0x3c00);
  EXPECT_EQ(float16(-2.5f).bits, 0xc100);
  EXPECT_EQ(float16(65504.f).bits, 0x7bff);
  EXPECT_EQ(float16(65520.f).bits, 0x7c00);
  EXPECT_EQ(float16(2049.f).bits, 0x6800);    // halfway to 2048
  EXPECT_EQ(float16(0x1p-24f).bits, 0x0001);  // the smallest
  EXPECT_EQ(float16(0x1p-26f).bits, 0x0000);
  EXPECT_TRUE(std::isnan(float(float16(std::nanf("")))));
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float16 half;
    half.bits = static_cast<uint16_t>(bits);
    if (!std::isnan(float(half))) {
      EXPECT_EQ(float16(float(half)).bits, bits);
    }
  }
  EXPECT_EQ(bfloat16(1.f).bits, 0x3f80);
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x3f808000u)).bits, 0x3f80);
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x3f818000u)).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(float(bfloat16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(ElementTypesTest, TypesHaveSizesAndNames) {
  EXPECT_EQ(element_type_of<const float>, ElementType::f32);
  EXPECT_EQ(host_size(ElementType::c128), 16u);
  EXPECT_EQ(host_size(ElementType::s4), 1u);
  EXPECT_EQ(host_size(ElementType::token), 0u);
  EXPECT_EQ(host_size(static_cast<ElementType>(99)), 0u);
  EXPECT_STREQ(type_name(ElementType::u1), "u1");
  EXPECT_STREQ(type_name(static_cast<ElementType>(99)), "an unknown type");
}

// The bytes are those that jaxlib 0.10.2 writes for the same options.
TEST(CompileOptionsTest, TheirBytesAreThoseOfXla) {
  EXPECT_EQ(hex(detail::serialize({})), "1a0f08ffffffffffffffffff0120012801");
  CompileOptions grid;
  grid.replicas = grid.partitions = 2;
  grid.devices = {4, 5, 6, 7};
  EXPECT_EQ(hex(detail::serialize_assignment(grid)), "080210021a040a0204061a040a020507");
  CompileOptions flags;
  flags.spmd = flags.shardy = flags.portable = true;
  flags.propagate_shardings_to_outputs = flags.propagate_shardings_to_parameters = true;
  EXPECT_EQ(hex(detail::serialize(flags)),
            "1a1c08ffffffffffffffffff01200128013001920101019801"
            "01ba0101012001");
  CompileOptions own;
  own.compiler_options = {{"a", true}, {"b", "x"}, {"c", 3}, {"d", 1.5}};
  EXPECT_EQ(hex(detail::serialize(own)).substr(34),
            "3a070a0161120210013a080a016212030a01783a070a01631202"
            "18033a0e0a0164120921000000000000f83f");
}

TEST(CompileOptionsTest, ImpossibleOptionsAreErrors) {
  CompileOptions options;
  options.devices = {0, 1};
  EXPECT_EQ(detail::why_invalid(options),
            "compile options: 2 devices for replicas x partitions = 1");
  options = {.partitions = 0};
  EXPECT_NE(detail::why_invalid(options), "");
  options = {};
  options.compiler_options = {{"mesh", std::vector<int64_t>{1}}};
  EXPECT_NE(detail::why_invalid(options), "");
}

TEST(NamedValuesTest, TypesSurviveTheCApi) {
  NamedValues values = {{"text", "x"},
                        {"number", 3},
                        {"real", 1.5},
                        {"flag", true},
                        {"list", std::vector<int64_t>{1, 2}}};
  auto c = detail::to_c(values);
  NamedValues back = detail::from_c(c.data(), c.size());
  ASSERT_EQ(back.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(back[i].value, values[i].value);
  EXPECT_EQ(*find(back, "number")->get<int64_t>(), 3);
  EXPECT_EQ(find(back, "real")->number(), 1.5);
  EXPECT_EQ(find(back, "absent"), nullptr);
  c[0].type = PJRT_NamedValue_Type(17);
  EXPECT_EQ(detail::from_c(c.data(), c.size()).size(), 4u);
}

TEST(HostMemoryTest, RangesMustHoldTheArray) {
  std::vector<float> values(6);
  auto why = [&](Copied memory, Dims dims) {
    return memory.span.why_invalid(dims.get());
  };
  EXPECT_EQ(why(copied(values), {2, 3}), "");
  EXPECT_EQ(
      why(copied(values), {2, 2}),
      "an array of 4 elements of f32 (dimensions [2,2]) has 16 bytes, but the range "
      "has 24");
  EXPECT_NE(why(copied(values), {-2, -3}), "");
  EXPECT_NE(why(copied(values), {INT64_MAX, INT64_MAX}), "");
  EXPECT_NE(why(copied(values), {INT64_MAX / 4}), "");
  EXPECT_EQ(why(copied(values).strided({4, 8}), {2, 3}), "");
  EXPECT_EQ(why(copied(values).strided({4, 8}), {3, 3}),
            "dimensions [3,3] with byte strides [4,8] reach outside of the range of 24 "
            "bytes");
  EXPECT_EQ(why(copied(values).strided({-12, 4}, 12), {2, 3}), "");
  EXPECT_NE(why(copied(values).strided({-12, 4}), {2, 3}), "");
  EXPECT_NE(why(copied(values).strided({INT64_MAX, 4}), {3, 3}), "");
  EXPECT_NE(why(copied(values).strided({4}), {2, 3}), "");
  EXPECT_EQ(why(copied(values).strided({4, 100}), {0, 3}), "");
}

TEST(ResultTest, MovesAndFails) {
  Result<std::string> good(std::string("x"));
  Result<std::string> moved = std::move(good);
  EXPECT_EQ(*moved, "x");
  moved = Error(PJRT_Error_Code_ABORTED, "stopped");
  EXPECT_FALSE(moved);
  EXPECT_STREQ(moved.error().what(), "ABORTED: stopped");
  EXPECT_STREQ(code_name(static_cast<PJRT_Error_Code>(77)), "CODE");
  Error taken = std::move(moved).error();
  EXPECT_EQ(taken.code(), PJRT_Error_Code_ABORTED);
  EXPECT_EQ(Result<void>().ok(), true);
}

}  // namespace
}  // namespace pjrt
