// For tests of OpenCL devices: clients, and programs whose launchers are functions of the
// test and whose kernels are those of test/kernels.ll.
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
#include "tenon/executable/device_code.h"
#include "tenon/executable/testing.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::opencl::testing {

using ::tenon::testing::ImageOf;
using ::tenon::testing::TensorOf;

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

// Kernel numbers in the images of ImageWith.
enum Kernels : int64_t { kAdd = 0, kAddScalar = 1 };

// The SPIR-V of test/NAME.ll.
inline std::string ModuleOf(const std::string& name) {
  std::ifstream file(TENON_OPENCL_KERNELS + name + ".spv", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline DeviceCode TestKernels() {
  DeviceCode code;
  code.format = "spirv";
  code.module = ModuleOf("kernels");
  code.kernels = {
      {.name = "add", .group_size = 64, .arguments = {0, 0, 0, 8}, .source_kernel = 0},
      {.name = "add_scalar",
       .group_size = 64,
       .arguments = {0, 4, 0, 8},
       .source_kernel = 1}};
  return code;
}

// A program whose launcher is `entry`, for `size` s32 each.
inline Image ImageWith(EntryPoint entry, size_t num_parameters, int64_t size,
                       const DeviceCode& kernels = TestKernels()) {
  Image image = ImageOf(entry);
  image.code_objects[0].kind = kLauncherCode;
  CodeObject& device = image.code_objects.emplace_back();
  device.kind = kDeviceCode;
  device.target = "spirv64";
  device.bytes = kernels.Serialize();
  const ImageTensor tensor = TensorOf(ElementType::kS32, {size});
  image.info.parameters.assign(num_parameters, tensor);
  image.info.results = {tensor};
  return image;
}

inline uint64_t Word(const void* address) { return reinterpret_cast<uint64_t>(address); }

// out[i] = a[i] + b for `size` elements.
inline int32_t LaunchAddScalar(RunContext* context, const void* a, int32_t b,
                               const void* out, int64_t size) {
  const uint64_t arguments[] = {Word(a), static_cast<uint32_t>(b), Word(out),
                                static_cast<uint64_t>(size)};
  return context->table->launch(context, kAddScalar, arguments, (size + 63) / 64);
}

inline constexpr int64_t kSize = 100;

// results[0] = args[0] + 1, for kSize s32.
inline int32_t AddOne(RunContext* context, const RunBuffer* args,
                      const RunBuffer* results, void*) {
  return LaunchAddScalar(context, args[0].data, 1, results[0].data, kSize);
}

inline Image AddOneImage(bool alias = false) {
  Image image = ImageWith(AddOne, 1, kSize);
  if (alias) image.info.aliases = {{.result = 0, .parameter = 0}};
  return image;
}

// kSize times `value`.
inline std::vector<int32_t> All(int32_t value) {
  return std::vector<int32_t>(kSize, value);
}

}  // namespace tenon::opencl::testing

#endif  // TENON_DEVICES_OPENCL_TESTING_H_
