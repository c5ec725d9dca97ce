// Devices and memory spaces of a plugin's client, which owns them.
//
// Immutable after the client's creation. Usable from any thread.
#ifndef TENON_PJRT_C_API_CLIENT_DEVICE_H_
#define TENON_PJRT_C_API_CLIENT_DEVICE_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/c_api_client/call.h"
#include "tenon/pjrt/interface/device.h"

namespace tenon::pjrt::c_api_client {

class CApiDevice;
class CApiMemory;

// Maps the plugin's handles to objects.
struct Handles {
  std::unordered_map<PJRT_Device*, CApiDevice*> devices;
  std::unordered_map<PJRT_Memory*, CApiMemory*> memories;

  // INTERNAL for a handle that is not in the client's lists.
  StatusOr<std::vector<Device*>> Devices(PJRT_Device* const* list, size_t count) const;
  CApiDevice* Find(PJRT_Device* device) const;  // null if there is none
  CApiMemory* Find(PJRT_Memory* memory) const;
};

class CApiMemory final : public MemorySpace {
 public:
  CApiMemory(const CallTable& table, PJRT_Memory* memory)
      : table_(table), memory_(memory) {}
  Status Read(const Handles& handles);

  int id() const override { return id_; }
  std::string_view kind() const override { return kind_; }
  int kind_id() const override { return kind_id_; }
  std::string_view debug_string() const override { return debug_string_; }
  std::string_view to_string() const override { return to_string_; }
  std::span<Device* const> devices() const override { return devices_; }

  PJRT_Memory* c_memory() const { return memory_; }

 private:
  const CallTable table_;
  PJRT_Memory* const memory_;
  int id_ = 0, kind_id_ = 0;
  std::string kind_, debug_string_, to_string_;
  std::vector<Device*> devices_;
};

class CApiDevice final : public Device {
 public:
  CApiDevice(const CallTable& table, PJRT_Device* device)
      : table_(table), device_(device) {}
  StatusOr<DeviceDescription> Description() const;
  Status Read(const Handles& handles);
  bool has_description() const { return description_ != nullptr; }
  void set_description(const DeviceDescription* description) {
    description_ = description;
  }

  const DeviceDescription& description() const override { return *description_; }
  bool is_addressable() const override { return is_addressable_; }
  int local_hardware_id() const override { return local_hardware_id_; }
  std::span<MemorySpace* const> memories() const override { return memories_; }
  MemorySpace* default_memory() const override { return default_memory_; }
  const NamedValueMap& attributes() const override { return attributes_; }
  StatusOr<MemoryStats> GetMemoryStats() const override;
  Status ClearMemoryStats() override;
  StatusOr<bool> PoisonExecution(int32_t launch_id, Status error) override;

  PJRT_Device* c_device() const { return device_; }

 private:
  const CallTable table_;
  PJRT_Device* const device_;
  const DeviceDescription* description_ = nullptr;
  bool is_addressable_ = false;
  int local_hardware_id_ = -1;
  std::vector<MemorySpace*> memories_;
  MemorySpace* default_memory_ = nullptr;
  NamedValueMap attributes_;
};

}  // namespace tenon::pjrt::c_api_client

#endif  // TENON_PJRT_C_API_CLIENT_DEVICE_H_
