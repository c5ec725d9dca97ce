#include "tenon/runtime/exchanges.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>

#include "tenon/runtime/exchange_testing.h"

namespace tenon::runtime {
namespace {

using device::Exchange;
using device::RunKey;
using Result = StatusOr<std::vector<AlignedBytes>>;

AlignedBytes Bytes(std::string_view text) {
  AlignedBytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::future<Result> Start(Exchanges& process, const RunKey& run, int other,
                          std::string_view text, size_t expected, int64_t visit = 0) {
  auto promise = std::make_shared<std::promise<Result>>();
  Exchange exchange;
  exchange.key = {.run = run, .visit = visit};
  exchange.name = "all_reduce (train.py:12) of 'jit_step'";
  exchange.send.push_back({other, Bytes(text)});
  exchange.receive.push_back({other, expected});
  exchange.done = [promise](Result result) { promise->set_value(std::move(result)); };
  auto future = promise->get_future();
  process.Start(std::move(exchange));
  return future;
}

std::string Text(const Result& result) {
  if (!result.ok()) return result.status().ToString();
  return {(*result)[0].data(), (*result)[0].size()};
}

TEST(ExchangesTest, MessagesMeetInAnyOrder) {
  testing::Network network;
  auto zero = network.Process(0), one = network.Process(1);
  // Process 0 is two steps of two runs ahead.
  const RunKey a = zero->BeginRun(7), b = zero->BeginRun(7);
  EXPECT_NE(a.launch, b.launch);
  auto first = Start(*zero, a, 1, "ping", 5);
  auto second = Start(*zero, b, 1, "next", 5);
  const RunKey other_a = one->BeginRun(7), other_b = one->BeginRun(7);
  EXPECT_EQ(Text(Start(*one, other_b, 0, "NEXT.", 4).get()), "next");
  EXPECT_EQ(Text(Start(*one, other_a, 0, "PING.", 4).get()), "ping");
  EXPECT_EQ(Text(first.get()), "PING.");
  EXPECT_EQ(Text(second.get()), "NEXT.");
  for (const RunKey& run : {a, b}) {
    zero->EndRun(run, OkStatus(), {1});
    one->EndRun(run, OkStatus(), {0});
  }
}

TEST(ExchangesTest, AnErrorReachesTheOtherProcesses) {
  testing::Network network;
  auto zero = network.Process(0), one = network.Process(1);
  const RunKey run = zero->BeginRun(7);
  auto waiting = Start(*zero, run, 1, "ping", 5);
  const RunKey failed = one->BeginRun(7);
  one->EndRun(failed, InvalidArgument("a handler failed"), {0});
  EXPECT_EQ(Text(waiting.get()), "INVALID_ARGUMENT: process 1: a handler failed");
  zero->EndRun(run, InvalidArgument("process 1: a handler failed"), {1});
  // Before the run begins here.
  one->EndRun(one->BeginRun(7), Internal("again"), {0});
  EXPECT_EQ(Text(Start(*zero, zero->BeginRun(7), 1, "ping", 5).get()),
            "INTERNAL: process 1: again");
  // The next run is fine.
  const RunKey good = zero->BeginRun(7);
  auto answer = Start(*zero, good, 1, "ping", 4);
  EXPECT_EQ(Text(Start(*one, one->BeginRun(7), 0, "pong", 4).get()), "ping");
  EXPECT_EQ(Text(answer.get()), "pong");
}

TEST(ExchangesTest, TheDeadlineNamesProcessesAndWhatTheyDo) {
  testing::Network network;
  auto zero = network.Process(0, std::chrono::milliseconds(1000));
  auto one = network.Process(1);
  auto waiting = Start(*zero, zero->BeginRun(7), 1, "ping", 5);
  Exchange other;
  other.key = {.run = one->BeginRun(8)};
  other.name = "all_gather (other.py:3) of 'jit_other'";
  other.send.push_back({0, Bytes("x")});
  other.receive.push_back({0, 1});
  std::promise<Status> ended;
  other.done = [&](const Result& result) { ended.set_value(result.status()); };
  one->Start(std::move(other));
  const Status status = waiting.get().status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(status.message().find(
                "all_reduce (train.py:12) of 'jit_step' in process 0 has waited 1 s for "
                "process 1 (which waits in all_gather (other.py:3) of 'jit_other')"),
            std::string::npos)
      << status.message();
  one->EndRun({8, 0}, Internal("end of the test"), {});
  EXPECT_FALSE(ended.get_future().get().ok());
}

TEST(ExchangesTest, AProcessThatEnds) {
  testing::Network network;
  auto zero = network.Process(0);
  const RunKey run = zero->BeginRun(7);
  auto waiting = Start(*zero, run, 1, "ping", 5);
  zero->FailProcess(1, Status(StatusCode::kUnavailable, "process 1 has ended"));
  EXPECT_EQ(Text(waiting.get()),
            "UNAVAILABLE: all_reduce (train.py:12) of 'jit_step': process 1 has ended");
  EXPECT_EQ(Start(*zero, run, 1, "ping", 5, 1).get().status().code(),
            StatusCode::kUnavailable);
  auto two = Start(*zero, run, 2, "ping", 2, 2);
  zero->EndRun(run, Internal("end of the test"), {});
  EXPECT_FALSE(two.get().ok());
}

TEST(ExchangesTest, WrongSizesAndMalformedHeads) {
  testing::Network network;
  auto zero = network.Process(0), one = network.Process(1);
  auto waiting = Start(*zero, zero->BeginRun(7), 1, "ping", 5);
  auto other = Start(*one, one->BeginRun(7), 0, "longer than expected", 4);
  EXPECT_NE(Text(waiting.get()).find("process 1 has sent 20 bytes for all_reduce"),
            std::string::npos);
  EXPECT_TRUE(other.get().ok());
  auto next = Start(*zero, zero->BeginRun(9), 1, "ping", 5);
  network.receivers[0]->OnMessage(1, "short", Bytes(""));
  EXPECT_EQ(next.get().status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tenon::runtime
