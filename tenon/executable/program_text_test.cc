#include "tenon/executable/program_text.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(ProgramTextTest, ConstantsAreReplacedByNumber) {
  const std::string text = "%a = dense_resource<" + ConstantName(1) +
                           "> : x\n%b = dense_resource<" + ConstantName(0) + "> : y";
  EXPECT_EQ(ReplaceConstants(text, {StoredConstant(64, 8), HexConstant({})}),
            "%a = dense<\"0x\"> : x\n%b = " + StoredConstant(64, 8) + " : y");
  const std::string plain = "no constant here";
  EXPECT_EQ(ReplaceConstants(plain, {}), plain);
}

TEST(ProgramTextTest, StoredConstantsAreWrittenFromTheSection) {
  const std::vector<uint8_t> section = {0, 0, 0x1f, 0xa0, 0xff};
  StatusOr<std::string> text =
      WriteStoredConstants("a " + StoredConstant(2, 3) + " b", section);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "a dense<\"0x1FA0FF\"> b");
  EXPECT_EQ(*WriteStoredConstants(StoredConstant(5, 0), section), "dense<\"0x\">");
}

TEST(ProgramTextTest, ConstantsOutsideOfTheSectionAreRejected) {
  const std::vector<uint8_t> section(16);
  for (const std::string& bad :
       {StoredConstant(8, 9), StoredConstant(17, 0), StoredConstant(UINT64_MAX, 2),
        std::string("dense_resource<tenon_stored_1>"),
        std::string("dense_resource<tenon_stored_1_")}) {
    EXPECT_EQ(WriteStoredConstants(bad, section).status().code(), StatusCode::kDataLoss)
        << bad;
  }
}

}  // namespace
}  // namespace tenon
