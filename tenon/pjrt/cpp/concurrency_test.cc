// Threads, lifetimes and pending work, on a plugin that ThreadSanitizer sees into.
#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tenon/pjrt/cpp/fake_plugin.h"

namespace pjrt::testing {
namespace {

using Floats = std::vector<float>;

class ConcurrencyTest : public ::testing::Test {
 protected:
  // Whatever the test leaves pending must have ended, and every handle be destroyed.
  void TearDown() override {
    for (int i = 0; i < 2000 && fake::handles_alive > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(fake::handles_alive, 0);
  }
};

TEST_F(ConcurrencyTest, ResultsArriveLater) {
  Client client = fake::plugin().create_client().value();
  Executable twice = client.compile(mlir("")).value();
  Buffer x = client.to_device(Floats{1, 2}, {2}).value();
  auto [y] = twice.call<1>(x).value();
  auto [z] = twice.call<1>(y).value();
  y.reset();
  std::optional<fake::Held> held(std::in_place);
  Future<Floats> values = z.to_host<float>();
  z.reset();
  EXPECT_FALSE(values.is_ready());
  held.reset();
  EXPECT_EQ(values.get().value(), (Floats{4, 8}));
  Argument list[] = {x};
  Launched launched = twice.launch(list).value();
  EXPECT_TRUE(launched.done.get());
}

TEST_F(ConcurrencyTest, PendingFuturesAreDestroyed) {
  Client client = fake::plugin().create_client().value();
  Buffer x = client.to_device(Floats(1000, 1), {1000}).value();
  {
    Future<Floats> dropped = x.to_host<float>();
  }
  Future<Floats> replaced = x.to_host<float>();
  replaced = x.to_host<float>();
  EXPECT_EQ(replaced.get().value(), Floats(1000, 1));
  (void)x.to_host<float>().then([](Result<Floats> values) { return values->size(); });
}

TEST_F(ConcurrencyTest, HostMemoryIsKeptUntilThePluginIsDone) {
  Client client = fake::plugin().create_client().value();
  auto values = std::make_shared<Floats>(1000, 3.f);
  std::weak_ptr<Floats> watch = values;
  std::optional<fake::Held> held(std::in_place);
  Buffer x = client.to_device(borrowed(*values, std::move(values)), {1000}).value();
  EXPECT_FALSE(watch.expired());
  held.reset();
  EXPECT_EQ(x.to_host<float>().get().value(), Floats(1000, 3));
  for (int i = 0; i < 2000 && !watch.expired(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(watch.expired());
  Floats stack(1000, 4.f);
  Transfer transfer = client.to_device(immutable_until_done(stack), {1000}).value();
  transfer.done.get().value();
  stack.assign(1000, 5.f);
  EXPECT_EQ(transfer.buffer.to_host<float>().get().value(), Floats(1000, 4));
}

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Task double_three_times(const Executable& twice, Buffer x, std::atomic<int>& left) {
  for (int i = 0; i < 3; ++i) {
    Argument list[] = {x};
    Launched launched = twice.launch(list).value();
    Result<void> done = co_await std::move(launched.done);
    EXPECT_TRUE(done);
    x = std::move(launched.outputs[0]);
  }
  Result<Floats> values = co_await x.to_host<float>();
  EXPECT_EQ(values.value(), Floats{8});
  --left;
}

TEST_F(ConcurrencyTest, CoroutinesContinueOnOtherThreads) {
  Client client = fake::plugin().create_client().value();
  Executable twice = client.compile(mlir("")).value();
  std::atomic<int> left = 8;
  for (int i = 0; i < 8; ++i) {
    double_three_times(twice, client.to_device(Floats{1}, {1}).value(), left);
  }
  while (left > 0) std::this_thread::yield();
}

TEST_F(ConcurrencyTest, FuturesCrossThreads) {
  Client client = fake::plugin().create_client().value();
  Executable twice = client.compile(mlir("")).value();
  Buffer x = client.to_device(Floats(10, 1), {10}).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        auto [y] = twice.call<1>(x).value();
        Future<float> sum = y.to_host<float>().then([](Result<Floats> values) {
          float total = 0;
          for (float value : *values) total += value;
          return total;
        });
        Future<int> rounded = std::move(sum).then(
            [](Result<float> total) { return static_cast<int>(*total); });
        EXPECT_EQ(rounded.get().value(), 20);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace pjrt::testing
