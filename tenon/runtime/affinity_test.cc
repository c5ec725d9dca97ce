#include "tenon/runtime/affinity.h"

#include <gtest/gtest.h>

#include <thread>

namespace tenon::runtime {
namespace {

TEST(AffinityTest, ReadsListsOfProcessors) {
  using List = std::vector<int>;
  EXPECT_EQ(ParseProcessors("0"), (List{0}));
  EXPECT_EQ(ParseProcessors("0-3,8"), (List{0, 1, 2, 3, 8}));
  EXPECT_EQ(ParseProcessors("8,1-2,2"), (List{1, 2, 8}));
  for (const char* bad : {"", "a", "1,", ",1", "1-", "3-1", "-1", "1 2", "0x1",
                          "99999999", "0-99999999", "1.5"}) {
    EXPECT_FALSE(ParseProcessors(bad)) << bad;
  }
}

TEST(AffinityTest, WritesListsOfProcessors) {
  for (const char* text : {"0", "0-3,8", "1,3,5-6"}) {
    EXPECT_EQ(ProcessorsText(*ParseProcessors(text)), text);
  }
  EXPECT_EQ(ProcessorsText({}), "");
}

TEST(AffinityTest, BindsAThreadToProcessors) {
  const std::vector<int> all = AllowedProcessors();
  ASSERT_FALSE(all.empty());
  std::vector<int> one, unchanged;
  std::thread([&] {
    BindToProcessors({});
    unchanged = AllowedProcessors();
    BindToProcessors({{all.back()}});
    one = AllowedProcessors();
  }).join();
  EXPECT_EQ(unchanged, all);
  EXPECT_EQ(one, std::vector<int>{all.back()});
  EXPECT_EQ(AllowedProcessors(), all);
}

}  // namespace
}  // namespace tenon::runtime
