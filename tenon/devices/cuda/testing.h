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
#include "tenon/executable/device_code.h"
#include "tenon/executable/testing.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::cuda::testing {

using ::tenon::testing::ImageOf;
using ::tenon::testing::TensorOf;

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

// Kernel numbers in the images of ImageWith.
enum Kernels : int64_t { kAdd, kAddScalar, kThroughLocal, kFault };

// What the driver assembles: PTX, or the text that the emulation takes instead.
inline std::string TestModule() {
  std::ifstream file(IsEmulated() ? TENON_CUDA_KERNELS_IR : TENON_CUDA_KERNELS_PTX);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline DeviceCode TestKernels() {
  DeviceCode code;
  code.format = "ptx";
  code.module = TestModule();
  const auto add = [&](const char* name, std::vector<uint8_t> arguments) {
    DeviceKernel& kernel = code.kernels.emplace_back();
    kernel.name = name;
    kernel.group_size = 64;
    kernel.arguments = std::move(arguments);
    kernel.source_kernel = static_cast<uint32_t>(code.kernels.size() - 1);
  };
  add("add", {0, 0, 0, 8});
  add("add_scalar", {0, 4, 0, 8});
  add("through_local", {0, 0});
  code.kernels.back().dynamic_local_bytes = 80 << 10;
  add("fault", {0});
  return code;
}

// A program whose launcher is `entry`, for `size` s32 each.
inline Image ImageWith(EntryPoint entry, size_t num_parameters, int64_t size,
                       const DeviceCode& kernels = TestKernels()) {
  Image image = ImageOf(entry);
  image.code_objects[0].kind = kLauncherCode;
  CodeObject& device = image.code_objects.emplace_back();
  device.kind = kDeviceCode;
  device.target = "nvptx64:sm_80";
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

}  // namespace tenon::cuda::testing

#endif  // TENON_DEVICES_CUDA_TESTING_H_
