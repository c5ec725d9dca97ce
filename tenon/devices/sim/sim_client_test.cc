// Tests a client over simulated accelerators, as far as it differs from one over the CPU.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

#include "tenon/devices/sim/sim_platform.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

using ::tenon::testing::ImageOf;
using ::tenon::testing::TensorOf;
using Clock = std::chrono::steady_clock;

std::unique_ptr<LocalClient> SimClient(const NamedValueMap& options = {}) {
  static const LocalPlatform platform{.device = sim::Platform()};
  ClientOptions client_options;
  client_options.values = options;
  auto client = CreateLocalClient(platform, client_options);
  EXPECT_TRUE(client.ok()) << client.status().ToString();
  return std::unique_ptr<LocalClient>(static_cast<LocalClient*>(client->release()));
}

// Runs of a program wait until this is true.
std::atomic<bool> gate{false};
Image GateImage() {
  Image image = ImageOf(
      [](RunContext*, const RunBuffer* args, const RunBuffer* results, void*) -> int32_t {
        while (!gate.load()) std::this_thread::yield();
        std::memcpy(results[0].data, args[0].data, 16);
        return 0;
      });
  image.info.parameters = image.info.results = {TensorOf(ElementType::kS32, {4})};
  return image;
}

TEST(SimClientTest, DeviceMemoryIsNotHostAddressable) {
  auto client = SimClient();
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  EXPECT_FALSE(in->is_on_cpu());
  auto program = Compile(*client, AddOneImage());
  Executed run = Execute(*program, {in.get()});
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{2, 3, 4, 5}));
  int32_t last = 0;
  ASSERT_TRUE(run.outputs[0]->CopyRawToHost(&last, 12, 4).Await().ok());
  EXPECT_EQ(last, 5);
  EXPECT_EQ(client->platform_name(), "tenon_sim");
}

TEST(SimClientTest, DevicesExchangeData) {
  auto client = SimClient({{"device_count", int64_t{2}}});
  auto program = Compile(*client, SwapImage(100));
  for (int run = 0; run < 10; ++run) {
    auto first = FromHost<int32_t>(*client, {1, 2, 3, 4}, 0);
    auto second = FromHost<int32_t>(*client, {5, 6, 7, 8}, 1);
    std::vector<std::unique_ptr<Buffer>> out;
    const Status status = ExecuteOnAll(*program, {first.get(), second.get()}, out);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Values<int32_t>(*out[0]), (std::vector<int32_t>{6, 7, 8, 9}));
    EXPECT_EQ(Values<int32_t>(*out[1]), (std::vector<int32_t>{2, 3, 4, 5}));
  }
}

TEST(SimClientTest, AFailedLaunchEndsItsGang) {
  auto client =
      SimClient({{"device_count", int64_t{2}}, {"faults", std::string("launch@1:1")}});
  auto program = Compile(*client, SwapImage(100));
  auto first = FromHost<int32_t>(*client, {1, 2, 3, 4}, 0);
  auto second = FromHost<int32_t>(*client, {5, 6, 7, 8}, 1);
  std::vector<std::unique_ptr<Buffer>> out;
  EXPECT_EQ(ExecuteOnAll(*program, {first.get(), second.get()}, out).message(),
            "launch 1 of simulated device 1 failed");
  EXPECT_TRUE(ExecuteOnAll(*program, {first.get(), second.get()}, out).ok());
}

TEST(SimClientTest, AllMemoryKindsRoundTrip) {
  auto client = SimClient({{"device_count", int64_t{2}}});
  const std::vector<int32_t> values = {5, 6, 7, 8};
  auto first = FromHost<int32_t>(*client, values);
  for (MemorySpace* memory : client->addressable_memories()) {
    auto copy = first->CopyToMemory(memory);
    ASSERT_TRUE(copy.ok()) << copy.status().ToString();
    EXPECT_EQ((*copy)->memory(), memory);
    EXPECT_EQ((*copy)->is_on_cpu(), memory->kind() != "device");
    for (MemorySpace* next : client->addressable_memories()) {
      auto further = (*copy)->CopyToMemory(next);
      ASSERT_TRUE(further.ok());
      EXPECT_EQ(Values<int32_t>(**further), values)
          << memory->to_string() << " to " << next->to_string();
    }
  }
  // The host applies strides and layouts before or after the transfer.
  const int32_t matrix[] = {1, 2, 3, 4, 5, 6};
  const int64_t dims[] = {3, 2}, strides[] = {4, 12}, layout[] = {0, 1};
  for (MemorySpace* memory : client->addressable_memories()) {
    auto transposed = client->BufferFromHost(
        {matrix, ElementType::kS32, dims, strides},
        HostBufferSemantics::kImmutableOnlyDuringCall, memory, layout);
    ASSERT_TRUE(transposed.ok());
    EXPECT_EQ(Values<int32_t>(*transposed->buffer),
              (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
  }
}

TEST(SimClientTest, AHundredExecutionsDoNotBlockTheHost) {
  auto client = SimClient({{"latency_microseconds", int64_t{1000}}});
  auto program = Compile(*client, AddOneImage());
  auto buffer = FromHost<int32_t>(*client, {0, 0, 0, 0});
  buffer->ReadyEvent().Await();
  const auto start = Clock::now();
  std::vector<Executed> runs;
  for (int i = 0; i < 100; ++i) {
    Buffer* last = runs.empty() ? buffer.get() : runs.back().outputs[0].get();
    runs.push_back(Execute(*program, {last}));
    ASSERT_TRUE(runs.back().status.ok());
  }
  EXPECT_FALSE(runs.back().done.IsReady());
  EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0])[0], 100);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(100));
}

