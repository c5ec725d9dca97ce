// A PJRT plugin that does nothing. It has one device, and every program is f32[] -> f32[]
// with a result that is ready at once. It implements the whole function table, so a call
// measures the cost of the client and the C boundary, which bench.py subtracts from
// Tenon's scalar call.
//
// Every handle is a static object, and destroying it is a no-op.
#include <stddef.h>

#include "tenon/pjrt/abi/pjrt_c_api.h"

struct PJRT_Client {
  char unused;
};
struct PJRT_Device {
  char unused;
};
struct PJRT_DeviceDescription {
  char unused;
};
struct PJRT_TopologyDescription {
  char unused;
};
struct PJRT_Executable {
  char unused;
};
struct PJRT_LoadedExecutable {
  char unused;
};
struct PJRT_Buffer {
  float value;
};
struct PJRT_Event {
  char unused;
};

static PJRT_Client client;
static PJRT_Device device;
static PJRT_DeviceDescription description;
static PJRT_TopologyDescription topology;
static PJRT_Memory memory;
static PJRT_Executable executable;
static PJRT_LoadedExecutable loaded;
static PJRT_Buffer buffer = {42.0f};
static PJRT_Event event;
static PJRT_Device* const devices[] = {&device};
static PJRT_DeviceDescription* const descriptions[] = {&description};
static PJRT_Memory* const memories[] = {&memory};
static const char kName[] = "null";
static const char kKind[] = "device";
static const char* const kinds[] = {kKind};
static const size_t kind_sizes[] = {sizeof(kKind) - 1};

// The only error: the function is not implemented.
static const char kMessage[] = "null plugin: not done";
static void DestroyError(PJRT_Error* error) {}
static void Message(const PJRT_Error* error, const char** message, size_t* size) {
  *message = kMessage;
  *size = sizeof(kMessage) - 1;
}
static PJRT_Error_Code Code(const PJRT_Error* error) {
  return PJRT_Error_Code_UNIMPLEMENTED;
}
static void Payloads(const PJRT_Error* error, PJRT_Error_PayloadVisitor visit,
                     void* arg) {}
static const PJRT_Error_FunctionTable error_functions = {
    PJRT_Error_FunctionTable_STRUCT_SIZE,
    sizeof(PJRT_Error),
    NULL,
    DestroyError,
    Message,
    Code,
    Payloads};
static PJRT_Error not_done = {&error_functions};

static void Error_Destroy(PJRT_Error_Destroy_Args* args) {}
static void Error_Message(PJRT_Error_Message_Args* args) {
  Message(args->error, &args->message, &args->message_size);
}

#define HANDLER(name) static PJRT_Error* Do_##name(PJRT_##name##_Args* args)
// A handler that sets one output, or a pointer and a size.
#define GET(name, field, expression) \
  HANDLER(name) {                    \
    args->field = (expression);      \
    return NULL;                     \
  }
#define GET_TEXT(name, field, text)        \
  HANDLER(name) {                          \
    args->field = (text);                  \
    args->field##_size = sizeof(text) - 1; \
    return NULL;                           \
  }
#define GET_LIST(name, field, count, list, n) \
  HANDLER(name) {                             \
    args->field = (list);                     \
    args->count = (n);                        \
    return NULL;                              \
  }
#define NOTHING(name) \
  HANDLER(name) { return NULL; }
static PJRT_Error* NotDone(void* args) { return &not_done; }

GET(Error_GetCode, code, PJRT_Error_Code_UNIMPLEMENTED)
NOTHING(Error_ForEachPayload)
NOTHING(Plugin_Initialize)
GET_LIST(Plugin_Attributes, attributes, num_attributes, NULL, 0)
NOTHING(Event_Destroy)
GET(Event_IsReady, is_ready, true)
NOTHING(Event_Error)
NOTHING(Event_Await)
HANDLER(Event_OnReady) {
  args->callback(NULL, args->user_arg);
  return NULL;
}
GET(Client_Create, client, &client)
NOTHING(Client_Destroy)
GET_TEXT(Client_PlatformName, platform_name, kName)
GET(Client_ProcessIndex, process_index, 0)
GET_TEXT(Client_PlatformVersion, platform_version, kName)
GET(Client_TopologyDescription, topology, &topology)
GET_LIST(Client_Devices, devices, num_devices, devices, 1)
GET_LIST(Client_AddressableDevices, addressable_devices, num_addressable_devices, devices,
         1)
GET(Client_LookupDevice, device, &device)
GET(Client_LookupAddressableDevice, addressable_device, &device)
GET_LIST(Client_AddressableMemories, addressable_memories, num_addressable_memories,
         memories, 1)
