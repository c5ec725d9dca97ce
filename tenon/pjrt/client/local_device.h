// Devices and memory spaces of a client whose devices are the host itself.
//
// Made by the client, immutable afterwards; any thread.
#ifndef TENON_PJRT_CLIENT_LOCAL_DEVICE_H_
#define TENON_PJRT_CLIENT_LOCAL_DEVICE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/pjrt/interface/device.h"
#include "tenon/runtime/allocator.h"

namespace tenon::pjrt {

class LocalDevice;

// The kinds of memory, in the order of their ids. All are the host's own memory.
inline constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host",
                                                    "unpinned_host"};
inline constexpr int kNumMemoryKinds = 3;

class LocalMemory final : public MemorySpace {
 public:
  LocalMemory(LocalDevice* device, int kind, int id, std::string_view platform);

  int id() const override { return id_; }
  std::string_view kind() const override { return kMemoryKinds[kind_]; }
  int kind_id() const override { return kind_; }
  std::string_view debug_string() const override { return debug_string_; }
  std::string_view to_string() const override { return to_string_; }
  std::span<Device* const> devices() const override { return {&device_, 1}; }
  LocalDevice* local_device() const;

 private:
  Device* device_;
  const int kind_;
  const int id_;
  std::string debug_string_;
  std::string to_string_;
};

class LocalDevice final : public Device {
 public:
  // `description` and `allocator` outlive the device.
  LocalDevice(const DeviceDescription& description, runtime::Allocator& allocator,
              std::string_view platform);

  const DeviceDescription& description() const override { return description_; }
  bool is_addressable() const override { return true; }
  int local_hardware_id() const override { return description_.id; }
  std::span<MemorySpace* const> memories() const override { return memories_; }
  MemorySpace* default_memory() const override { return memories_[0]; }
  const NamedValueMap& attributes() const override { return attributes_; }
  // All devices of a client share their memory: the numbers are the client's.
  StatusOr<MemoryStats> GetMemoryStats() const override;
  Status ClearMemoryStats() override;

  int id() const { return description_.id; }

 private:
  const DeviceDescription& description_;
  runtime::Allocator& allocator_;
  std::vector<std::unique_ptr<LocalMemory>> owned_memories_;
  std::vector<MemorySpace*> memories_;
  NamedValueMap attributes_;
};

inline LocalDevice* LocalMemory::local_device() const {
  return static_cast<LocalDevice*>(device_);
}

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_DEVICE_H_
