#include "tenon/compiler/partition/axes.h"

#include "gtest/gtest.h"

namespace tenon::compiler::partition {
namespace {

// Parts of axis 0, of size 8, and another axis.
constexpr Axis kWhole{0, 1, 8}, kMajor{0, 1, 2}, kMiddle{0, 2, 2}, kMinor{0, 4, 2},
    kMinorFour{0, 2, 4}, kOther{1, 1, 4};

TEST(AxesTest, ContainsAndOverlaps) {
  EXPECT_TRUE(Contains(kWhole, kMiddle));
  EXPECT_FALSE(Contains(kMiddle, kWhole));
  EXPECT_FALSE(Contains(kOther, kMiddle));
  EXPECT_TRUE(Overlaps(kMinorFour, kMinor));
  EXPECT_FALSE(Overlaps(kMajor, kMinorFour));
  EXPECT_FALSE(Overlaps(kWhole, kOther));
  EXPECT_EQ(Overlap(kMinorFour, kMinor), kMinor);
  EXPECT_EQ(Overlap(kMajor, kMinor), std::nullopt);
  EXPECT_TRUE(IsPrefix(kMajor, kWhole));
  EXPECT_FALSE(IsPrefix(kMinor, kWhole));
}

TEST(AxesTest, PartsOfDifferentFactorsCannotCoexist) {
  // Of an axis of size 6: the major 2, the major 3, and the minor 2.
  EXPECT_FALSE(CanCoexist({0, 1, 2}, {0, 1, 3}));
  EXPECT_TRUE(CanCoexist({0, 1, 3}, {0, 3, 2}));
  EXPECT_FALSE(CanCoexist({0, 1, 2}, {0, 3, 2}));
  EXPECT_EQ(PrefixWithoutOverlap({0, 1, 2}, Axis{0, 1, 3}), std::nullopt);
}

TEST(AxesTest, PrefixWithoutOverlap) {
  EXPECT_EQ(PrefixWithoutOverlap(kWhole, kMinor), (Axis{0, 1, 4}));
  EXPECT_EQ(PrefixWithoutOverlap(kWhole, kMajor), std::nullopt);
  EXPECT_EQ(PrefixWithoutOverlap(kWhole, kOther), kWhole);
  EXPECT_EQ(PrefixWithoutOverlap(kWhole, Axes{kMinor, kOther, kMiddle}), kMajor);
}

TEST(AxesTest, ListsMergeAndSplit) {
  Axes axes;
  AppendAxes(axes, {kMajor, kMiddle, kMinor, kOther});
  EXPECT_EQ(axes, (Axes{kWhole, kOther}));
  EXPECT_EQ(SizeOf(axes), 32);
  EXPECT_EQ(SplitAt(axes, {kMiddle}), (Axes{kMajor, kMiddle, kMinor, kOther}));
  Axes unsorted{kOther, kMinor, kMiddle};
  SortAndMerge(unsorted);
  EXPECT_EQ(unsorted, (Axes{kMinorFour, kOther}));
}

TEST(AxesTest, PrefixOfLists) {
  EXPECT_EQ(PrefixOf({}, {}), PrefixStatus::kEqual);
  EXPECT_EQ(PrefixOf({}, {kOther}), PrefixStatus::kStrictPrefix);
  EXPECT_EQ(PrefixOf({kOther}, {kOther, kWhole}), PrefixStatus::kStrictPrefix);
  EXPECT_EQ(PrefixOf({kOther, kMajor}, {kOther, kWhole}), PrefixStatus::kStrictPrefix);
  EXPECT_EQ(PrefixOf({kOther, kWhole}, {kOther, kMajor}), PrefixStatus::kNotAPrefix);
  EXPECT_EQ(PrefixOf({kMajor, kOther}, {kWhole, kOther}), PrefixStatus::kNotAPrefix);
}

}  // namespace
}  // namespace tenon::compiler::partition