GET(Client_Compile, executable, &loaded)
HANDLER(Client_DefaultDeviceAssignment) {
  for (size_t i = 0; i < args->default_assignment_size; ++i)
    args->default_assignment[i] = 0;
  return NULL;
}
HANDLER(Client_BufferFromHostBuffer) {
  args->buffer = &buffer;
  args->done_with_host_buffer = &event;
  return NULL;
}
GET(DeviceDescription_Id, id, 0)
GET(DeviceDescription_ProcessIndex, process_index, 0)
GET_LIST(DeviceDescription_Attributes, attributes, num_attributes, NULL, 0)
GET_TEXT(DeviceDescription_Kind, device_kind, kName)
GET_TEXT(DeviceDescription_DebugString, debug_string, kName)
GET_TEXT(DeviceDescription_ToString, to_string, kName)
GET(Device_GetDescription, device_description, &description)
GET(Device_IsAddressable, is_addressable, true)
GET(Device_LocalHardwareId, local_hardware_id, 0)
GET_LIST(Device_AddressableMemories, memories, num_memories, memories, 1)
GET(Device_DefaultMemory, memory, &memory)
static void DeleteNoAttributes(PJRT_Device_Attributes* attributes) {}
HANDLER(Device_GetAttributes) {
  args->attributes = NULL;
  args->num_attributes = 0;
  args->attributes_deleter = DeleteNoAttributes;
  return NULL;
}
GET(Memory_Id, id, 0)
GET(Memory_Kind_Id, kind_id, 0)
GET_TEXT(Memory_Kind, kind, kKind)
GET_TEXT(Memory_DebugString, debug_string, kKind)
GET_TEXT(Memory_ToString, to_string, kKind)
GET_LIST(Memory_AddressableByDevices, devices, num_devices, devices, 1)
NOTHING(Executable_Destroy)
GET_TEXT(Executable_Name, executable_name, kName)
GET(Executable_NumReplicas, num_replicas, 1)
GET(Executable_NumPartitions, num_partitions, 1)
GET(Executable_NumOutputs, num_outputs, 1)
GET(Executable_SizeOfGeneratedCodeInBytes, size_in_bytes, 0)
HANDLER(Executable_OutputMemoryKinds) {
  args->num_outputs = 1;
  args->memory_kinds = kinds;
  args->memory_kind_sizes = kind_sizes;
  return NULL;
}
static PJRT_Buffer_Type output_types[] = {PJRT_Buffer_Type_F32};
GET_LIST(Executable_OutputElementTypes, output_types, num_output_types, output_types, 1)
HANDLER(Executable_OutputDimensions) {
  static const size_t ranks[] = {0};
  static const int64_t dims[] = {0};
  args->num_outputs = 1;
  args->dims = dims;
  args->dim_sizes = ranks;
  return NULL;
}
GET_TEXT(Executable_Fingerprint, executable_fingerprint, kName)
NOTHING(LoadedExecutable_Destroy)
GET(LoadedExecutable_GetExecutable, executable, &executable)
GET_LIST(LoadedExecutable_AddressableDevices, addressable_devices,
         num_addressable_devices, devices, 1)
static PJRT_LogicalDeviceIds logical_ids[] = {{0, 0}};
GET_LIST(LoadedExecutable_AddressableDeviceLogicalIds, addressable_device_logical_ids,
         num_addressable_device_logical_ids, logical_ids, 1)
