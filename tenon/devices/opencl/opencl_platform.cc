#include "tenon/devices/opencl/opencl_platform.h"

#include <string>
#include <utility>

#include "tenon/devices/opencl/context.h"
#include "tenon/devices/opencl/kernels.h"
#include "tenon/devices/opencl/selection.h"
#include "tenon/devices/opencl/stream.h"
#include "tenon/devices/streams/program.h"
#include "tenon/devices/streams/system.h"

namespace tenon::opencl {
namespace {

using device::SystemOptions;

constexpr char kLoader[] = "libOpenCL.so.1";
// Of the device's memory, what is left to the driver: a sixteenth.
constexpr cl_ulong kDriverShare = 16;

constexpr device::Option kOptions[] = {
    {.name = "opencl_device", .is_text = true},
    {.name = "opencl_library", .is_text = true},
    {.name = "opencl_memory", .is_text = true},
    {.name = "opencl_sub_devices", .max = 1024},
    {.name = "tune_products", .max = 1},
};

StatusOr<streams::System::DeviceParts> PartsOf(const Context& context, size_t index,
                                               const DeviceInfo& device,
                                               int64_t memory_limit) {
  streams::System::DeviceParts parts;
  parts.name = "OpenCL device " + std::to_string(index) + " ('" + device.name + "')";
  parts.memory = {
      .owner = parts.name,
      .limit = memory_limit ? static_cast<size_t>(memory_limit)
                            : device.memory - device.memory / kDriverShare,
      .largest_block = device.largest_block,
      .allocate = [&context, id = device.id](
                      size_t size) { return context.AllocateOnDevice(id, size); },
      .free = [&context](void* block) { context.Free(block); }};
  for (std::unique_ptr<streams::Stream>* stream :
       {&parts.streams.compute, &parts.streams.to_device, &parts.streams.to_host}) {
    TENON_ASSIGN_OR_RETURN(*stream, Stream::Create(context, device));
  }
  parts.streams.external = [&context,
                            &device]() -> StatusOr<std::unique_ptr<streams::Stream>> {
    TENON_ASSIGN_OR_RETURN(auto stream, Stream::Create(context, device));
    return std::unique_ptr<streams::Stream>(std::move(stream));
  };
  return parts;
}

}  // namespace

const Machine& OpenClPlatform::host() const { return streams::LauncherMachine(); }

std::span<const device::Option> OpenClPlatform::options() const { return kOptions; }

StatusOr<std::vector<device::DeviceFacts>> OpenClPlatform::Describe(
    const SystemOptions& options) const {
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
  return facts;
}

StatusOr<std::unique_ptr<device::System>> OpenClPlatform::Start(
    const SystemOptions& options) const {
  const std::string& library = options.text("opencl_library");
  TENON_ASSIGN_OR_RETURN(const Api api, load_(library.empty() ? kLoader : library));
  TENON_ASSIGN_OR_RETURN(auto selected,
                         Select(api, {.device = options.text("opencl_device"),
                                      .sub_devices = options.number("opencl_sub_devices"),
                                      .count = options.device_count}));
  TENON_ASSIGN_OR_RETURN(auto created, Context::Create(api, selected->devices(),
                                                       options.text("opencl_memory")));
  auto loader = std::make_unique<KernelLoader>(std::move(selected), std::move(created));
  const std::vector<DeviceInfo>& devices = loader->devices();
  const Context& context = loader->context();
  auto system = std::make_unique<streams::System>(options, std::move(loader));
  if (context.has_host_memory()) {
    system->AddPinnedMemory(
        "host memory of OpenCL devices",
        [&context](size_t size) { return context.AllocateHost(size); },
        [&context](void* block) { context.Free(block); });
  }
  for (size_t d = 0; d < devices.size(); ++d) {
    TENON_ASSIGN_OR_RETURN(auto parts,
                           PartsOf(context, d, devices[d], options.memory_limit));
    system->AddDevice(std::move(parts));
  }
  return system;
}

const OpenClPlatform& Platform() {
  static const OpenClPlatform& platform = *new OpenClPlatform();
  return platform;
}

}  // namespace tenon::opencl
