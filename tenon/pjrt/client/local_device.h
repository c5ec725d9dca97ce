// Devices and memory spaces of a client: the PJRT view of device::Device.
//
// Created by the client and immutable afterwards. Usable from any thread.
#ifndef TENON_PJRT_CLIENT_LOCAL_DEVICE_H_
#define TENON_PJRT_CLIENT_LOCAL_DEVICE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/device/device.h"
#include "tenon/pjrt/interface/device.h"

namespace tenon::pjrt {

class LocalDevice;

class LocalMemory final : public MemorySpace {
 public:
  LocalMemory(LocalDevice* device, device::MemoryKind kind, std::string_view platform);

  int id() const override { return id_; }
  std::string_view kind() const override { return device::kMemoryKindNames[kind_id()]; }
  int kind_id() const override { return static_cast<int>(kind_); }
  std::string_view debug_string() const override { return debug_string_; }
  std::string_view to_string() const override { return to_string_; }
  std::span<Device* const> devices() const override { return {&device_, 1}; }
  LocalDevice* local_device() const;
  device::MemorySpace& space() const { return space_; }

 private:
  Device* device_;
  const device::MemoryKind kind_;
  device::MemorySpace& space_;
  const int id_;
  std::string debug_string_;
  std::string to_string_;
};

class LocalDevice final : public Device {
 public:
  // `description` and `device` must outlive the device.
  LocalDevice(const DeviceDescription& description, device::Device& device,
              int local_hardware_id, std::string_view platform);

  const DeviceDescription& description() const override { return description_; }
  bool is_addressable() const override { return true; }
  int local_hardware_id() const override { return local_hardware_id_; }
  std::span<MemorySpace* const> memories() const override { return memories_; }
  MemorySpace* default_memory() const override { return memories_[0]; }
  const NamedValueMap& attributes() const override { return description_.attributes; }
  // The statistics of the default memory space, which several devices may share.
  StatusOr<MemoryStats> GetMemoryStats() const override;
  Status ClearMemoryStats() override;
  StatusOr<intptr_t> GetExternalStream() override { return device_.ExternalStream(); }

  int id() const { return description_.id; }
  device::Device& device() const { return device_; }
  LocalMemory* memory(int kind) const {
    return owned_memories_[static_cast<size_t>(kind)].get();
  }

 private:
  const DeviceDescription& description_;
  device::Device& device_;
  const int local_hardware_id_;
  std::vector<std::unique_ptr<LocalMemory>> owned_memories_;
  std::vector<MemorySpace*> memories_;
};

// A device of another process of the job, which has only a description here.
class RemoteDevice final : public Device {
 public:
  // `description` must outlive the device.
  explicit RemoteDevice(const DeviceDescription& description)
      : description_(description) {}

  const DeviceDescription& description() const override { return description_; }
  bool is_addressable() const override { return false; }
  int local_hardware_id() const override { return -1; }
  std::span<MemorySpace* const> memories() const override { return {}; }
  MemorySpace* default_memory() const override { return nullptr; }
  const NamedValueMap& attributes() const override { return description_.attributes; }

 private:
  const DeviceDescription& description_;
};

inline LocalDevice* LocalMemory::local_device() const {
  return static_cast<LocalDevice*>(device_);
}

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_DEVICE_H_
