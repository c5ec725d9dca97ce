#include "tenon/base/spin.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>

namespace tenon {
namespace {

using std::chrono::microseconds;

TEST(SpinTest, ReturnsOnceDone) {
  int calls = 0;
  SpinUntil([&] { return ++calls == 3; }, microseconds(60'000'000));
  EXPECT_EQ(calls, 3);
}

TEST(SpinTest, ReturnsWhenTheTimeIsOver) {
  int calls = 0;
  SpinUntil(
      [&] {
        ++calls;
        return false;
      },
      microseconds(200));
  EXPECT_GE(calls, 1);
  SpinUntil([&] { return false; }, microseconds(0));
}

// The other thread runs on the same processor, and needs it a hundred times.
TEST(SpinTest, LetsAThreadOnTheSameProcessorRun) {
  std::atomic<int> turn{0};
  std::thread both([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    std::thread other([&] {  // inherits the processor
      for (int i = 1; i < 200; i += 2) {
        while (turn.load() != i) std::this_thread::yield();
        turn.store(i + 1);
      }
    });
    for (int i = 0; i < 200; i += 2) {
      turn.store(i + 1);
      SpinUntil([&] { return turn.load() == i + 2; }, microseconds(60'000'000));
      EXPECT_EQ(turn.load(), i + 2);
    }
    other.join();
  });
  both.join();
}

}  // namespace
}  // namespace tenon
