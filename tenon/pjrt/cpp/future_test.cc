// Futures on a plugin's events: waiting, continuations, coroutines, destruction.
#include "tenon/pjrt/cpp/future.hpp"

#include <atomic>
#include <coroutine>
#include <thread>

#include "tenon/pjrt/cpp/testing.h"

namespace pjrt::testing {
namespace {

using Floats = std::vector<float>;

class FutureTest : public PluginTest {
 protected:
  // A result that takes a while.
  Buffer slow(int iterations) {
    Executable program = client().compile(mlir(kSlow)).value();
    Buffer x = client().to_device(Floats(256 * 256, 1 / 256.f), {256, 256}).value();
    Buffer n = client().scalar(iterations).value();
    return std::move(program(x, n).value()[0]);
  }
};

TEST_F(FutureTest, GetWaits) {
  Buffer result = slow(100);
  Floats values = result.to_host<float>().get().value();
  ASSERT_EQ(values.size(), 256u * 256);
  EXPECT_NEAR(values[0], 1 / 256.f, 1e-6);
  Future<void> ready = result.ready();
  EXPECT_TRUE(ready.get());
  EXPECT_EQ(ready.get().error().code(), PJRT_Error_Code_FAILED_PRECONDITION)
      << "a future is consumed once";
}

TEST_F(FutureTest, ThenGivesFutures) {
  Buffer result = slow(50);
  Future<float> sum = result.to_host<float>().then([](Result<Floats> values) {
    float total = 0;
    for (float value : values.value()) total += value;
    return total;
  });
  Future<int> longer = std::move(sum).then([](Result<float> total) -> Result<int> {
    if (!total) return std::move(total).error();
    return static_cast<int>(*total + 0.5f);
  });
  std::atomic<bool> called = false;
  Future<void> last = std::move(longer).then([&](Result<int> total) {
    EXPECT_EQ(*total, 256);
    called = true;
  });
  EXPECT_TRUE(last.get());
  EXPECT_TRUE(called);
}

TEST_F(FutureTest, ErrorsReachContinuations) {
  Buffer gone;
  Future<int> after =
      gone.to_host<float>().then([](Result<Floats> values) -> Result<int> {
        EXPECT_FALSE(values);
        return std::move(values).error();
      });
  EXPECT_TRUE(after.is_ready());
  EXPECT_EQ(after.get().error().code(), PJRT_Error_Code_FAILED_PRECONDITION);
}

TEST_F(FutureTest, PendingFuturesMayBeDestroyed) {
  Buffer result = slow(50);
  {
    Future<Floats> dropped = result.to_host<float>();
  }
  Future<void> kept = result.ready();
  kept = result.ready();
  result.reset();
  EXPECT_TRUE(kept.get());
}

// A coroutine that starts at once and whose end can be awaited.
struct Task {
  struct promise_type {
    std::atomic<int>* ended = nullptr;
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Task add_twice(const Executable& add, const Buffer& x, std::atomic<int>* sum) {
  Buffer y = std::move(add(x, x).value()[0]);
  Result<void> ready = co_await y.ready();
  EXPECT_TRUE(ready);
  Buffer z = std::move(add(y, x).value()[0]);
  Result<Floats> values = co_await z.to_host<float>();
  sum->store(static_cast<int>(values.value()[5]));
  sum->notify_one();
}

TEST_F(FutureTest, Coroutines) {
  Executable add = client().compile(mlir(kAdd)).value();
  Buffer x = client().to_device(Floats{1, 2, 3, 4, 5, 6}, {2, 3}).value();
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> sum = 0;
    add_twice(add, x, &sum);
    sum.wait(0);
    EXPECT_EQ(sum, 18);
  }
}

TEST_F(FutureTest, ManyContinuationsFromManyThreads) {
  Executable add = client().compile(mlir(kAdd)).value();
  Buffer x = client().to_device(Floats(6, 1), {2, 3}).value();
  std::atomic<int> left = 4 * 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Future<void> done =
            add(x, x).value()[0].to_host<float>().then([&](Result<Floats> values) {
              EXPECT_EQ(values.value(), Floats(6, 2));
              --left;
            });
        if (i % 2) {
          EXPECT_TRUE(done.get());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  while (left > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace pjrt::testing
