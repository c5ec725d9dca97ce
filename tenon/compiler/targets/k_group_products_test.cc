#include "tenon/compiler/targets/k_group_products.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tenon::compiler {
namespace {

bool HasBf16Pairs(const std::set<std::string>& features) {
  TargetTraits traits;
  traits.vector_bits = 512;
  AddX86KGroupProducts([&](const char* name) { return features.contains(name); }, traits);
  return traits.bf16_pairs.emit != nullptr;
}

TEST(KGroupProductsTest, Bf16PairsAreUsedWhereTheyAreFast) {
  EXPECT_FALSE(HasBf16Pairs({"avx512vnni"}));
  EXPECT_TRUE(HasBf16Pairs({"avx512bf16", "avx512vnni"}));           // Cooper Lake
  EXPECT_TRUE(HasBf16Pairs({"avx512bf16", "sse4a"}));                // Zen 4, Zen 5
  EXPECT_TRUE(HasBf16Pairs({"avx512bf16", "avx512fp16", "sse4a"}));  // AMD's of later
  EXPECT_FALSE(HasBf16Pairs({"avx512bf16", "avx512fp16", "amx-bf16"}));
  EXPECT_FALSE(HasBf16Pairs({"avx512bf16", "avx512fp16"}));  // registers are hidden
}

}  // namespace
}  // namespace tenon::compiler
