// Tests queues, runs and gangs with devices that the test controls.
#include "tenon/devices/streams/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "tenon/devices/streams/fake_device.h"
#include "tenon/ffi/registry.h"
#include "tenon/pjrt/client/testing.h"
#include "tenon/runtime/trace.h"

namespace tenon::streams {
namespace {

using namespace testing;  // NOLINT
using pjrt::Buffer;
using pjrt::Compile;
using pjrt::Execute;
using pjrt::Executed;
using pjrt::FromHost;
using pjrt::Values;

class StreamsQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<pjrt::LocalClient> Client(int64_t num_devices = 1) {
    pjrt::ClientOptions options;
    options.values = {{"device_count", num_devices}};
    auto client = pjrt::CreateLocalClient(platform_, options);
    EXPECT_TRUE(client.ok()) << client.status().ToString();
    return std::unique_ptr<pjrt::LocalClient>(
        static_cast<pjrt::LocalClient*>(client->release()));
  }
  FakeControls& controls() { return fake_.controls(); }

 private:
  const FakePlatform fake_;
  const pjrt::LocalPlatform platform_{.device = fake_};
};

DeviceCode Code() { return TestKernels("fake", "module"); }
Image ImageWith(EntryPoint entry, size_t num_parameters = 1) {
  return testing::ImageWith(entry, num_parameters, kSize, Code());
}
Image AddOneImage() { return ImageWith(AddOne); }

// Each run takes the result of the one before.
std::vector<Executed> Chain(pjrt::LoadedExecutable& program, Buffer& first, int length) {
  std::vector<Executed> runs;
  for (int i = 0; i < length; ++i) {
    runs.push_back(
        Execute(program, {runs.empty() ? &first : runs.back().outputs[0].get()}));
    EXPECT_TRUE(runs.back().status.ok());
  }
  return runs;
}

TEST_F(StreamsQueueTest, ShortLaunchersRunOnTheCallingThread) {
  auto client = Client(2);
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(1));
  // The first run on a device may wait for it.
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(2));
  EXPECT_NE(controls().launching_thread.load(), std::this_thread::get_id());
  controls().Hold();
  std::vector<Executed> runs = Chain(*program, *in, 5);
  EXPECT_EQ(controls().launching_thread.load(), std::this_thread::get_id());
  controls().Release();
  EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0]), All(6));
}

TEST_F(StreamsQueueTest, TheCallerNeverWaits) {
  auto client = Client();
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(0));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  ASSERT_TRUE(Execute(*program, {in.get()}).done.Await().ok());
  controls().Hold();
  // More than may be in flight.
  std::vector<Executed> runs = Chain(*program, *in, 300);
  auto other = FromHost<int32_t>(*client, All(5));
  Executed independent = Execute(*program, {other.get()});
  std::vector<int32_t> values(kSize);
  Event read = runs.back().outputs[0]->ToHost(values.data(), kSize * 4, std::nullopt);
  EXPECT_FALSE(runs[0].done.IsReady());
  EXPECT_FALSE(read.IsReady());
  controls().Release();
  EXPECT_TRUE(read.Await().ok());
  EXPECT_EQ(values, All(300));
  EXPECT_EQ(Values<int32_t>(*independent.outputs[0]), All(6));
}

TEST_F(StreamsQueueTest, ResultsAreCopiedWithoutTheHost) {
  auto client = Client(2);
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(0));
  ASSERT_TRUE(Execute(*program, {in.get()}).done.Await().ok());
  controls().Hold();
  Executed run = Execute(*program, {in.get()});
  const int before = controls().num_copies;
  std::vector<int32_t> values(kSize);
  Event read = run.outputs[0]->ToHost(values.data(), kSize * 4, std::nullopt);
  auto there = run.outputs[0]->CopyToMemory(client->devices()[1]->default_memory());
  ASSERT_TRUE(there.ok());
  EXPECT_EQ(controls().num_copies, before + 2);
  EXPECT_FALSE(read.IsReady());
  controls().Release();
  ASSERT_TRUE(read.Await().ok());
  EXPECT_EQ(values, All(1));
  EXPECT_EQ(Values<int32_t>(**there), All(1));
}

