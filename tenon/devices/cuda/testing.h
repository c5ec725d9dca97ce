// For tests of NVIDIA's GPUs: clients, and programs whose launchers are functions of the
// test and whose kernels are those of test/kernels.ll. They use this machine's GPU if it
// has one, and tests/fake_cuda otherwise.
#ifndef TENON_DEVICES_CUDA_TESTING_H_
#define TENON_DEVICES_CUDA_TESTING_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tenon/devices/cuda/context.h"
#include "tenon/devices/cuda/cuda_platform.h"
#include "tenon/devices/streams/testing.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::cuda::testing {

using streams::testing::AddOne;
using streams::testing::All;
using streams::testing::kAdd;
using streams::testing::kAddScalar;
using streams::testing::kSize;
using streams::testing::LaunchAddScalar;
using streams::testing::TensorOf;
using streams::testing::Word;

inline constexpr char kDriver[] = "libcuda.so.1";

inline bool IsEmulated() {
  static const bool emulated = !LoadDriver(kDriver).ok();
  return emulated;
}

// The driver that tests use.
inline std::string DriverPath() {
  static const std::string& path = *[] {
    if (!IsEmulated()) return new std::string(kDriver);
    setenv("TENON_FAKE_CUDA_DEVICES", "2", /*overwrite=*/1);
    return new std::string(TENON_FAKE_CUDA);
  }();
  return path;
}

inline int NumDevices() {
  const StatusOr<Driver> driver = LoadDriver(DriverPath());
  int count = 0;
  if (driver.ok()) driver->DeviceGetCount(&count);
  return count;
}

inline StatusOr<std::unique_ptr<pjrt::Client>> TryClient(
    pjrt::NamedValueMap options = {}, const device::Platform& device = Platform()) {
  options.try_emplace("cuda_library", DriverPath());
  const pjrt::LocalPlatform& platform = *new pjrt::LocalPlatform{.device = device};
  pjrt::ClientOptions client_options;
  client_options.values = std::move(options);
  return pjrt::CreateLocalClient(platform, client_options);
}

inline std::unique_ptr<pjrt::LocalClient> MakeClient(
    const pjrt::NamedValueMap& options = {},
    const device::Platform& device = Platform()) {
  auto client = TryClient(options, device);
  EXPECT_TRUE(client.ok()) << client.status().ToString();
  return std::unique_ptr<pjrt::LocalClient>(
      static_cast<pjrt::LocalClient*>(client->release()));
}

// The first device, as errors name it.
inline std::string DeviceName() {
  return "GPU 0 ('" + ListDevices(*LoadDriver(DriverPath()))->front().name + "')";
}

// Kernel numbers in the images of ImageWith, after those that all devices have.
enum Kernels : int64_t { kThroughLocal = kAddScalar + 1, kFault };

// What the driver assembles: PTX, or the text that the emulation takes instead.
inline std::string TestModule() {
  std::ifstream file(IsEmulated() ? TENON_CUDA_KERNELS_IR : TENON_CUDA_KERNELS_PTX);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline DeviceCode TestKernels() {
  DeviceCode code = streams::testing::TestKernels("ptx", TestModule());
  code.kernels.push_back({.name = "through_local",
                          .group_size = 64,
                          .dynamic_local_bytes = 80 << 10,
                          .arguments = {0, 0},
                          .source_kernel = kThroughLocal});
  code.kernels.push_back(
      {.name = "fault", .group_size = 64, .arguments = {0}, .source_kernel = kFault});
  return code;
}

inline Image ImageWith(EntryPoint entry, size_t num_parameters, int64_t size,
                       const DeviceCode& kernels = TestKernels()) {
  return streams::testing::ImageWith(entry, num_parameters, size, kernels);
}

inline Image AddOneImage(bool alias = false) {
  Image image = ImageWith(AddOne, 1, kSize);
  if (alias) image.info.aliases = {{.result = 0, .parameter = 0}};
  return image;
}

}  // namespace tenon::cuda::testing

#endif  // TENON_DEVICES_CUDA_TESTING_H_
