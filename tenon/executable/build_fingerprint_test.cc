#include "tenon/executable/build_fingerprint.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(BuildFingerprintTest, AreHexadecimalDigits) {
  EXPECT_EQ(BuildFingerprint().size(), 32u);
  for (std::string_view digits : {BuildFingerprint(), BuildId()}) {
    EXPECT_GE(digits.size(), 16u);
    EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), digits.npos);
  }
}

TEST(BuildFingerprintTest, BuildIdMatchesTheBinary) {
  // The linker's build id is not derived from the image format.
  EXPECT_NE(BuildId(), BuildFingerprint());
  EXPECT_EQ(BuildId(), BuildId());
}

}  // namespace
}  // namespace tenon