TEST_F(StreamsQueueTest, DeletedBuffersKeepTheMemoryOfCopies) {
  auto client = Client(2);
  auto in = FromHost<int32_t>(*client, All(1));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  const auto in_use = [&](size_t device) {
    return client->devices()[device]->GetMemoryStats()->bytes_in_use;
  };
  controls().Hold();
  auto there = in->CopyToMemory(client->devices()[1]->default_memory());
  ASSERT_TRUE(there.ok());
  const Event ready = (*there)->ReadyEvent();
  const int64_t before[] = {in_use(0), in_use(1)};
  in.reset();
  there->reset();
  EXPECT_EQ(in_use(0), before[0]);
  EXPECT_EQ(in_use(1), before[1]);
  controls().Release();
  EXPECT_TRUE(ready.Await().ok());
  // The last reference is that of the queue's thread.
  for (int i = 0; i < 1000 && in_use(0) + in_use(1) > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(in_use(0) + in_use(1), 0);
}

TEST_F(StreamsQueueTest, AnErrorIsThatOfAllThatFollowsFromIt) {
  auto client = Client();
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(0));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  const std::string launch = "INTERNAL: device 0: no launch",
                    kernel =
                        "INTERNAL: device 0: kernel 'add_scalar' of program 'test': no "
                        "kernel",
                    mark = "INTERNAL: program 'test' on device 0: no mark";
  // With launchers on the queue's thread, and later on this one.
  for (int round = 0; round < 2; ++round) {
    for (const auto& [left, message] : {std::pair{&controls().launches_left, launch},
                                        std::pair{&controls().kernels_left, kernel},
                                        std::pair{&controls().records_left, mark}}) {
      *left = 2;
      std::vector<Executed> runs = Chain(*program, *in, 5);
      EXPECT_TRUE(runs[1].done.Await().ok());
      for (size_t i = 2; i < 5; ++i) {
        EXPECT_EQ(runs[i].done.Await().ToString(), message);
        std::vector<int32_t> values(kSize);
        EXPECT_EQ(runs[i]
                      .outputs[0]
                      ->ToHost(values.data(), kSize * 4, std::nullopt)
                      .Await()
                      .ToString(),
                  message);
      }
      EXPECT_EQ(Values<int32_t>(*runs[1].outputs[0]), All(2));
    }
  }
  controls().copies_left = 0;
  std::vector<int32_t> values(kSize);
  EXPECT_EQ(in->ToHost(values.data(), kSize * 4, std::nullopt).Await().ToString(),
            "INTERNAL: device 0: no copy");
  EXPECT_EQ(Values<int32_t>(*in), All(0));
}

// Threads that wait for results complete launches for the queue, while the client ends.
TEST_F(StreamsQueueTest, AClientEndsWhileThreadsWait) {
  for (int round = 0; round < 100; ++round) {
    auto client = Client();
    auto program = Compile(*client, AddOneImage());
    auto in = FromHost<int32_t>(*client, All(round));
    ASSERT_TRUE(Execute(*program, {in.get()}).done.Await().ok());
    std::vector<Executed> runs = Chain(*program, *in, 4);
    std::vector<std::thread> waiting;
    for (int t = 0; t < 3; ++t) {
      waiting.emplace_back([ready = runs.back().outputs[0]->ReadyEvent()] {
        EXPECT_TRUE(ready.Await().ok());
      });
    }
    EXPECT_TRUE(runs.back().outputs[0]->ReadyEvent().Await().ok());
    runs.clear();
    in.reset();
    program.reset();
    client.reset();
    EXPECT_EQ(controls().num_marks, 0);
    for (std::thread& thread : waiting) thread.join();
  }
}