TEST(SimClientTest, CopiesOverlapExecutions) {
  gate = false;
  auto client = SimClient();
  auto program = Compile(*client, GateImage());
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  Executed run = Execute(*program, {in.get()});
  // Copies in both directions, while the queue of executions is busy.
  auto other = FromHost<int32_t>(*client, {9, 8, 7, 6});
  EXPECT_EQ(Values<int32_t>(*other), (std::vector<int32_t>{9, 8, 7, 6}));
  EXPECT_FALSE(run.done.IsReady());
  gate = true;
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{1, 2, 3, 4}));
}

TEST(SimClientTest, DonatedMemoryBecomesTheResults) {
  auto client = SimClient();
  auto program = Compile(*client, AddOneImage(/*alias=*/true));
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  const uintptr_t address = *in->UnsafePointer();
  Executed run = Execute(*program, {in.get()});
  EXPECT_TRUE(in->IsDeleted());
  EXPECT_EQ(*run.outputs[0]->UnsafePointer(), address);
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{2, 3, 4, 5}));
  // The caller keeps the argument, so the device copies it first.
  const int64_t kept[] = {0};
  ExecuteOptions options;
  options.non_donatable_input_indices = kept;
  Executed copy = Execute(*program, {run.outputs[0].get()}, options);
  EXPECT_EQ(Values<int32_t>(*copy.outputs[0]), (std::vector<int32_t>{3, 4, 5, 6}));
  EXPECT_EQ(Values<int32_t>(*run.outputs[0]), (std::vector<int32_t>{2, 3, 4, 5}));
}

TEST(SimClientTest, ExecutionsWaitOnlyForTheirEvents) {
  auto client = SimClient();
  auto program = Compile(*client, AddOneImage());
  const int64_t dims[] = {4};
  AliasBuffer later = *client->CreateAliasBuffer(
      {.type = ElementType::kS32, .dims = dims, .minor_to_major = std::nullopt},
      client->devices()[0]->default_memory());
  Executed first = Execute(*program, {later.buffer.get()});
  Executed chained = Execute(*program, {first.outputs[0].get()});
  // The first execution waits for an event of an operation that is submitted after it.
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  Executed second = Execute(*program, {in.get()});
  ASSERT_TRUE(later.fulfill(second.outputs[0].get()).ok());
  EXPECT_EQ(Values<int32_t>(*chained.outputs[0]), (std::vector<int32_t>{4, 5, 6, 7}));
}

TEST(SimClientTest, OutOfMemoryFailsTheResultAndItsUsers) {
  auto client = SimClient({{"memory_limit", int64_t{4096}}});
  Image image = ImageOf([](RunContext*, const RunBuffer*, const RunBuffer*,
                           void*) -> int32_t { return 0; });
  image.info.parameters = {TensorOf(ElementType::kS32, {4})};
  image.info.results = {TensorOf(ElementType::kS32, {2000})};
  auto large = Compile(*client, image);
  image.info.parameters = image.info.results;
  auto follower = Compile(*client, image);
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  Executed run = Execute(*large, {in.get()});
  ASSERT_TRUE(run.status.ok());
  Executed next = Execute(*follower, {run.outputs[0].get()});
  for (Executed* failed : {&run, &next}) {
    const Status status = failed->outputs[0]->ReadyEvent().Await();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("simulated device 0 is out of memory: 7.8 KiB asked"),
              std::string_view::npos)
        << status.ToString();
  }
  // The device remains usable.
  auto small = Compile(*client, AddOneImage());
  EXPECT_EQ(Values<int32_t>(*Execute(*small, {in.get()}).outputs[0])[0], 2);
  // Temporaries that do not fit give the same error.
  Image arena = AddOneImage();
  arena.code_objects[0].arena_bytes = 8000;
  Executed without = Execute(*Compile(*client, std::move(arena)), {in.get()});
  EXPECT_EQ(without.done.Await().code(), StatusCode::kResourceExhausted);
}

