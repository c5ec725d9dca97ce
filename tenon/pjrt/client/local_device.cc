#include "tenon/pjrt/client/local_device.h"

namespace tenon::pjrt {

LocalMemory::LocalMemory(LocalDevice* device, int kind, int id, std::string_view platform)
    : device_(device), kind_(kind), id_(id) {
  const std::string device_id = std::to_string(device->id());
  to_string_ = std::string(kMemoryKinds[kind]) + " memory of " + std::string(platform) +
               " device " + device_id;
  debug_string_ = "TenonMemory(id=" + std::to_string(id) +
                  ", kind=" + std::string(kMemoryKinds[kind]) + ", device=" + device_id +
                  ")";
}

LocalDevice::LocalDevice(const DeviceDescription& description,
                         runtime::Allocator& allocator, std::string_view platform)
    : description_(description), allocator_(allocator) {
  for (int kind = 0; kind < kNumMemoryKinds; ++kind) {
    owned_memories_.push_back(std::make_unique<LocalMemory>(
        this, kind, description.id * kNumMemoryKinds + kind, platform));
    memories_.push_back(owned_memories_.back().get());
  }
}

StatusOr<MemoryStats> LocalDevice::GetMemoryStats() const {
  const runtime::AllocatorStats stats = allocator_.stats();
  MemoryStats result;
  result.bytes_in_use = stats.in_use;
  result.peak_bytes_in_use = stats.peak_in_use;
  result.num_allocs = stats.allocations;
  result.largest_alloc_size = stats.largest;
  result.bytes_limit = stats.limit;
  result.bytes_reservable_limit = stats.limit;  // nothing is set aside for others
  result.pool_bytes = stats.in_use + stats.cached;
  return result;
}

Status LocalDevice::ClearMemoryStats() {
  allocator_.ClearStats();
  return OkStatus();
}

}  // namespace tenon::pjrt