TEST_F(StreamsQueueTest, ManyThreadsUseTwoDevices) {
  auto client = Client(2);
  auto add_one = Compile(*client, AddOneImage());
  auto sum = Compile(
      *client, ImageWith(
                   [](RunContext* context, const RunBuffer* args,
                      const RunBuffer* results, void*) -> int32_t {
                     const uint64_t arguments[] = {Word(args[0].data), Word(args[1].data),
                                                   Word(results[0].data), kSize};
                     return context->table->launch(context, kAdd, arguments, 2);
                   },
                   2));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<std::unique_ptr<Buffer>> buffers;
      std::vector<int32_t> values;
      for (int32_t i = 0; i < 3; ++i) {
        buffers.push_back(FromHost<int32_t>(*client, All(i)));
        values.push_back(i);
      }
      for (int step = 0; step < 150; ++step) {
        const size_t a = random() % 3, b = random() % 3, out = random() % 3;
        switch (random() % 5) {
          case 0:
          case 1: {
            Executed run = Execute(*add_one, {buffers[a].get()});
            values[out] = values[a] + 1;
            buffers[out] = std::move(run.outputs[0]);
            break;
          }
          case 2: {
            Executed run = Execute(*sum, {buffers[a].get(), buffers[b].get()});
            const int32_t total = values[a] + values[b];
            values[out] = total % 1000;
            if (total >= 1000) {
              buffers[out] = FromHost<int32_t>(*client, All(values[out]));
            } else {
              buffers[out] = std::move(run.outputs[0]);
            }
            break;
          }
          case 3: {  // there and back
            auto there = buffers[a]->CopyToMemory(client->devices()[1]->default_memory());
            ASSERT_TRUE(there.ok());
            auto back = (*there)->CopyToMemory(client->devices()[0]->default_memory());
            ASSERT_TRUE(back.ok());
            values[out] = values[a];
            buffers[out] = *std::move(back);
            break;
          }
          case 4:
            EXPECT_EQ(Values<int32_t>(*buffers[a]), All(values[a]));
            break;
        }
      }
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(Values<int32_t>(*buffers[i]), All(values[i]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(StreamsQueueTest, DevicesExchangeData) {
  auto client = Client(2);
  auto program = Compile(*client, SwapImage(Code()));
  for (int run = 0; run < 20; ++run) {
    auto first = FromHost<int32_t>(*client, All(10), 0);
    auto second = FromHost<int32_t>(*client, All(20), 1);
    std::vector<std::unique_ptr<Buffer>> out;
    const Status status = pjrt::ExecuteOnAll(*program, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Values<int32_t>(*out[0]), All(22));
    EXPECT_EQ(Values<int32_t>(*out[1]), All(12));
  }
}

// Programs with custom calls may run others, and wait for them.
TEST_F(StreamsQueueTest, ProgramsThatRunOthersLeaveThemRoom) {
  static pjrt::LocalClient* shared_client = nullptr;
  static pjrt::LoadedExecutable* inner = nullptr;
  static std::atomic<int> inside{0};
  constexpr int kRuns = 70;  // more than may be in flight
  static const auto handler = [](ffi::CallFrame* frame) -> ffi::Error* {
    if (frame->extension_start) {
      reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start)
          ->metadata->api_version.minor_version = 3;
      return nullptr;
    }
    ++inside;
    while (inside < kRuns) std::this_thread::yield();
    auto in = FromHost<int32_t>(*shared_client, All(1));
    const std::vector<int32_t> values =
        Values<int32_t>(*Execute(*inner, {in.get()}).outputs[0]);
    auto* out = static_cast<ffi::BufferView*>(frame->rets.buffers[0]);
    std::copy(values.begin(), values.end(), static_cast<int32_t*>(out->data));
    return nullptr;
  };
  static const bool registered =
      ffi::Registry::Global()
          .RegisterHandler("nested", "tenon_fake",
                           {nullptr, nullptr, nullptr,
                            [](ffi::CallFrame* frame) { return handler(frame); }})
          .ok();
  ASSERT_TRUE(registered);
  auto client = Client();
  auto add_one = Compile(*client, AddOneImage());
  shared_client = client.get();
  inner = add_one.get();
  Image image = ImageWith([](RunContext* context, const RunBuffer* args,
                             const RunBuffer* results, void*) -> int32_t {
    return context->table->call_ffi(context, 0, args, results);
  });
  ImageFfiCall& call = image.info.ffi_calls.emplace_back();
  call.target = "nested";
  call.operands = call.results = image.info.results;
  auto outer = Compile(*client, std::move(image));
  auto in = FromHost<int32_t>(*client, All(0));
  std::vector<Executed> runs;
  for (int i = 0; i < kRuns; ++i) runs.push_back(Execute(*outer, {in.get()}));
  for (Executed& run : runs) EXPECT_EQ(Values<int32_t>(*run.outputs[0]), All(2));
}

// A custom call may update a part of an operand in place.
TEST_F(StreamsQueueTest, CustomCallsUpdateOperandsInPlace) {
  static const auto handler = [](ffi::CallFrame* frame) -> ffi::Error* {
    if (frame->extension_start) {
      reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start)
          ->metadata->api_version.minor_version = 3;
      return nullptr;
    }
    static_cast<int32_t*>(
        static_cast<ffi::BufferView*>(frame->rets.buffers[0])->data)[3] = 5;
    return nullptr;
  };
  static const bool registered =
      ffi::Registry::Global()
          .RegisterHandler("update", "tenon_fake",
                           {nullptr, nullptr, nullptr,
                            [](ffi::CallFrame* frame) { return handler(frame); }})
          .ok();
  ASSERT_TRUE(registered);
  auto client = Client();
  Image image = ImageWith([](RunContext* context, const RunBuffer* args,
                             const RunBuffer* results, void*) -> int32_t {
    if (int32_t code = AddOne(context, args, results, nullptr)) return code;
    return context->table->call_ffi(context, 0, results, results);
  });
  ImageFfiCall& call = image.info.ffi_calls.emplace_back();
  call.target = "update";
  call.operands = call.results = image.info.results;
  auto program = Compile(*client, std::move(image));
  auto in = FromHost<int32_t>(*client, All(1));
  std::vector<int32_t> expected = All(2);
  expected[3] = 5;
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), expected);
}