static void DeleteNothing(PJRT_DeviceAssignmentSerialized* assignment) {}
HANDLER(LoadedExecutable_GetDeviceAssignment) {
  // xla.DeviceAssignmentProto: one replica of one computation on device 0.
  static const char kAssignment[] = {8, 1, 16, 1, 26, 3, 10, 1, 0};
  args->serialized_bytes = kAssignment;
  args->serialized_bytes_size = sizeof(kAssignment);
  args->serialized_device_assignment_deleter = DeleteNothing;
  return NULL;
}
GET_TEXT(LoadedExecutable_Fingerprint, executable_fingerprint, kName)
NOTHING(LoadedExecutable_Delete)
GET(LoadedExecutable_IsDeleted, is_deleted, false)
HANDLER(LoadedExecutable_Execute) {
  args->output_lists[0][0] = &buffer;
  if (args->device_complete_events) args->device_complete_events[0] = &event;
  return NULL;
}
NOTHING(Buffer_Destroy)
GET(Buffer_ElementType, type, PJRT_Buffer_Type_F32)
GET_LIST(Buffer_Dimensions, dims, num_dims, NULL, 0)
GET_LIST(Buffer_UnpaddedDimensions, unpadded_dims, num_dims, NULL, 0)
GET_LIST(Buffer_DynamicDimensionIndices, dynamic_dim_indices, num_dynamic_dims, NULL, 0)
HANDLER(Buffer_GetMemoryLayout) {
  static const PJRT_Buffer_MemoryLayout layout = {
      .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  args->layout = layout;
  return NULL;
}
GET(Buffer_OnDeviceSizeInBytes, on_device_size_in_bytes, sizeof(float))
GET(Buffer_Device, device, &device)
GET(Buffer_Memory, memory, &memory)
NOTHING(Buffer_Delete)
GET(Buffer_IsDeleted, is_deleted, false)
HANDLER(Buffer_ToHostBuffer) {
  if (args->dst) *(float*)args->dst = args->src->value;
  args->dst_size = sizeof(float);
  args->event = &event;
  return NULL;
}
GET(Buffer_IsOnCpu, is_on_cpu, true)
GET(Buffer_ReadyEvent, event, &event)
GET(Buffer_UnsafePointer, buffer_pointer, (uintptr_t)&buffer.value)
NOTHING(Buffer_IncreaseExternalReferenceCount)
NOTHING(Buffer_DecreaseExternalReferenceCount)
GET(Buffer_OpaqueDeviceMemoryDataPointer, device_memory_ptr, &buffer.value)
NOTHING(TopologyDescription_Destroy)
GET_TEXT(TopologyDescription_PlatformName, platform_name, kName)
GET_TEXT(TopologyDescription_PlatformVersion, platform_version, kName)
GET_LIST(TopologyDescription_GetDeviceDescriptions, descriptions, num_descriptions,
         descriptions, 1)
GET_LIST(TopologyDescription_Attributes, attributes, num_attributes, NULL, 0)
GET(TopologyDescription_Fingerprint, fingerprint, 0)

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void) {
  static PJRT_Api api;
  if (api.struct_size) return &api;
  PJRT_Error* (**slot)(void*) = (void*)&api.PJRT_Error_GetCode;
  while ((void*)slot < (void*)(&api + 1)) *slot++ = NotDone;
  api.PJRT_Error_Destroy = Error_Destroy;
  api.PJRT_Error_Message = Error_Message;
#define SET(name) api.PJRT_##name = Do_##name
  SET(Error_GetCode), SET(Error_ForEachPayload), SET(Plugin_Initialize),
      SET(Plugin_Attributes), SET(Event_Destroy);
  SET(Event_IsReady), SET(Event_Error), SET(Event_Await), SET(Event_OnReady);
  SET(Client_Create), SET(Client_Destroy), SET(Client_PlatformName);
  SET(Client_ProcessIndex), SET(Client_PlatformVersion), SET(Client_TopologyDescription);
  SET(Client_Devices), SET(Client_AddressableDevices), SET(Client_LookupDevice);
  SET(Client_LookupAddressableDevice), SET(Client_AddressableMemories),
      SET(Client_Compile);
  SET(Client_DefaultDeviceAssignment), SET(Client_BufferFromHostBuffer);
  SET(DeviceDescription_Id), SET(DeviceDescription_ProcessIndex);
  SET(DeviceDescription_Attributes), SET(DeviceDescription_Kind);
  SET(DeviceDescription_DebugString), SET(DeviceDescription_ToString);
  SET(Device_GetDescription), SET(Device_IsAddressable), SET(Device_LocalHardwareId);
  SET(Device_AddressableMemories), SET(Device_DefaultMemory), SET(Device_GetAttributes);
  SET(Memory_Id), SET(Memory_Kind_Id), SET(Memory_Kind), SET(Memory_DebugString);
  SET(Memory_ToString), SET(Memory_AddressableByDevices), SET(Executable_Destroy);
  SET(Executable_Name), SET(Executable_NumReplicas), SET(Executable_NumPartitions);
  SET(Executable_NumOutputs), SET(Executable_SizeOfGeneratedCodeInBytes);
  SET(Executable_OutputMemoryKinds), SET(Executable_OutputElementTypes);
  SET(Executable_OutputDimensions), SET(Executable_Fingerprint);
  SET(LoadedExecutable_Destroy), SET(LoadedExecutable_GetExecutable);
  SET(LoadedExecutable_AddressableDevices), SET(LoadedExecutable_GetDeviceAssignment);
  SET(LoadedExecutable_AddressableDeviceLogicalIds), SET(LoadedExecutable_Fingerprint);
  SET(LoadedExecutable_Delete), SET(LoadedExecutable_IsDeleted);
  SET(LoadedExecutable_Execute), SET(Buffer_Destroy), SET(Buffer_ElementType);
  SET(Buffer_Dimensions), SET(Buffer_UnpaddedDimensions);
  SET(Buffer_DynamicDimensionIndices), SET(Buffer_GetMemoryLayout);
  SET(Buffer_OnDeviceSizeInBytes), SET(Buffer_Device), SET(Buffer_Memory);
  SET(Buffer_Delete), SET(Buffer_IsDeleted), SET(Buffer_ToHostBuffer),
      SET(Buffer_IsOnCpu);
  SET(Buffer_ReadyEvent), SET(Buffer_UnsafePointer);
  SET(Buffer_IncreaseExternalReferenceCount), SET(Buffer_DecreaseExternalReferenceCount);
  SET(Buffer_OpaqueDeviceMemoryDataPointer), SET(TopologyDescription_Destroy);
  SET(TopologyDescription_PlatformName), SET(TopologyDescription_PlatformVersion);
  SET(TopologyDescription_GetDeviceDescriptions), SET(TopologyDescription_Attributes);
  SET(TopologyDescription_Fingerprint);
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  return &api;
}
