// Tests sequences of kernels that become graphs, by the calls of the driver.
#include "tenon/devices/cuda/graphs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tenon/devices/cuda/testing.h"

namespace tenon::cuda {
namespace {

using namespace testing;  // NOLINT
using pjrt::Compile;
using pjrt::Execute;
using pjrt::Executed;
using pjrt::FromHost;
using pjrt::Values;

// The driver, and how often its functions were called since Reset.
Driver real;
std::atomic<int> launches{0}, graph_launches{0}, instances{0}, destroyed{0}, changes{0};
std::atomic<int> instance_error{0}, launch_error{0}, change_error{0};

void Reset() {
  launches = graph_launches = instances = destroyed = changes = 0;
  instance_error = launch_error = change_error = 0;
}

StatusOr<Driver> LoadCounting(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(real, LoadDriver(path));
  Driver driver = real;
  driver.LaunchKernel = [](auto... arguments) -> CUresult {
    ++launches;
    return real.LaunchKernel(arguments...);
  };
  driver.GraphLaunch = [](auto... arguments) -> CUresult {
    ++graph_launches;
    return launch_error ? CUresult{launch_error.load()} : real.GraphLaunch(arguments...);
  };
  driver.GraphInstantiate = [](auto... arguments) -> CUresult {
    ++instances;
    return instance_error ? CUresult{instance_error.load()}
                          : real.GraphInstantiate(arguments...);
  };
  driver.GraphExecDestroy = [](auto... arguments) -> CUresult {
    ++destroyed;
    return real.GraphExecDestroy(arguments...);
  };
  driver.GraphExecKernelNodeSetParams = [](auto... arguments) -> CUresult {
    ++changes;
    return change_error ? CUresult{change_error.load()}
                        : real.GraphExecKernelNodeSetParams(arguments...);
  };
  return driver;
}

std::unique_ptr<pjrt::LocalClient> CountingClient(
    const pjrt::NamedValueMap& options = {}) {
  static const CudaPlatform& platform = *new CudaPlatform(LoadCounting);
  Reset();
  return MakeClient(options, platform);
}

constexpr int kChain = 12;
// No result is as large, so that arenas get the same memory again.
constexpr size_t kArenaBytes = 64 << 10;

// results[0] = args[0] + kChain: the first kernel reads the argument, the others work in
// the arena, the last writes the result.
int32_t AddInSteps(RunContext* context, const RunBuffer* args, const RunBuffer* results,
                   void* arena) {
  for (int i = 0; i < kChain; ++i) {
    const void* from = i == 0 ? args[0].data : arena;
    const void* to = i == kChain - 1 ? results[0].data : arena;
    if (int32_t code = LaunchAddScalar(context, from, 1, to, kSize)) return code;
  }
  return 0;
}

Image StepsImage() {
  Image image = ImageWith(AddInSteps, 1, kSize);
  image.code_objects[0].arena_bytes = kArenaBytes;
  return image;
}

TEST(CudaGraphsTest, WhatIsRepeatedBecomesAGraph) {
  auto client = CountingClient();
  auto program = Compile(*client, StepsImage());
  auto in = FromHost<int32_t>(*client, All(3));
  std::vector<Executed> runs;  // their results have addresses of their own
  for (int i = 0; i < 6; ++i) {
    runs.push_back(Execute(*program, {i == 0 ? in.get() : runs[0].outputs[0].get()}));
    EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0]), All(3 + kChain * (i ? 2 : 1)));
  }
  EXPECT_EQ(launches, kChain);
  EXPECT_EQ(instances, 1);
  EXPECT_EQ(graph_launches, 5);
  EXPECT_EQ(changes, 4);  // the last kernel of the third and later runs
  runs.clear();
  in.reset();
  program.reset();
  client.reset();  // waits for what still holds the program
  EXPECT_EQ(destroyed, 1);
}

TEST(CudaGraphsTest, RunsInFlightKeepTheirArguments) {
  auto client = CountingClient();
  auto program = Compile(*client, StepsImage());
  std::vector<std::unique_ptr<pjrt::Buffer>> in;
  for (int i = 0; i < 30; ++i) in.push_back(FromHost<int32_t>(*client, All(100 * i)));
  std::vector<Executed> runs;
  for (const auto& argument : in) runs.push_back(Execute(*program, {argument.get()}));
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(Values<int32_t>(*runs[static_cast<size_t>(i)].outputs[0]),
              All(100 * i + kChain));
  }
  EXPECT_EQ(launches, kChain);
  EXPECT_EQ(graph_launches, 29);
}

TEST(CudaGraphsTest, TheSameAddressesChangeNothing) {
  auto client = CountingClient();
  Image image = ImageWith(
      [](RunContext* context, const RunBuffer*, const RunBuffer* results,
         void*) -> int32_t {
        int32_t code = 0;
        for (int i = 0; i < kChain && code == 0; ++i) {
          code = LaunchAddScalar(context, results[0].data, i, results[0].data, kSize);
        }
        return code;
      },
      1, kSize);
  image.info.aliases = {{.result = 0, .parameter = 0}};
  auto program = Compile(*client, std::move(image));
  auto state = FromHost<int32_t>(*client, All(0));
  constexpr int kSum = kChain * (kChain - 1) / 2;
  for (int i = 1; i <= 5; ++i) {
    Executed run = Execute(*program, {state.get()});
    state = std::move(run.outputs[0]);
    EXPECT_EQ(Values<int32_t>(*state), All(i * kSum));
  }
  EXPECT_EQ(launches, kChain);
  EXPECT_EQ(graph_launches, 4);
  EXPECT_EQ(changes, 0);
}

