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
  const auto start = std::chrono::steady_clock::now();
  SpinUntil([&] { return false; }, microseconds(200));
  EXPECT_GE(std::chrono::steady_clock::now() - start, microseconds(200));
  SpinUntil([&] { return false; }, microseconds(0));
}

// The other thread is on the same processor. Without real-time scheduling, the kernel
// would let it run after some milliseconds even if this one did not yield.
TEST(SpinTest, LetsAThreadOnTheSameProcessorRun) {
  std::atomic<int> turn{0};
  bool is_real_time = false;
  std::thread both([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const sched_param priority{.sched_priority = 1};
    is_real_time = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
    if (!is_real_time) return;
    std::thread other([&] {  // inherits the processor and the scheduling
      for (int i = 1; i < 20; i += 2) {
        while (turn.load() != i) std::this_thread::yield();
        turn.store(i + 1);
      }
    });
    for (int i = 0; i < 20; i += 2) {
      turn.store(i + 1);
      SpinUntil([&] { return turn.load() == i + 2; }, microseconds(100'000));
      EXPECT_EQ(turn.load(), i + 2);
      while (turn.load() != i + 2) std::this_thread::yield();
    }
    other.join();
  });
  both.join();
  if (!is_real_time) GTEST_SKIP() << "needs the right to real-time scheduling";
}

}  // namespace
}  // namespace tenon