TEST(SimClientTest, AFailedLaunchFailsDependentExecutions) {
  auto client = SimClient({{"faults", std::string("launch@2")}});
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, {1, 2, 3, 4});
  Executed first = Execute(*program, {in.get()});
  Executed second = Execute(*program, {first.outputs[0].get()});
  Executed third = Execute(*program, {second.outputs[0].get()});
  Executed apart = Execute(*program, {first.outputs[0].get()});
  EXPECT_TRUE(first.done.Await().ok());
  EXPECT_EQ(second.done.Await().message(), "launch 2 of simulated device 0 failed");
  EXPECT_EQ(third.done.Await().message(), "launch 2 of simulated device 0 failed");
  EXPECT_TRUE(apart.done.Await().ok());
  int32_t values[4];
  EXPECT_EQ(third.outputs[0]->ToHost(values, 16, std::nullopt).Await().code(),
            StatusCode::kInternal);
}

TEST(SimClientTest, AFailedCopyFailsOnlyItsBuffer) {
  auto client = SimClient({{"faults", std::string("copy@2")}});
  auto program = Compile(*client, AddOneImage());
  auto good = FromHost<int32_t>(*client, {1, 2, 3, 4});
  EXPECT_TRUE(good->ReadyEvent().Await().ok());
  auto bad = FromHost<int32_t>(*client, {1, 2, 3, 4});
  EXPECT_EQ(bad->ReadyEvent().Await().message(), "copy 2 of simulated device 0 failed");
  EXPECT_FALSE(Execute(*program, {bad.get()}).done.Await().ok());
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {good.get()}).outputs[0])[3], 5);
}

TEST(SimClientTest, ALostDeviceDoesNotAffectOthers) {
  auto client =
      SimClient({{"faults", std::string("lost@3:1")}, {"device_count", int64_t{2}}});
  std::vector<std::unique_ptr<Buffer>> kept;
  for (int device = 0; device < 2; ++device) {
    for (int i = 0; i < 4; ++i) {
      kept.push_back(FromHost<int32_t>(*client, {i, i, i, i}, device));
      const Status status = kept.back()->ReadyEvent().Await();
      EXPECT_EQ(status.ok(), device == 0 || i < 2);
      if (!status.ok()) EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    }
  }
  int32_t values[4];
  EXPECT_EQ(kept[4]->ToHost(values, 16, std::nullopt).Await().message(),
            "simulated device 1 is lost");
  EXPECT_TRUE(kept[0]->ToHost(values, 16, std::nullopt).Await().ok());
}

TEST(SimClientTest, ASlowDeviceTakesLonger) {
  auto client = SimClient({{"faults", std::string("slow@20:1")},
                           {"latency_microseconds", int64_t{2000}},
                           {"copy_megabytes_per_second", int64_t{100000}},
                           {"device_count", int64_t{2}}});
  const auto time_of = [&](int device) {
    const auto start = Clock::now();
    FromHost<int32_t>(*client, {1, 2}, device)->ReadyEvent().Await();
    return Clock::now() - start;
  };
  EXPECT_GE(time_of(1), std::chrono::milliseconds(40));
  EXPECT_GE(time_of(0), std::chrono::milliseconds(2));
}

TEST(SimClientTest, CopiesTakeTimeByBandwidth) {
  auto client = SimClient({{"copy_megabytes_per_second", int64_t{10}}});
  const std::vector<int8_t> bytes(1 << 20);
  const auto start = Clock::now();
  auto buffer = FromHost<int8_t>(*client, bytes);
  EXPECT_FALSE(buffer->ReadyEvent().IsReady());
  EXPECT_TRUE(buffer->ReadyEvent().Await().ok());
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(100));
}

TEST(SimClientTest, DevicesHaveGridCoordinates) {
  auto client = SimClient({{"device_count", int64_t{6}}, {"hosts", int64_t{2}}});
  const NamedValueMap& attributes = client->devices()[4]->description().attributes;
  EXPECT_EQ(std::get<std::vector<int64_t>>(attributes.at("coords")),
            (std::vector<int64_t>{1, 1, 0}));
  static const LocalPlatform platform{.device = sim::Platform()};
  EXPECT_EQ(CreateLocalTopology(platform, "", {{"hosts", int64_t{2}}}).status().message(),
            "create option 'hosts' is 2, which does not divide 1 devices");
  auto topology = CreateLocalTopology(
      platform, "", {{"device_count", int64_t{4}}, {"hosts", int64_t{4}}});
  ASSERT_TRUE(topology.ok());
  auto again = DeserializeLocalTopology(platform, *(*topology)->Serialize());
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(
      std::get<std::vector<int64_t>>((*again)->devices()[3].attributes.at("coords")),
      (std::vector<int64_t>{0, 3, 0}));
}

}  // namespace
}  // namespace tenon::pjrt
