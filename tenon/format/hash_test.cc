#include "tenon/format/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::format {
namespace {

// As xxh64sum prints them.
TEST(HashTest, IsXxh64) {
  EXPECT_EQ(Hash("", 0), 0xef46db3751d8e999u);
  EXPECT_EQ(Hash("a", 1), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(Hash("abc", 3), 0x44bc2cf5ad770999u);
  const std::string fox = "The quick brown fox jumps over the lazy dog";
  EXPECT_EQ(Hash(fox.data(), fox.size()), 0x0b242d361fda71bcu);
}

TEST(HashTest, PiecesGiveTheHashOfTheWhole) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * 37);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    for (size_t second : {size_t{0}, size_t{1}, size_t{33}}) {
      if (cut + second > text.size()) continue;
      Hasher hasher;
      hasher.Add(text.data(), cut);
      hasher.Add(text.data() + cut, second);
      hasher.Add(text.data() + cut + second, text.size() - cut - second);
      EXPECT_EQ(hasher.Finish(), Hash(text.data(), text.size())) << cut;
    }
  }
}

}  // namespace
}  // namespace tenon::format
