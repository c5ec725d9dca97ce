#include "tenon/devices/cuda/cuda_platform.h"

#include <algorithm>
#include <utility>

#include "tenon/devices/cuda/context.h"
#include "tenon/devices/cuda/kernels.h"
#include "tenon/devices/cuda/stream.h"
#include "tenon/devices/streams/program.h"
#include "tenon/devices/streams/system.h"

namespace tenon::cuda {
namespace {

using device::SystemOptions;

constexpr char kLibrary[] = "libcuda.so.1";
// Of the device's memory, what is left to the driver and to other libraries: a sixteenth.
constexpr size_t kDriverShare = 16;

constexpr device::Option kOptions[] = {
    {.name = "cuda_device", .max = 1023},
    {.name = "cuda_library", .is_text = true},
    {.name = "cuda_graphs", .max = 1, .default_value = 1},
    {.name = "cuda_sync", .max = 1},
    {.name = "tf32", .max = 1, .default_value = 1},
    {.name = "tune_products", .max = 1},
};

// Compute capabilities that the compiler has targets for. Code for one runs on all later
// ones, except for that of 9.0, which uses instructions that only 9.0 has.
constexpr int kCapabilities[] = {80, 86, 87, 89, 90, 100, 103, 120, 121};
constexpr int kHopper = 90;

std::string LibraryOf(const SystemOptions& options) {
  const std::string& library = options.text("cuda_library");
  return library.empty() ? kLibrary : library;
}

// The devices that the options choose.
StatusOr<std::vector<DeviceInfo>> SelectDevices(const Driver& driver,
                                                const SystemOptions& options) {
  TENON_ASSIGN_OR_RETURN(std::vector<DeviceInfo> devices, ListDevices(driver));
  const auto first = static_cast<size_t>(options.number("cuda_device"));
  const auto count = static_cast<size_t>(options.device_count);
  if (first + count > devices.size()) {
    return InvalidArgument(std::to_string(count) + " GPUs from number " +
                           std::to_string(first) +
                           " on are asked for (create options 'device_count' and "
                           "'cuda_device'), but this machine has " +
                           std::to_string(devices.size()));
  }
  devices = {devices.begin() + static_cast<int64_t>(first),
             devices.begin() + static_cast<int64_t>(first + count)};
  for (const DeviceInfo& device : devices) {
    const DeviceInfo& first_device = devices.front();
    if (TargetOf(device.major, device.minor) !=
        TargetOf(first_device.major, first_device.minor)) {
      return InvalidArgument("GPUs '" + first_device.name + "' and '" + device.name +
                             "' need different code; choose GPUs of one kind (create "
                             "options 'device_count' and 'cuda_device')");
    }
    if (TargetOf(device.major, device.minor).empty()) {
      return Status(StatusCode::kUnavailable,
                    "GPU '" + device.name + "' has compute capability " +
                        std::to_string(device.major) + "." +
                        std::to_string(device.minor) + "; Tenon needs 8.0 or newer");
    }
  }
  return devices;
}

StatusOr<streams::System::DeviceParts> PartsOf(const Context& context,
                                               const DeviceInfo& device,
                                               int64_t memory_limit) {
  streams::System::DeviceParts parts;
  parts.name = context.name();
  parts.memory = {.owner = context.name(),
                  .limit = memory_limit ? static_cast<size_t>(memory_limit)
                                        : device.memory - device.memory / kDriverShare,
                  .largest_block = device.memory,
                  .allocate = [&context](size_t size) { return context.Allocate(size); },
                  .free = [&context](void* block) { context.Free(block); }};
  TENON_ASSIGN_OR_RETURN(parts.streams.compute,
                         Stream::Create(context, /*for_copies=*/false));
  TENON_ASSIGN_OR_RETURN(parts.streams.to_device,
                         Stream::Create(context, /*for_copies=*/true));
  TENON_ASSIGN_OR_RETURN(parts.streams.to_host,
                         Stream::Create(context, /*for_copies=*/true));
  parts.streams.external = [&context]() -> StatusOr<std::unique_ptr<streams::Stream>> {
    TENON_ASSIGN_OR_RETURN(auto stream, Stream::Create(context, /*for_copies=*/true));
    return std::unique_ptr<streams::Stream>(std::move(stream));
  };
  return parts;
}

}  // namespace

std::string TargetOf(int major, int minor) {
  const int capability = 10 * major + minor;
  if (capability == kHopper) return "nvptx64:sm_90a";
  const int* const after = std::ranges::upper_bound(kCapabilities, capability);
  if (after == std::begin(kCapabilities)) return "";
  return "nvptx64:sm_" + std::to_string(after[-1]);
}

std::string CudaPlatform::Target(const SystemOptions& options) const {
  std::string target = TargetOf(8, 0);
  const StatusOr<Driver> driver = load_(LibraryOf(options));
  if (!driver.ok()) return target;
  const auto devices = SelectDevices(*driver, options);
  return devices.ok() ? TargetOf((*devices)[0].major, (*devices)[0].minor) : target;
}

const Machine& CudaPlatform::host() const { return streams::LauncherMachine(); }

std::span<const device::Option> CudaPlatform::options() const { return kOptions; }

StatusOr<std::vector<device::DeviceFacts>> CudaPlatform::Describe(
    const SystemOptions& options) const {
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
  return facts;
}

StatusOr<std::unique_ptr<device::System>> CudaPlatform::Start(
    const SystemOptions& options) const {
  TENON_ASSIGN_OR_RETURN(const Driver driver, load_(LibraryOf(options)));
  TENON_ASSIGN_OR_RETURN(const std::vector<DeviceInfo> devices,
                         SelectDevices(driver, options));
  std::vector<std::unique_ptr<Context>> contexts;
  for (const DeviceInfo& device : devices) {
    TENON_ASSIGN_OR_RETURN(contexts.emplace_back(),
                           Context::Create(driver, device,
                                           "GPU " + std::to_string(device.number) +
                                               " ('" + device.name + "')"));
  }
  auto loader = std::make_unique<KernelLoader>(
      std::move(contexts), TargetOf(devices[0].major, devices[0].minor),
      options.number("cuda_sync") != 0, options.number("cuda_graphs") != 0);
  const KernelLoader& kept = *loader;
  auto system = std::make_unique<streams::System>(options, std::move(loader));
  const Context& first = *kept.contexts()[0];
  system->AddPinnedMemory(
      "host memory of NVIDIA GPUs",
      [&first](size_t size) { return first.AllocateHost(size); },
      [&first](void* block) { first.FreeHost(block); });
  for (size_t d = 0; d < devices.size(); ++d) {
    TENON_ASSIGN_OR_RETURN(
        auto parts, PartsOf(*kept.contexts()[d], devices[d], options.memory_limit));
    system->AddDevice(std::move(parts));
  }
  return system;
}

const CudaPlatform& Platform() {
  static const CudaPlatform& platform = *new CudaPlatform();
  return platform;
}

}  // namespace tenon::cuda
