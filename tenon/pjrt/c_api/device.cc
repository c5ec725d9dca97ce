// PJRT_DeviceDescription_*, PJRT_Device_* and PJRT_AsyncTrackingEvent_*.
#include "tenon/pjrt/interface/device.h"

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"

PJRT_DeviceDescription::PJRT_DeviceDescription(
    const tenon::pjrt::DeviceDescription& device_description)
    : description(device_description), attributes(device_description.attributes) {
  for (const auto& memory : description.memories) memories.push_back({&memory});
  for (const auto& memory : memories) memory_pointers.push_back(&memory);
}

namespace tenon::pjrt::c_api {

Status DeviceDescriptionId(PJRT_DeviceDescription_Id_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  args->id = args->device_description->description.id;
  return OkStatus();
}

Status DeviceDescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  args->process_index = args->device_description->description.process_index;
  return OkStatus();
}

Status DeviceDescriptionAttributes(PJRT_DeviceDescription_Attributes_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  args->attributes = args->device_description->attributes.data();
  args->num_attributes = args->device_description->attributes.size();
  return OkStatus();
}

Status DeviceDescriptionKind(PJRT_DeviceDescription_Kind_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  const std::string& kind = args->device_description->description.kind;
  args->device_kind = kind.data();
  args->device_kind_size = kind.size();
  return OkStatus();
}

Status DeviceDescriptionDebugString(PJRT_DeviceDescription_DebugString_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  const std::string& text = args->device_description->description.debug_string;
  args->debug_string = text.data();
  args->debug_string_size = text.size();
  return OkStatus();
}

Status DeviceDescriptionToString(PJRT_DeviceDescription_ToString_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  const std::string& text = args->device_description->description.to_string;
  args->to_string = text.data();
  args->to_string_size = text.size();
  return OkStatus();
}

Status DeviceGetDescription(PJRT_Device_GetDescription_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  args->device_description = args->device->description;
  return OkStatus();
}

Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  args->is_addressable = args->device->device->is_addressable();
  return OkStatus();
}

Status DeviceLocalHardwareId(PJRT_Device_LocalHardwareId_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  args->local_hardware_id = args->device->device->local_hardware_id();
  return OkStatus();
}

Status DeviceAddressableMemories(PJRT_Device_AddressableMemories_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  args->memories = args->device->memories.data();
  args->num_memories = args->device->memories.size();
  return OkStatus();
}

Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  args->memory = HandleOf(args->device->device->default_memory());
  if (args->memory == nullptr) {
    return FailedPrecondition("the device is not addressable: it has no default memory");
  }
  return OkStatus();
}

Status DeviceMemoryStats(PJRT_Device_MemoryStats_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
#define OPTIONAL_FIELDS(X) \
  X(peak_bytes_in_use)     \
  X(num_allocs)            \
  X(largest_alloc_size)    \
  X(bytes_limit)           \
  X(bytes_reserved)        \
  X(peak_bytes_reserved)   \
  X(bytes_reservable_limit) X(largest_free_block_bytes) X(pool_bytes) X(peak_pool_bytes)
#define X(field) TENON_PJRT_SET(args, field##_is_set, false);
  OPTIONAL_FIELDS(X)
#undef X
  TENON_ASSIGN_OR_RETURN(MemoryStats stats, args->device->device->GetMemoryStats());
  TENON_PJRT_SET(args, bytes_in_use, stats.bytes_in_use);
#define X(field)                                \
  if (stats.field) {                            \
    TENON_PJRT_SET(args, field, *stats.field);  \
    TENON_PJRT_SET(args, field##_is_set, true); \
  }
  OPTIONAL_FIELDS(X)
#undef X
#undef OPTIONAL_FIELDS
  return OkStatus();
}

Status DeviceClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  return args->device->device->ClearMemoryStats();
}

Status DevicePoisonExecution(PJRT_Device_PoisonExecution_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  TENON_ASSIGN_OR_RETURN(
      args->poisoned,
      args->device->device->PoisonExecution(
          args->launch_id, StatusFromParts(args->error_code, args->error_message,
                                           args->error_message_size)));
  return OkStatus();
}

Status DeviceGetAttributes(PJRT_Device_GetAttributes_Args* args) {
  TENON_PJRT_REQUIRE(args, device);
  args->attributes = args->device->attributes.data();
  args->num_attributes = args->device->attributes.size();
  args->device_attributes = nullptr;  // nothing to delete: the device owns the array
  args->attributes_deleter = [](PJRT_Device_Attributes*) {};
  return OkStatus();
}

// Returns a null event, which means that nothing is tracked. It must not fail.
Status DeviceCreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args* args) {
  args->event = nullptr;
  return OkStatus();
}

Status AsyncTrackingEventDestroy(PJRT_AsyncTrackingEvent_Destroy_Args* args) {
  if (args->event == nullptr) return OkStatus();
  return InvalidArgument("the tracking event was not made by this plugin");
}

}  // namespace tenon::pjrt::c_api
