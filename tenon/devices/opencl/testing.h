// For tests of OpenCL devices: clients, and programs whose launchers are functions of the
// test and whose kernels are those of test/kernels.ll (see streams/testing.h).
#ifndef TENON_DEVICES_OPENCL_TESTING_H_
#define TENON_DEVICES_OPENCL_TESTING_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tenon/devices/opencl/opencl_platform.h"
#include "tenon/devices/streams/testing.h"
#include "tenon/executable/device_code.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::opencl::testing {

using namespace streams::testing;  // NOLINT

// The driver that scripts/install_opencl.sh installs, unless the environment names one.
inline void UseInstalledDriver() {
  if (std::filesystem::exists(TENON_OPENCL_VENDORS)) {
    setenv("OCL_ICD_VENDORS", TENON_OPENCL_VENDORS, /*overwrite=*/0);
  }
}

inline StatusOr<std::unique_ptr<pjrt::Client>> TryClient(
    const pjrt::NamedValueMap& options, const device::Platform& device = Platform()) {
  UseInstalledDriver();
  const pjrt::LocalPlatform& platform = *new pjrt::LocalPlatform{.device = device};
  pjrt::ClientOptions client_options;
  client_options.values = options;
  return pjrt::CreateLocalClient(platform, client_options);
}

// Null, after marking the test as skipped, if this machine has no OpenCL device.
inline std::unique_ptr<pjrt::LocalClient> MakeClient(
    const pjrt::NamedValueMap& options = {},
    const device::Platform& device = Platform()) {
  auto client = TryClient(options, device);
  if (client.ok()) {
    return std::unique_ptr<pjrt::LocalClient>(
        static_cast<pjrt::LocalClient*>(client->release()));
  }
  const bool none = client.status().code() == StatusCode::kUnavailable;
  EXPECT_TRUE(none) << client.status().ToString();
  [&] { GTEST_SKIP() << client.status().message(); }();
  return nullptr;
}

// The SPIR-V of test/NAME.ll.
inline std::string ModuleOf(const std::string& name) {
  std::ifstream file(TENON_OPENCL_KERNELS + name + ".spv", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline DeviceCode TestKernels() {
  return streams::testing::TestKernels("spirv", ModuleOf("kernels"));
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

}  // namespace tenon::opencl::testing

#endif  // TENON_DEVICES_OPENCL_TESTING_H_
