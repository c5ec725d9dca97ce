#include "tenon/pjrt/c_api_client/device.h"

#include <optional>
#include <utility>

#include "tenon/pjrt/c_api/named_values.h"
#include "tenon/pjrt/c_api_client/topology.h"

namespace tenon::pjrt::c_api_client {
namespace {

// Ignores UNIMPLEMENTED: values of functions that an old plugin lacks stay unset.
Status Optional(Status status) {
  return status.code() == StatusCode::kUnimplemented ? OkStatus() : status;
}

}  // namespace

StatusOr<std::vector<Device*>> Handles::Devices(PJRT_Device* const* list,
                                                size_t count) const {
  std::vector<Device*> result;
  for (size_t i = 0; i < count; ++i) {
    CApiDevice* device = Find(list[i]);
    if (device == nullptr) {
      return Internal("the plugin names a device that its client does not have");
    }
    result.push_back(device);
  }
  return result;
}

CApiDevice* Handles::Find(PJRT_Device* device) const {
  auto found = devices.find(device);
  return found == devices.end() ? nullptr : found->second;
}

CApiMemory* Handles::Find(PJRT_Memory* memory) const {
  auto found = memories.find(memory);
  return found == memories.end() ? nullptr : found->second;
}

Status CApiMemory::Read(const Handles& handles) {
  TENON_PJRT_ARGS(id, PJRT_Memory_Id);
  id.memory = memory_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Memory_Id, id));
  id_ = id.id;
  TENON_PJRT_ARGS(kind, PJRT_Memory_Kind);
  kind.memory = memory_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Memory_Kind, kind));
  kind_ = View(kind.kind, kind.kind_size);
  TENON_PJRT_ARGS(kind_id, PJRT_Memory_Kind_Id);
  kind_id.memory = memory_;
  TENON_RETURN_IF_ERROR(Optional(TENON_PJRT_CALL(table_, PJRT_Memory_Kind_Id, kind_id)));
  kind_id_ = kind_id.kind_id;
  TENON_PJRT_ARGS(debug, PJRT_Memory_DebugString);
  debug.memory = memory_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Memory_DebugString, debug));
  debug_string_ = View(debug.debug_string, debug.debug_string_size);
  TENON_PJRT_ARGS(text, PJRT_Memory_ToString);
  text.memory = memory_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Memory_ToString, text));
  to_string_ = View(text.to_string, text.to_string_size);
  TENON_PJRT_ARGS(devices, PJRT_Memory_AddressableByDevices);
  devices.memory = memory_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Memory_AddressableByDevices, devices));
  TENON_ASSIGN_OR_RETURN(devices_, handles.Devices(devices.devices, devices.num_devices));
  return OkStatus();
}

StatusOr<DeviceDescription> CApiDevice::Description() const {
  TENON_PJRT_ARGS(args, PJRT_Device_GetDescription);
  args.device = device_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Device_GetDescription, args));
  return ReadDescription(table_, args.device_description);
}

Status CApiDevice::Read(const Handles& handles) {
  TENON_PJRT_ARGS(addressable, PJRT_Device_IsAddressable);
  addressable.device = device_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Device_IsAddressable, addressable));
  is_addressable_ = addressable.is_addressable;
  TENON_PJRT_ARGS(hardware, PJRT_Device_LocalHardwareId);
  hardware.device = device_;
  hardware.local_hardware_id = -1;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Device_LocalHardwareId, hardware));
  local_hardware_id_ = hardware.local_hardware_id;
  TENON_PJRT_ARGS(attributes, PJRT_Device_GetAttributes);
  attributes.device = device_;
  Status status = TENON_PJRT_CALL(table_, PJRT_Device_GetAttributes, attributes);
  TENON_RETURN_IF_ERROR(Optional(status));
  if (status.ok()) {
    auto read = c_api::ReadNamedValues(attributes.attributes, attributes.num_attributes);
    if (attributes.attributes_deleter) {
      attributes.attributes_deleter(attributes.device_attributes);
    }
    TENON_ASSIGN_OR_RETURN(attributes_, std::move(read));
  }
  if (!is_addressable_) return OkStatus();
  TENON_PJRT_ARGS(memories, PJRT_Device_AddressableMemories);
  memories.device = device_;
  TENON_RETURN_IF_ERROR(
      Optional(TENON_PJRT_CALL(table_, PJRT_Device_AddressableMemories, memories)));
  for (size_t i = 0; i < memories.num_memories; ++i) {
    CApiMemory* memory = handles.Find(memories.memories[i]);
    if (memory == nullptr) {
      return Internal("the plugin names a memory that its client does not have");
    }
    memories_.push_back(memory);
  }
  if (memories_.empty()) return OkStatus();
  TENON_PJRT_ARGS(memory, PJRT_Device_DefaultMemory);
  memory.device = device_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Device_DefaultMemory, memory));
  default_memory_ = handles.Find(memory.memory);
  return OkStatus();
}

StatusOr<MemoryStats> CApiDevice::GetMemoryStats() const {
  TENON_PJRT_ARGS(args, PJRT_Device_MemoryStats);
  args.device = device_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Device_MemoryStats, args));
  MemoryStats stats;
  stats.bytes_in_use = args.bytes_in_use;
#define TENON_STAT(name) \
  if (args.name##_is_set) stats.name = args.name
  TENON_STAT(peak_bytes_in_use);
  TENON_STAT(num_allocs);
  TENON_STAT(largest_alloc_size);
  TENON_STAT(bytes_limit);
  TENON_STAT(bytes_reserved);
  TENON_STAT(peak_bytes_reserved);
  TENON_STAT(bytes_reservable_limit);
  TENON_STAT(largest_free_block_bytes);
  TENON_STAT(pool_bytes);
  TENON_STAT(peak_pool_bytes);
#undef TENON_STAT
  return stats;
}

Status CApiDevice::ClearMemoryStats() {
  TENON_PJRT_ARGS(args, PJRT_Device_ClearMemoryStats);
  args.device = device_;
  return TENON_PJRT_CALL(table_, PJRT_Device_ClearMemoryStats, args);
}

StatusOr<bool> CApiDevice::PoisonExecution(int32_t launch_id, Status error) {
  TENON_PJRT_ARGS(args, PJRT_Device_PoisonExecution);
  args.device = device_;
  args.launch_id = launch_id;
  args.error_code = static_cast<PJRT_Error_Code>(error.code());
  args.error_message = error.message().data();
  args.error_message_size = error.message().size();
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Device_PoisonExecution, args));
  return args.poisoned;
}

}  // namespace tenon::pjrt::c_api_client
