#include "tenon/runtime/affinity.h"

#include <gtest/gtest.h>

#include <latch>
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

TEST(AffinityTest, ASleepingThreadIsKeptOffAProcessor) {
  const std::vector<int> all = AllowedProcessors();
  if (all.size() < 2) GTEST_SKIP() << "one processor, off which nothing can be kept";
  MovableThread movable;
  std::vector<int> before, asleep, awake;
  std::latch sleeps(1), moved(1);
  std::thread thread([&] {
    movable.KeepOff(all[0]);  // it is awake
    before = AllowedProcessors();
    movable.FallAsleep();
    sleeps.count_down();
    moved.wait();
    asleep = AllowedProcessors();
    movable.WakeUp();
    awake = AllowedProcessors();
    movable.FallAsleep();
    movable.WakeUp();
  });
  sleeps.wait();
  movable.KeepOff(all[1]);
  movable.KeepOff(all[0]);  // of another caller: the last one counts
  moved.count_down();
  thread.join();
  EXPECT_EQ(before, all);
  EXPECT_EQ(asleep, std::vector<int>(all.begin() + 1, all.end()));
  EXPECT_EQ(awake, all);
}

TEST(AffinityTest, WhoeverBindsAThreadThatIsKeptOffIsObeyed) {
  const std::vector<int> all = AllowedProcessors();
  if (all.size() < 2) GTEST_SKIP() << "one processor, off which nothing can be kept";
  MovableThread movable;
  std::vector<int> awake;
  std::thread([&] {
    movable.FallAsleep();
    movable.KeepOff(all[0]);
    BindToProcessors({{all[0]}});
    movable.WakeUp();
    awake = AllowedProcessors();
  }).join();
  EXPECT_EQ(awake, std::vector<int>{all[0]});
}

// A thread that may run on one processor alone stays there.
TEST(AffinityTest, ABoundThreadIsNotMoved) {
  const std::vector<int> all = AllowedProcessors();
  MovableThread movable;
  std::vector<int> asleep;
  std::thread([&] {
    BindToProcessors({{all[0]}});
    movable.FallAsleep();
    movable.KeepOff(all[0]);
    asleep = AllowedProcessors();
    movable.WakeUp();
  }).join();
  EXPECT_EQ(asleep, std::vector<int>{all[0]});
}

}  // namespace
}  // namespace tenon::runtime