TEST_F(StreamsQueueTest, TracesHaveTheKernels) {
  auto client = Client();
  Image image = ImageWith([](RunContext* context, const RunBuffer* args,
                             const RunBuffer* results, void*) -> int32_t {
    if (int32_t code = AddOne(context, args, results, nullptr)) return code;
    return AddOne(context, results, results, nullptr);
  });
  image.code_objects[0].kernels = {{"sum", "", ""}, {"shift", "", ""}};
  auto program = Compile(*client, std::move(image));
  auto in = FromHost<int32_t>(*client, All(1));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  runtime::Tracer& tracer = runtime::Tracer::Global();
  ASSERT_TRUE(tracer.Start().ok());
  const int64_t start = runtime::TraceClock();
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(3));
  const int64_t end = runtime::TraceClock();
  std::vector<runtime::TraceEvent> events;
  for (const runtime::ThreadTrace& thread : tracer.Stop()) {
    events.insert(events.end(), thread.events.begin(), thread.events.end());
  }
  ASSERT_EQ(events.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(events[i].kind, runtime::TraceEvent::Kind::kKernel);
    EXPECT_EQ(events[i].index, 1);
    EXPECT_LE(events[i].start_ns, events[i].end_ns);
  }
  EXPECT_EQ(events[0].end_ns, events[1].start_ns);
  EXPECT_EQ(events[2].kind, runtime::TraceEvent::Kind::kRun);
  // The clocks are compared some time after the mark is reached.
  constexpr int64_t kSlack = 50'000'000;
  EXPECT_GE(events[2].start_ns, start - kSlack);
  EXPECT_LE(events[2].end_ns, end + kSlack);
}

}  // namespace
}  // namespace tenon::streams