// As many kernels as the first element of args[0] says.
int32_t AddAsOftenAsItSays(RunContext* context, const RunBuffer* args,
                           const RunBuffer* results, void*) {
  int32_t count = 0;
  int32_t code = context->table->read(context, args[0].data, &count, sizeof count);
  if (code == 0) code = AddOne(context, args, results, nullptr);
  for (int32_t i = 1; i < count && code == 0; ++i) {
    code = LaunchAddScalar(context, results[0].data, 1, results[0].data, kSize);
  }
  return code;
}

TEST(CudaGraphsTest, ProgramsMayStartOtherKernelsEachTime) {
  auto client = CountingClient();
  auto program = Compile(*client, ImageWith(AddAsOftenAsItSays, 1, kSize));
  constexpr int kCounts = 10, kFirst = 4;  // more than there may be graphs
  constexpr int kRounds = 6;
  for (int round = 0; round < kRounds; ++round) {
    for (int count = kFirst; count < kFirst + kCounts; ++count) {
      auto in = FromHost<int32_t>(*client, All(count));
      EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]),
                All(2 * count));
    }
  }
  // Counts of 4 and 5 are too short. No graph is used again before it gives way to
  // another, so there are none after some rounds.
  EXPECT_EQ(graph_launches, instances);
  EXPECT_EQ(instances, 4 + 15);
  program.reset();
  client.reset();  // as above
  EXPECT_EQ(destroyed, instances);
}

// 24 steps; after 12 of them the first element is multiplied by 10 on the host.
int32_t AddMultiplyAdd(RunContext* context, const RunBuffer* args,
                       const RunBuffer* results, void* arena) {
  int32_t code = AddInSteps(context, args, results, arena);
  int32_t first = 0;
  if (code == 0)
    code = context->table->read(context, results[0].data, &first, sizeof first);
  first *= 10;
  if (code == 0)
    code = context->table->write(context, results[0].data, &first, sizeof first);
  first = 0;  // `write` has read it
  return code ? code : AddInSteps(context, results, results, arena);
}

TEST(CudaGraphsTest, ReadsAndWritesComeInTheirOrder) {
  auto client = CountingClient();
  Image image = ImageWith(AddMultiplyAdd, 1, kSize);
  image.code_objects[0].arena_bytes = kArenaBytes;
  auto program = Compile(*client, std::move(image));
  auto in = FromHost<int32_t>(*client, All(1));
  std::vector<int32_t> expected = All(1 + 2 * kChain);
  expected[0] = 10 * (1 + kChain) + kChain;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), expected);
  }
  EXPECT_EQ(launches, kChain);
  EXPECT_EQ(graph_launches, 7);
}

TEST(CudaGraphsTest, OptionsTurnThemOff) {
  for (const char* option : {"cuda_graphs", "cuda_sync"}) {
    const bool sync = option == std::string("cuda_sync");
    auto client = CountingClient({{option, int64_t{sync}}});
    auto program = Compile(*client, StepsImage());
    auto in = FromHost<int32_t>(*client, All(0));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(kChain));
    }
    EXPECT_EQ(launches, 3 * kChain) << option;
    EXPECT_EQ(graph_launches + instances, 0) << option;
  }
}

TEST(CudaGraphsTest, ADriverThatRefusesThemIsAskedOnce) {
  for (std::atomic<int>* error : {&instance_error, &change_error}) {
    auto client = CountingClient();
    auto program = Compile(*client, StepsImage());
    *error = CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < 4; ++i) {
      auto in = FromHost<int32_t>(*client, All(i));
      std::vector<Executed> runs;
      for (int j = 0; j < 3; ++j) {
        runs.push_back(Execute(*program, {in.get()}));
        EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0]), All(i + kChain));
      }
    }
    EXPECT_EQ(instances, 1);
    EXPECT_LE(changes, 1);
    program.reset();
    client.reset();
  }
}

TEST(CudaGraphsTest, AGraphThatIsNotStartedFailsItsResults) {
  auto client = CountingClient();
  auto program = Compile(*client, StepsImage());
  auto in = FromHost<int32_t>(*client, All(0));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(kChain));
  }
  launch_error = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  Executed failed = Execute(*program, {in.get()});
  Executed next = Execute(*program, {failed.outputs[0].get()});
  for (Executed* run : {&failed, &next}) {
    const std::string error = run->outputs[0]->ReadyEvent().Await().ToString();
    EXPECT_NE(error.find("program 'test': the launch of 12 kernels failed: "
                         "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
              std::string::npos)
        << error;
  }
  launch_error = 0;
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(kChain));
}

TEST(CudaGraphsTest, ThreadsShareAProgram) {
  auto client = CountingClient();
  auto program = Compile(*client, StepsImage());
  const auto work = [&](int thread) {
    auto in = FromHost<int32_t>(*client, All(thread));
    for (int i = 0; i < 30; ++i) {
      Executed one = Execute(*program, {in.get()});
      Executed two = Execute(*program, {one.outputs[0].get()});
      EXPECT_EQ(Values<int32_t>(*two.outputs[0]), All(thread + 2 * kChain));
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(launches + graph_launches * kChain, 4 * 30 * 2 * kChain);
}

}  // namespace
}  // namespace tenon::cuda
