// For tests of devices with streams: programs whose launchers are functions of the test.
// The devices bring the two kernels.
#ifndef TENON_DEVICES_STREAMS_TESTING_H_
#define TENON_DEVICES_STREAMS_TESTING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/executable/device_code.h"
#include "tenon/executable/testing.h"

namespace tenon::streams::testing {

using ::tenon::testing::ImageOf;
using ::tenon::testing::TensorOf;

// Kernel numbers in the code of TestKernels.
enum Kernels : int64_t { kAdd = 0, kAddScalar = 1 };

// out[i] = a[i] + b[i] and out[i] = a[i] + b, for n s32. The arguments are a, b, out, n.
inline DeviceCode TestKernels(std::string format, std::string module) {
  DeviceCode code;
  code.format = std::move(format);
  code.module = std::move(module);
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
                       const DeviceCode& kernels) {
  Image image = ImageOf(entry);
  image.code_objects[0].kind = kLauncherCode;
  CodeObject& device = image.code_objects.emplace_back();
  device.kind = kDeviceCode;
  device.target = kernels.format;
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

// kSize times `value`.
inline std::vector<int32_t> All(int32_t value) {
  return std::vector<int32_t>(kSize, value);
}

// results[0] = args[0] of the other of two devices, + 1. Needs an arena and the frame of
// a program with collectives.
inline int32_t SwapAndAddOne(RunContext* context, const RunBuffer* args,
                             const RunBuffer* results, void* arena) {
  auto& state = *static_cast<int64_t*>(context->frame);
  if (state++ == 0) {
    // The input is the result of a kernel, in the arena.
    const RunBuffer sum = {static_cast<char*>(arena) + 64, nullptr};
    if (int32_t code = AddOne(context, args, &sum, nullptr)) return code;
    context->table->arrive(context, 0, &sum, results, nullptr);
    return kSuspended;
  }
  return AddOne(context, results, results, nullptr);
}

inline Image SwapImage(const DeviceCode& kernels) {
  Image image = ImageWith(SwapAndAddOne, 1, kSize, kernels);
  image.info.num_partitions = 2;
  ImageCollective site;
  site.kind = CollectiveKind::kPermute;
  site.groups = {{0, 1}, {1, 0}};
  site.operands = site.results = image.info.parameters;
  image.info.collectives = {site};
  image.code_objects[0].arena_bytes = 64 + kSize * 4;
  return image;
}

}  // namespace tenon::streams::testing

#endif  // TENON_DEVICES_STREAMS_TESTING_H_
