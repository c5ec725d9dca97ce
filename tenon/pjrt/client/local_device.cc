#include "tenon/pjrt/client/local_device.h"

namespace tenon::pjrt {

LocalMemory::LocalMemory(LocalDevice* device, device::MemoryKind kind,
                         std::string_view platform)
    : device_(device),
      kind_(kind),
      space_(device->device().memory(kind)),
      id_(device->id() * device::kNumMemoryKinds + static_cast<int>(kind)) {
  const std::string device_id = std::to_string(device->id());
  to_string_ = std::string(this->kind()) + " memory of " + std::string(platform) +
               " device " + device_id;
  debug_string_ = "TenonMemory(id=" + std::to_string(id_) +
                  ", kind=" + std::string(this->kind()) + ", device=" + device_id + ")";
}

LocalDevice::LocalDevice(const DeviceDescription& description, device::Device& device,
                         int local_hardware_id, std::string_view platform)
    : description_(description), device_(device), local_hardware_id_(local_hardware_id) {
  for (int kind = 0; kind < device::kNumMemoryKinds; ++kind) {
    owned_memories_.push_back(std::make_unique<LocalMemory>(
        this, static_cast<device::MemoryKind>(kind), platform));
    memories_.push_back(owned_memories_.back().get());
  }
}

StatusOr<MemoryStats> LocalDevice::GetMemoryStats() const {
  const device::MemoryUsage usage = owned_memories_[0]->space().Usage();
  MemoryStats result;
  result.bytes_in_use = usage.in_use;
  result.peak_bytes_in_use = usage.peak_in_use;
  result.num_allocs = usage.allocations;
  result.largest_alloc_size = usage.largest;
  result.bytes_limit = usage.limit;
  result.bytes_reservable_limit = usage.limit;  // no memory is reserved
  result.pool_bytes = usage.in_use + usage.cached;
  return result;
}

Status LocalDevice::ClearMemoryStats() {
  owned_memories_[0]->space().ClearPeaks();
  return OkStatus();
}

}  // namespace tenon::pjrt
