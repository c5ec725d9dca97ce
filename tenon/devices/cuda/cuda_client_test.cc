// Tests a client over NVIDIA's GPUs, or emulated ones, with programs written by hand.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tenon/devices/cuda/testing.h"
#include "tenon/devices/streams/client_tests.h"

namespace tenon::cuda {
namespace {

using namespace testing;  // NOLINT
using pjrt::Compile;
using pjrt::Execute;
using pjrt::FromHost;
using pjrt::Values;

std::optional<pjrt::NamedValueMap> TwoDevices() {
  if (NumDevices() < 2) return std::nullopt;
  return pjrt::NamedValueMap{{"device_count", int64_t{2}}};
}

using streams::testing::StreamsClientTest;
INSTANTIATE_TEST_SUITE_P(
    Cuda, StreamsClientTest,
    ::testing::Values(streams::testing::TestedDevice{
        .name = "Cuda",
        .platform = "tenon_cuda",
        .start = [](const pjrt::NamedValueMap& options) { return MakeClient(options); },
        .two_devices = TwoDevices,
        .kernels = TestKernels}),
    streams::testing::NameOf);

TEST(CudaClientTest, KernelsUseMoreLocalMemoryThanIsUsual) {
  auto client = MakeClient();
  constexpr int64_t kItems = 64;
  auto program = Compile(*client, ImageWith(
                                      [](RunContext* context, const RunBuffer* args,
                                         const RunBuffer* results, void*) -> int32_t {
                                        const uint64_t arguments[] = {
                                            Word(args[0].data), Word(results[0].data)};
                                        return context->table->launch(
                                            context, kThroughLocal, arguments, 1);
                                      },
                                      1, kItems));
  auto in = FromHost<int32_t>(*client, std::vector<int32_t>(kItems, 100));
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < kItems; ++i) expected.push_back(100 + i);
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), expected);
}

TEST(CudaClientTest, TheCurrentContextOfTheCallerStays) {
  const Driver driver = *LoadDriver(DriverPath());
  const CUdevice other_device = NumDevices() - 1;
  CUcontext other = nullptr;
  ASSERT_EQ(driver.DevicePrimaryCtxRetain(&other, other_device), CUDA_SUCCESS);
  for (const CUcontext own : {CUcontext{nullptr}, other}) {
    ASSERT_EQ(driver.CtxSetCurrent(own), CUDA_SUCCESS);
    const auto expect_own = [&](const char* after) {
      CUcontext current = nullptr;
      ASSERT_EQ(driver.CtxGetCurrent(&current), CUDA_SUCCESS);
      EXPECT_EQ(current, own) << after;
    };
    auto client = MakeClient();
    expect_own("a client started");
    auto program = Compile(*client, AddOneImage());
    expect_own("a program was loaded");
    auto in = FromHost<int32_t>(*client, All(0));
    std::vector<pjrt::Executed> runs;
    for (int i = 0; i < 3; ++i) {  // the later ones start on this thread
      runs.push_back(
          Execute(*program, {i == 0 ? in.get() : runs.back().outputs[0].get()}));
      ASSERT_TRUE(runs.back().outputs[0]->ReadyEvent().Await().ok());
      expect_own("a program ran");
    }
    EXPECT_EQ(Values<int32_t>(*runs.back().outputs[0]), All(3));
    expect_own("a copy to the host");
    runs.clear();
    in.reset();
    program.reset();
    client.reset();
    expect_own("the client ended");
  }
  driver.CtxSetCurrent(nullptr);
  driver.DevicePrimaryCtxRelease(other_device);
}

}  // namespace
}  // namespace tenon::cuda
