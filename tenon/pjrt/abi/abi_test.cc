// Asserts every offset and size of the core structs and of the function table. The
// numbers were measured on the official header (x86-64 Linux).
#include "tenon/pjrt/abi/pjrt_c_api.h"

#include <gtest/gtest.h>

#include "tenon/pjrt/abi/layout_assertions.h"

namespace {

SIZE(PJRT_Extension_Base, 24, 24);
FIELD(PJRT_Extension_Base, struct_size, 0, 8);
FIELD(PJRT_Extension_Base, type, 8, 4);
FIELD(PJRT_Extension_Base, next, 16, 8);

SIZE(PJRT_Api_Version, 24, 24);
FIELD(PJRT_Api_Version, struct_size, 0, 8);
FIELD(PJRT_Api_Version, extension_start, 8, 8);
FIELD(PJRT_Api_Version, major_version, 16, 4);
FIELD(PJRT_Api_Version, minor_version, 20, 4);

SIZE(PJRT_Error_Destroy_Args, 24, 24);
FIELD(PJRT_Error_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Error_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_Error_Destroy_Args, error, 16, 8);

SIZE(PJRT_Error_Message_Args, 40, 40);
FIELD(PJRT_Error_Message_Args, struct_size, 0, 8);
FIELD(PJRT_Error_Message_Args, extension_start, 8, 8);
FIELD(PJRT_Error_Message_Args, error, 16, 8);
FIELD(PJRT_Error_Message_Args, message, 24, 8);
FIELD(PJRT_Error_Message_Args, message_size, 32, 8);

SIZE(PJRT_Error_FunctionTable, 56, 56);
FIELD(PJRT_Error_FunctionTable, struct_size, 0, 8);
FIELD(PJRT_Error_FunctionTable, instance_size, 8, 8);
FIELD(PJRT_Error_FunctionTable, extension_start, 16, 8);
FIELD(PJRT_Error_FunctionTable, destroy, 24, 8);
FIELD(PJRT_Error_FunctionTable, message, 32, 8);
FIELD(PJRT_Error_FunctionTable, get_code, 40, 8);
FIELD(PJRT_Error_FunctionTable, for_each_payload, 48, 8);

SIZE(PJRT_Error, 8, 8);
FIELD(PJRT_Error, vtable, 0, 8);

SIZE(PJRT_Error_GetCode_Args, 32, 28);
FIELD(PJRT_Error_GetCode_Args, struct_size, 0, 8);
FIELD(PJRT_Error_GetCode_Args, extension_start, 8, 8);
FIELD(PJRT_Error_GetCode_Args, error, 16, 8);
FIELD(PJRT_Error_GetCode_Args, code, 24, 4);

SIZE(PJRT_Error_ForEachPayload_Args, 40, 40);
FIELD(PJRT_Error_ForEachPayload_Args, struct_size, 0, 8);
FIELD(PJRT_Error_ForEachPayload_Args, extension_start, 8, 8);
FIELD(PJRT_Error_ForEachPayload_Args, error, 16, 8);
FIELD(PJRT_Error_ForEachPayload_Args, visitor, 24, 8);
FIELD(PJRT_Error_ForEachPayload_Args, user_arg, 32, 8);

SIZE(PJRT_NamedValue, 56, 56);
FIELD(PJRT_NamedValue, struct_size, 0, 8);
FIELD(PJRT_NamedValue, extension_start, 8, 8);
FIELD(PJRT_NamedValue, name, 16, 8);
FIELD(PJRT_NamedValue, name_size, 24, 8);
FIELD(PJRT_NamedValue, type, 32, 4);
FIELD(PJRT_NamedValue, string_value, 40, 8);
FIELD(PJRT_NamedValue, int64_value, 40, 8);
FIELD(PJRT_NamedValue, int64_array_value, 40, 8);
FIELD(PJRT_NamedValue, float_value, 40, 4);
FIELD(PJRT_NamedValue, bool_value, 40, 1);
FIELD(PJRT_NamedValue, value_size, 48, 8);

SIZE(PJRT_Plugin_Initialize_Args, 16, 16);
FIELD(PJRT_Plugin_Initialize_Args, struct_size, 0, 8);
FIELD(PJRT_Plugin_Initialize_Args, extension_start, 8, 8);

SIZE(PJRT_Plugin_Attributes_Args, 32, 32);
FIELD(PJRT_Plugin_Attributes_Args, struct_size, 0, 8);
FIELD(PJRT_Plugin_Attributes_Args, extension_start, 8, 8);
FIELD(PJRT_Plugin_Attributes_Args, attributes, 16, 8);
FIELD(PJRT_Plugin_Attributes_Args, num_attributes, 24, 8);

SIZE(PJRT_Event_Destroy_Args, 24, 24);
FIELD(PJRT_Event_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Event_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_Event_Destroy_Args, event, 16, 8);

SIZE(PJRT_Event_IsReady_Args, 32, 25);
FIELD(PJRT_Event_IsReady_Args, struct_size, 0, 8);
FIELD(PJRT_Event_IsReady_Args, extension_start, 8, 8);
FIELD(PJRT_Event_IsReady_Args, event, 16, 8);
FIELD(PJRT_Event_IsReady_Args, is_ready, 24, 1);

SIZE(PJRT_Event_Error_Args, 24, 24);
FIELD(PJRT_Event_Error_Args, struct_size, 0, 8);
FIELD(PJRT_Event_Error_Args, extension_start, 8, 8);
FIELD(PJRT_Event_Error_Args, event, 16, 8);

SIZE(PJRT_Event_Await_Args, 24, 24);
FIELD(PJRT_Event_Await_Args, struct_size, 0, 8);
FIELD(PJRT_Event_Await_Args, extension_start, 8, 8);
FIELD(PJRT_Event_Await_Args, event, 16, 8);

SIZE(PJRT_Event_OnReady_Args, 40, 40);
FIELD(PJRT_Event_OnReady_Args, struct_size, 0, 8);
FIELD(PJRT_Event_OnReady_Args, extension_start, 8, 8);
FIELD(PJRT_Event_OnReady_Args, event, 16, 8);
FIELD(PJRT_Event_OnReady_Args, callback, 24, 8);
FIELD(PJRT_Event_OnReady_Args, user_arg, 32, 8);

SIZE(PJRT_Event_Create_Args, 24, 24);
FIELD(PJRT_Event_Create_Args, struct_size, 0, 8);
FIELD(PJRT_Event_Create_Args, extension_start, 8, 8);
FIELD(PJRT_Event_Create_Args, event, 16, 8);

SIZE(PJRT_Event_Set_Args, 48, 48);
FIELD(PJRT_Event_Set_Args, struct_size, 0, 8);
FIELD(PJRT_Event_Set_Args, extension_start, 8, 8);
FIELD(PJRT_Event_Set_Args, event, 16, 8);
FIELD(PJRT_Event_Set_Args, error_code, 24, 4);
FIELD(PJRT_Event_Set_Args, error_message, 32, 8);
FIELD(PJRT_Event_Set_Args, error_message_size, 40, 8);

SIZE(PJRT_Memory_FunctionTable, 40, 40);
FIELD(PJRT_Memory_FunctionTable, struct_size, 0, 8);
FIELD(PJRT_Memory_FunctionTable, extension_start, 8, 8);
FIELD(PJRT_Memory_FunctionTable, instance_struct_size, 16, 8);
FIELD(PJRT_Memory_FunctionTable, get_user_data, 24, 8);
FIELD(PJRT_Memory_FunctionTable, set_user_data, 32, 8);

SIZE(PJRT_Memory, 8, 8);
FIELD(PJRT_Memory, vtable, 0, 8);

SIZE(PJRT_KeyValueGetCallback_Args, 80, 80);
FIELD(PJRT_KeyValueGetCallback_Args, struct_size, 0, 8);
FIELD(PJRT_KeyValueGetCallback_Args, extension_start, 8, 8);
FIELD(PJRT_KeyValueGetCallback_Args, key, 16, 8);
FIELD(PJRT_KeyValueGetCallback_Args, key_size, 24, 8);
FIELD(PJRT_KeyValueGetCallback_Args, timeout_in_ms, 32, 4);
FIELD(PJRT_KeyValueGetCallback_Args, callback_error, 40, 8);
FIELD(PJRT_KeyValueGetCallback_Args, user_arg, 48, 8);
FIELD(PJRT_KeyValueGetCallback_Args, value, 56, 8);
FIELD(PJRT_KeyValueGetCallback_Args, value_size, 64, 8);
FIELD(PJRT_KeyValueGetCallback_Args, value_deleter_callback, 72, 8);

SIZE(PJRT_KeyValueTryGetCallback_Args, 72, 72);
FIELD(PJRT_KeyValueTryGetCallback_Args, struct_size, 0, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, extension_start, 8, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, key, 16, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, key_size, 24, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, callback_error, 32, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, user_arg, 40, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, value, 48, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, value_size, 56, 8);
FIELD(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback, 64, 8);

SIZE(PJRT_KeyValuePutCallback_Args, 64, 64);
FIELD(PJRT_KeyValuePutCallback_Args, struct_size, 0, 8);
FIELD(PJRT_KeyValuePutCallback_Args, extension_start, 8, 8);
FIELD(PJRT_KeyValuePutCallback_Args, key, 16, 8);
FIELD(PJRT_KeyValuePutCallback_Args, key_size, 24, 8);
FIELD(PJRT_KeyValuePutCallback_Args, value, 32, 8);
FIELD(PJRT_KeyValuePutCallback_Args, value_size, 40, 8);
FIELD(PJRT_KeyValuePutCallback_Args, callback_error, 48, 8);
FIELD(PJRT_KeyValuePutCallback_Args, user_arg, 56, 8);

SIZE(PJRT_Client_Create_Args, 88, 88);
FIELD(PJRT_Client_Create_Args, struct_size, 0, 8);
FIELD(PJRT_Client_Create_Args, extension_start, 8, 8);
FIELD(PJRT_Client_Create_Args, create_options, 16, 8);
FIELD(PJRT_Client_Create_Args, num_options, 24, 8);
FIELD(PJRT_Client_Create_Args, kv_get_callback, 32, 8);
FIELD(PJRT_Client_Create_Args, kv_get_user_arg, 40, 8);
FIELD(PJRT_Client_Create_Args, kv_put_callback, 48, 8);
FIELD(PJRT_Client_Create_Args, kv_put_user_arg, 56, 8);
FIELD(PJRT_Client_Create_Args, client, 64, 8);
FIELD(PJRT_Client_Create_Args, kv_try_get_callback, 72, 8);
FIELD(PJRT_Client_Create_Args, kv_try_get_user_arg, 80, 8);

SIZE(PJRT_Client_Destroy_Args, 24, 24);
FIELD(PJRT_Client_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Client_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_Client_Destroy_Args, client, 16, 8);

SIZE(PJRT_Client_PlatformName_Args, 40, 40);
FIELD(PJRT_Client_PlatformName_Args, struct_size, 0, 8);
FIELD(PJRT_Client_PlatformName_Args, extension_start, 8, 8);
FIELD(PJRT_Client_PlatformName_Args, client, 16, 8);
FIELD(PJRT_Client_PlatformName_Args, platform_name, 24, 8);
FIELD(PJRT_Client_PlatformName_Args, platform_name_size, 32, 8);

SIZE(PJRT_Client_ProcessIndex_Args, 32, 28);
FIELD(PJRT_Client_ProcessIndex_Args, struct_size, 0, 8);
FIELD(PJRT_Client_ProcessIndex_Args, extension_start, 8, 8);
FIELD(PJRT_Client_ProcessIndex_Args, client, 16, 8);
FIELD(PJRT_Client_ProcessIndex_Args, process_index, 24, 4);

SIZE(PJRT_Client_PlatformVersion_Args, 40, 40);
FIELD(PJRT_Client_PlatformVersion_Args, struct_size, 0, 8);
FIELD(PJRT_Client_PlatformVersion_Args, extension_start, 8, 8);
FIELD(PJRT_Client_PlatformVersion_Args, client, 16, 8);
FIELD(PJRT_Client_PlatformVersion_Args, platform_version, 24, 8);
FIELD(PJRT_Client_PlatformVersion_Args, platform_version_size, 32, 8);

SIZE(PJRT_Client_TopologyDescription_Args, 32, 32);
FIELD(PJRT_Client_TopologyDescription_Args, struct_size, 0, 8);
FIELD(PJRT_Client_TopologyDescription_Args, extension_start, 8, 8);
FIELD(PJRT_Client_TopologyDescription_Args, client, 16, 8);
FIELD(PJRT_Client_TopologyDescription_Args, topology, 24, 8);

SIZE(PJRT_Client_Devices_Args, 40, 40);
FIELD(PJRT_Client_Devices_Args, struct_size, 0, 8);
FIELD(PJRT_Client_Devices_Args, extension_start, 8, 8);
FIELD(PJRT_Client_Devices_Args, client, 16, 8);
FIELD(PJRT_Client_Devices_Args, devices, 24, 8);
FIELD(PJRT_Client_Devices_Args, num_devices, 32, 8);

SIZE(PJRT_Client_AddressableDevices_Args, 40, 40);
FIELD(PJRT_Client_AddressableDevices_Args, struct_size, 0, 8);
FIELD(PJRT_Client_AddressableDevices_Args, extension_start, 8, 8);
FIELD(PJRT_Client_AddressableDevices_Args, client, 16, 8);
FIELD(PJRT_Client_AddressableDevices_Args, addressable_devices, 24, 8);
FIELD(PJRT_Client_AddressableDevices_Args, num_addressable_devices, 32, 8);

SIZE(PJRT_Client_LookupDevice_Args, 40, 40);
FIELD(PJRT_Client_LookupDevice_Args, struct_size, 0, 8);
FIELD(PJRT_Client_LookupDevice_Args, extension_start, 8, 8);
FIELD(PJRT_Client_LookupDevice_Args, client, 16, 8);
FIELD(PJRT_Client_LookupDevice_Args, id, 24, 4);
FIELD(PJRT_Client_LookupDevice_Args, device, 32, 8);

SIZE(PJRT_Client_LookupAddressableDevice_Args, 40, 40);
FIELD(PJRT_Client_LookupAddressableDevice_Args, struct_size, 0, 8);
FIELD(PJRT_Client_LookupAddressableDevice_Args, extension_start, 8, 8);
FIELD(PJRT_Client_LookupAddressableDevice_Args, client, 16, 8);
FIELD(PJRT_Client_LookupAddressableDevice_Args, local_hardware_id, 24, 4);
FIELD(PJRT_Client_LookupAddressableDevice_Args, addressable_device, 32, 8);

SIZE(PJRT_ProcessInfo, 48, 48);
FIELD(PJRT_ProcessInfo, struct_size, 0, 8);
FIELD(PJRT_ProcessInfo, task_id, 8, 4);
FIELD(PJRT_ProcessInfo, incarnation_id, 16, 8);
FIELD(PJRT_ProcessInfo, state, 24, 4);
FIELD(PJRT_ProcessInfo, error_code, 28, 4);
FIELD(PJRT_ProcessInfo, error_message, 32, 8);
FIELD(PJRT_ProcessInfo, error_message_size, 40, 8);

SIZE(PJRT_Client_UpdateGlobalProcessInfo_Args, 40, 40);
FIELD(PJRT_Client_UpdateGlobalProcessInfo_Args, struct_size, 0, 8);
FIELD(PJRT_Client_UpdateGlobalProcessInfo_Args, extension_start, 8, 8);
FIELD(PJRT_Client_UpdateGlobalProcessInfo_Args, client, 16, 8);
FIELD(PJRT_Client_UpdateGlobalProcessInfo_Args, process_infos, 24, 8);
FIELD(PJRT_Client_UpdateGlobalProcessInfo_Args, num_process_infos, 32, 8);

SIZE(PJRT_Client_AddressableMemories_Args, 40, 40);
FIELD(PJRT_Client_AddressableMemories_Args, struct_size, 0, 8);
FIELD(PJRT_Client_AddressableMemories_Args, extension_start, 8, 8);
FIELD(PJRT_Client_AddressableMemories_Args, client, 16, 8);
FIELD(PJRT_Client_AddressableMemories_Args, addressable_memories, 24, 8);
FIELD(PJRT_Client_AddressableMemories_Args, num_addressable_memories, 32, 8);

SIZE(PJRT_Program, 48, 48);
FIELD(PJRT_Program, struct_size, 0, 8);
FIELD(PJRT_Program, extension_start, 8, 8);
FIELD(PJRT_Program, code, 16, 8);
FIELD(PJRT_Program, code_size, 24, 8);
FIELD(PJRT_Program, format, 32, 8);
FIELD(PJRT_Program, format_size, 40, 8);

SIZE(PJRT_Client_Compile_Args, 56, 56);
FIELD(PJRT_Client_Compile_Args, struct_size, 0, 8);
FIELD(PJRT_Client_Compile_Args, extension_start, 8, 8);
FIELD(PJRT_Client_Compile_Args, client, 16, 8);
FIELD(PJRT_Client_Compile_Args, program, 24, 8);
FIELD(PJRT_Client_Compile_Args, compile_options, 32, 8);
FIELD(PJRT_Client_Compile_Args, compile_options_size, 40, 8);
FIELD(PJRT_Client_Compile_Args, executable, 48, 8);

SIZE(PJRT_Client_Load_Args, 56, 56);
FIELD(PJRT_Client_Load_Args, struct_size, 0, 8);
FIELD(PJRT_Client_Load_Args, extension_start, 8, 8);
FIELD(PJRT_Client_Load_Args, client, 16, 8);
FIELD(PJRT_Client_Load_Args, executable, 24, 8);
FIELD(PJRT_Client_Load_Args, compile_options, 32, 8);
FIELD(PJRT_Client_Load_Args, compile_options_size, 40, 8);
FIELD(PJRT_Client_Load_Args, loaded_executable, 48, 8);

SIZE(PJRT_Client_DefaultDeviceAssignment_Args, 48, 48);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, struct_size, 0, 8);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, extension_start, 8, 8);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, client, 16, 8);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, num_replicas, 24, 4);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, num_partitions, 28, 4);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment_size, 32, 8);
FIELD(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment, 40, 8);

SIZE(PJRT_Client_DmaMap_Args, 40, 40);
FIELD(PJRT_Client_DmaMap_Args, struct_size, 0, 8);
FIELD(PJRT_Client_DmaMap_Args, extension_start, 8, 8);
FIELD(PJRT_Client_DmaMap_Args, client, 16, 8);
FIELD(PJRT_Client_DmaMap_Args, data, 24, 8);
FIELD(PJRT_Client_DmaMap_Args, size, 32, 8);

SIZE(PJRT_Client_DmaUnmap_Args, 32, 32);
FIELD(PJRT_Client_DmaUnmap_Args, struct_size, 0, 8);
FIELD(PJRT_Client_DmaUnmap_Args, extension_start, 8, 8);
FIELD(PJRT_Client_DmaUnmap_Args, client, 16, 8);
FIELD(PJRT_Client_DmaUnmap_Args, data, 24, 8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, 24, 24);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager, 16, 8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, 72, 72);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, buffer_index, 24, 4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, data, 32, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, offset, 40, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, transfer_size, 48, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, is_last_transfer, 56, 1);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, done_with_h2d_transfer, 64,
      8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, 40, 40);
FIELD(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_index, 24, 4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out, 32, 8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_Device_Args, 32, 32);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Device_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Device_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Device_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_Device_Args, device_out, 24, 8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, 32, 32);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count, 24, 8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, 40, 40);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_index, 24, 4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size, 32, 8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, 48, 48);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, buffer_index, 24, 4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_code, 28, 4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message, 32, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message_size, 40,
      8);

SIZE(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, 40, 40);
FIELD(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, transfer_manager, 16, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, transfer_metadata, 24, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata, 32, 8);

SIZE(PJRT_Buffer_MemoryLayout_Tiled, 56, 56);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, struct_size, 0, 8);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, extension_start, 8, 8);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, minor_to_major, 16, 8);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, minor_to_major_size, 24, 8);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, tile_dims, 32, 8);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, tile_dim_sizes, 40, 8);
FIELD(PJRT_Buffer_MemoryLayout_Tiled, num_tiles, 48, 8);

SIZE(PJRT_Buffer_MemoryLayout_Strides, 32, 32);
FIELD(PJRT_Buffer_MemoryLayout_Strides, struct_size, 0, 8);
FIELD(PJRT_Buffer_MemoryLayout_Strides, extension_start, 8, 8);
FIELD(PJRT_Buffer_MemoryLayout_Strides, byte_strides, 16, 8);
FIELD(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides, 24, 8);

SIZE(PJRT_Buffer_MemoryLayout, 80, 76);
FIELD(PJRT_Buffer_MemoryLayout, struct_size, 0, 8);
FIELD(PJRT_Buffer_MemoryLayout, extension_start, 8, 8);
FIELD(PJRT_Buffer_MemoryLayout, tiled, 16, 56);
FIELD(PJRT_Buffer_MemoryLayout, strides, 16, 32);
FIELD(PJRT_Buffer_MemoryLayout, type, 72, 4);

SIZE(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, 80, 80);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, transfer_manager, 16,
      8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, buffer_index, 24, 4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, data, 32, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_dims, 40, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_num_dims, 48, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_element_type, 56,
      4);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, shape_layout, 64, 8);
FIELD(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, done_with_h2d_transfer,
      72, 8);

SIZE(PJRT_Client_CreateUninitializedBuffer_Args, 80, 80);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, client, 16, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, shape_dims, 24, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, shape_num_dims, 32, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, shape_element_type, 40, 4);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, shape_layout, 48, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, device, 56, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, memory, 64, 8);
FIELD(PJRT_Client_CreateUninitializedBuffer_Args, buffer, 72, 8);

SIZE(PJRT_Client_CreateErrorBuffer_Args, 112, 112);
FIELD(PJRT_Client_CreateErrorBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, client, 16, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, error_code, 24, 4);
FIELD(PJRT_Client_CreateErrorBuffer_Args, error_message, 32, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, error_message_size, 40, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, shape_dims, 48, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, shape_num_dims, 56, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, shape_element_type, 64, 4);
FIELD(PJRT_Client_CreateErrorBuffer_Args, shape_layout, 72, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, memory, 80, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, buffer, 88, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, payload, 96, 8);
FIELD(PJRT_Client_CreateErrorBuffer_Args, num_payload, 104, 8);

SIZE(PJRT_Client_CreateAliasBuffer_Args, 80, 80);
FIELD(PJRT_Client_CreateAliasBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, client, 16, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, memory, 24, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, shape_dims, 32, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, shape_num_dims, 40, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, shape_element_type, 48, 4);
FIELD(PJRT_Client_CreateAliasBuffer_Args, shape_layout, 56, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, alias_buffer, 64, 8);
FIELD(PJRT_Client_CreateAliasBuffer_Args, fulfill_alias_buffer_cb, 72, 8);

SIZE(PJRT_Client_FulfillAliasBuffer_Args, 64, 64);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, client, 16, 8);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, buffer, 24, 8);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, status_code, 32, 4);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, error_message, 40, 8);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, error_message_size, 48, 8);
FIELD(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb, 56, 8);

SIZE(PJRT_Client_BufferFromHostBuffer_Args, 120, 120);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, client, 16, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, data, 24, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, type, 32, 4);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, dims, 40, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, num_dims, 48, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, byte_strides, 56, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides, 64, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics, 72, 4);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, device, 80, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, memory, 88, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, device_layout, 96, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer, 104, 8);
FIELD(PJRT_Client_BufferFromHostBuffer_Args, buffer, 112, 8);

SIZE(PJRT_Client_CreateViewOfDeviceBuffer_Args, 112, 112);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, client, 16, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, device_buffer_ptr, 24, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, dims, 32, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, num_dims, 40, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, element_type, 48, 4);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, layout, 56, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, device, 64, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, on_delete_callback, 72, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, on_delete_callback_arg, 80, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, stream, 88, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, buffer, 96, 8);
FIELD(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory, 104, 8);

SIZE(PJRT_ShapeSpec, 40, 36);
FIELD(PJRT_ShapeSpec, struct_size, 0, 8);
FIELD(PJRT_ShapeSpec, extension_start, 8, 8);
FIELD(PJRT_ShapeSpec, dims, 16, 8);
FIELD(PJRT_ShapeSpec, num_dims, 24, 8);
FIELD(PJRT_ShapeSpec, element_type, 32, 4);

SIZE(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, 72, 72);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, struct_size, 0, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, extension_start, 8, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, client, 16, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, shape_specs, 24, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, num_shape_specs, 32, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, device_layouts, 40, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, num_device_layouts, 48, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, memory, 56, 8);
FIELD(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager, 64, 8);

SIZE(PJRT_DeviceDescription_Id_Args, 32, 28);
FIELD(PJRT_DeviceDescription_Id_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_Id_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_Id_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_Id_Args, id, 24, 4);

SIZE(PJRT_DeviceDescription_ProcessIndex_Args, 32, 28);
FIELD(PJRT_DeviceDescription_ProcessIndex_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_ProcessIndex_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_ProcessIndex_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_ProcessIndex_Args, process_index, 24, 4);

SIZE(PJRT_DeviceDescription_Attributes_Args, 40, 40);
FIELD(PJRT_DeviceDescription_Attributes_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_Attributes_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_Attributes_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_Attributes_Args, num_attributes, 24, 8);
FIELD(PJRT_DeviceDescription_Attributes_Args, attributes, 32, 8);

SIZE(PJRT_DeviceDescription_Kind_Args, 40, 40);
FIELD(PJRT_DeviceDescription_Kind_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_Kind_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_Kind_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_Kind_Args, device_kind, 24, 8);
FIELD(PJRT_DeviceDescription_Kind_Args, device_kind_size, 32, 8);

SIZE(PJRT_DeviceDescription_DebugString_Args, 40, 40);
FIELD(PJRT_DeviceDescription_DebugString_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_DebugString_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_DebugString_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_DebugString_Args, debug_string, 24, 8);
FIELD(PJRT_DeviceDescription_DebugString_Args, debug_string_size, 32, 8);

SIZE(PJRT_DeviceDescription_ToString_Args, 40, 40);
FIELD(PJRT_DeviceDescription_ToString_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_ToString_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_ToString_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_ToString_Args, to_string, 24, 8);
FIELD(PJRT_DeviceDescription_ToString_Args, to_string_size, 32, 8);

SIZE(PJRT_Device_GetDescription_Args, 32, 32);
FIELD(PJRT_Device_GetDescription_Args, struct_size, 0, 8);
FIELD(PJRT_Device_GetDescription_Args, extension_start, 8, 8);
FIELD(PJRT_Device_GetDescription_Args, device, 16, 8);
FIELD(PJRT_Device_GetDescription_Args, device_description, 24, 8);

SIZE(PJRT_Device_IsAddressable_Args, 32, 25);
FIELD(PJRT_Device_IsAddressable_Args, struct_size, 0, 8);
FIELD(PJRT_Device_IsAddressable_Args, extension_start, 8, 8);
FIELD(PJRT_Device_IsAddressable_Args, device, 16, 8);
FIELD(PJRT_Device_IsAddressable_Args, is_addressable, 24, 1);

SIZE(PJRT_Device_LocalHardwareId_Args, 32, 28);
FIELD(PJRT_Device_LocalHardwareId_Args, struct_size, 0, 8);
FIELD(PJRT_Device_LocalHardwareId_Args, extension_start, 8, 8);
FIELD(PJRT_Device_LocalHardwareId_Args, device, 16, 8);
FIELD(PJRT_Device_LocalHardwareId_Args, local_hardware_id, 24, 4);

SIZE(PJRT_Device_AddressableMemories_Args, 40, 40);
FIELD(PJRT_Device_AddressableMemories_Args, struct_size, 0, 8);
FIELD(PJRT_Device_AddressableMemories_Args, extension_start, 8, 8);
FIELD(PJRT_Device_AddressableMemories_Args, device, 16, 8);
FIELD(PJRT_Device_AddressableMemories_Args, memories, 24, 8);
FIELD(PJRT_Device_AddressableMemories_Args, num_memories, 32, 8);

SIZE(PJRT_Device_DefaultMemory_Args, 32, 32);
FIELD(PJRT_Device_DefaultMemory_Args, struct_size, 0, 8);
FIELD(PJRT_Device_DefaultMemory_Args, extension_start, 8, 8);
FIELD(PJRT_Device_DefaultMemory_Args, device, 16, 8);
FIELD(PJRT_Device_DefaultMemory_Args, memory, 24, 8);

SIZE(PJRT_Device_MemoryStats_Args, 192, 185);
FIELD(PJRT_Device_MemoryStats_Args, struct_size, 0, 8);
FIELD(PJRT_Device_MemoryStats_Args, extension_start, 8, 8);
FIELD(PJRT_Device_MemoryStats_Args, device, 16, 8);
FIELD(PJRT_Device_MemoryStats_Args, bytes_in_use, 24, 8);
FIELD(PJRT_Device_MemoryStats_Args, peak_bytes_in_use, 32, 8);
FIELD(PJRT_Device_MemoryStats_Args, peak_bytes_in_use_is_set, 40, 1);
FIELD(PJRT_Device_MemoryStats_Args, num_allocs, 48, 8);
FIELD(PJRT_Device_MemoryStats_Args, num_allocs_is_set, 56, 1);
FIELD(PJRT_Device_MemoryStats_Args, largest_alloc_size, 64, 8);
FIELD(PJRT_Device_MemoryStats_Args, largest_alloc_size_is_set, 72, 1);
FIELD(PJRT_Device_MemoryStats_Args, bytes_limit, 80, 8);
FIELD(PJRT_Device_MemoryStats_Args, bytes_limit_is_set, 88, 1);
FIELD(PJRT_Device_MemoryStats_Args, bytes_reserved, 96, 8);
FIELD(PJRT_Device_MemoryStats_Args, bytes_reserved_is_set, 104, 1);
FIELD(PJRT_Device_MemoryStats_Args, peak_bytes_reserved, 112, 8);
FIELD(PJRT_Device_MemoryStats_Args, peak_bytes_reserved_is_set, 120, 1);
FIELD(PJRT_Device_MemoryStats_Args, bytes_reservable_limit, 128, 8);
FIELD(PJRT_Device_MemoryStats_Args, bytes_reservable_limit_is_set, 136, 1);
FIELD(PJRT_Device_MemoryStats_Args, largest_free_block_bytes, 144, 8);
FIELD(PJRT_Device_MemoryStats_Args, largest_free_block_bytes_is_set, 152, 1);
FIELD(PJRT_Device_MemoryStats_Args, pool_bytes, 160, 8);
FIELD(PJRT_Device_MemoryStats_Args, pool_bytes_is_set, 168, 1);
FIELD(PJRT_Device_MemoryStats_Args, peak_pool_bytes, 176, 8);
FIELD(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set, 184, 1);

SIZE(PJRT_Device_ClearMemoryStats_Args, 24, 24);
FIELD(PJRT_Device_ClearMemoryStats_Args, struct_size, 0, 8);
FIELD(PJRT_Device_ClearMemoryStats_Args, extension_start, 8, 8);
FIELD(PJRT_Device_ClearMemoryStats_Args, device, 16, 8);

SIZE(PJRT_Device_PoisonExecution_Args, 72, 72);
FIELD(PJRT_Device_PoisonExecution_Args, struct_size, 0, 8);
FIELD(PJRT_Device_PoisonExecution_Args, extension_start, 8, 8);
FIELD(PJRT_Device_PoisonExecution_Args, device, 16, 8);
FIELD(PJRT_Device_PoisonExecution_Args, launch_id, 24, 4);
FIELD(PJRT_Device_PoisonExecution_Args, error_code, 28, 4);
FIELD(PJRT_Device_PoisonExecution_Args, error_message, 32, 8);
FIELD(PJRT_Device_PoisonExecution_Args, error_message_size, 40, 8);
FIELD(PJRT_Device_PoisonExecution_Args, poisoned, 48, 1);
FIELD(PJRT_Device_PoisonExecution_Args, payload, 56, 8);
FIELD(PJRT_Device_PoisonExecution_Args, num_payload, 64, 8);

SIZE(PJRT_Device_GetAttributes_Args, 56, 56);
FIELD(PJRT_Device_GetAttributes_Args, struct_size, 0, 8);
FIELD(PJRT_Device_GetAttributes_Args, extension_start, 8, 8);
FIELD(PJRT_Device_GetAttributes_Args, device, 16, 8);
FIELD(PJRT_Device_GetAttributes_Args, attributes, 24, 8);
FIELD(PJRT_Device_GetAttributes_Args, num_attributes, 32, 8);
FIELD(PJRT_Device_GetAttributes_Args, device_attributes, 40, 8);
FIELD(PJRT_Device_GetAttributes_Args, attributes_deleter, 48, 8);

SIZE(PJRT_Device_CreateAsyncTrackingEvent_Args, 48, 48);
FIELD(PJRT_Device_CreateAsyncTrackingEvent_Args, struct_size, 0, 8);
FIELD(PJRT_Device_CreateAsyncTrackingEvent_Args, extension_start, 8, 8);
FIELD(PJRT_Device_CreateAsyncTrackingEvent_Args, device, 16, 8);
FIELD(PJRT_Device_CreateAsyncTrackingEvent_Args, description, 24, 8);
FIELD(PJRT_Device_CreateAsyncTrackingEvent_Args, description_size, 32, 8);
FIELD(PJRT_Device_CreateAsyncTrackingEvent_Args, event, 40, 8);

SIZE(PJRT_AsyncTrackingEvent_Destroy_Args, 24, 24);
FIELD(PJRT_AsyncTrackingEvent_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_AsyncTrackingEvent_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_AsyncTrackingEvent_Destroy_Args, event, 16, 8);

SIZE(PJRT_Memory_Id_Args, 32, 28);
FIELD(PJRT_Memory_Id_Args, struct_size, 0, 8);
FIELD(PJRT_Memory_Id_Args, extension_start, 8, 8);
FIELD(PJRT_Memory_Id_Args, memory, 16, 8);
FIELD(PJRT_Memory_Id_Args, id, 24, 4);

SIZE(PJRT_Memory_Kind_Args, 40, 40);
FIELD(PJRT_Memory_Kind_Args, struct_size, 0, 8);
FIELD(PJRT_Memory_Kind_Args, extension_start, 8, 8);
FIELD(PJRT_Memory_Kind_Args, memory, 16, 8);
FIELD(PJRT_Memory_Kind_Args, kind, 24, 8);
FIELD(PJRT_Memory_Kind_Args, kind_size, 32, 8);

SIZE(PJRT_Memory_Kind_Id_Args, 32, 28);
FIELD(PJRT_Memory_Kind_Id_Args, struct_size, 0, 8);
FIELD(PJRT_Memory_Kind_Id_Args, extension_start, 8, 8);
FIELD(PJRT_Memory_Kind_Id_Args, memory, 16, 8);
FIELD(PJRT_Memory_Kind_Id_Args, kind_id, 24, 4);

SIZE(PJRT_Memory_DebugString_Args, 40, 40);
FIELD(PJRT_Memory_DebugString_Args, struct_size, 0, 8);
FIELD(PJRT_Memory_DebugString_Args, extension_start, 8, 8);
FIELD(PJRT_Memory_DebugString_Args, memory, 16, 8);
FIELD(PJRT_Memory_DebugString_Args, debug_string, 24, 8);
FIELD(PJRT_Memory_DebugString_Args, debug_string_size, 32, 8);

SIZE(PJRT_Memory_ToString_Args, 40, 40);
FIELD(PJRT_Memory_ToString_Args, struct_size, 0, 8);
FIELD(PJRT_Memory_ToString_Args, extension_start, 8, 8);
FIELD(PJRT_Memory_ToString_Args, memory, 16, 8);
FIELD(PJRT_Memory_ToString_Args, to_string, 24, 8);
FIELD(PJRT_Memory_ToString_Args, to_string_size, 32, 8);

SIZE(PJRT_Memory_AddressableByDevices_Args, 40, 40);
FIELD(PJRT_Memory_AddressableByDevices_Args, struct_size, 0, 8);
FIELD(PJRT_Memory_AddressableByDevices_Args, extension_start, 8, 8);
FIELD(PJRT_Memory_AddressableByDevices_Args, memory, 16, 8);
FIELD(PJRT_Memory_AddressableByDevices_Args, devices, 24, 8);
FIELD(PJRT_Memory_AddressableByDevices_Args, num_devices, 32, 8);

SIZE(PJRT_ExecuteContext_Create_Args, 24, 24);
FIELD(PJRT_ExecuteContext_Create_Args, struct_size, 0, 8);
FIELD(PJRT_ExecuteContext_Create_Args, extension_start, 8, 8);
FIELD(PJRT_ExecuteContext_Create_Args, context, 16, 8);

SIZE(PJRT_ExecuteContext_Destroy_Args, 24, 24);
FIELD(PJRT_ExecuteContext_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_ExecuteContext_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_ExecuteContext_Destroy_Args, context, 16, 8);

SIZE(PJRT_Executable_Destroy_Args, 24, 24);
FIELD(PJRT_Executable_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_Destroy_Args, executable, 16, 8);

SIZE(PJRT_LoadedExecutable_Destroy_Args, 24, 24);
FIELD(PJRT_LoadedExecutable_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_Destroy_Args, executable, 16, 8);

SIZE(PJRT_LoadedExecutable_GetExecutable_Args, 32, 32);
FIELD(PJRT_LoadedExecutable_GetExecutable_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_GetExecutable_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_GetExecutable_Args, loaded_executable, 16, 8);
FIELD(PJRT_LoadedExecutable_GetExecutable_Args, executable, 24, 8);

SIZE(PJRT_LoadedExecutable_GetDeviceAssignment_Args, 56, 56);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args, executable, 16, 8);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_bytes, 24, 8);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_bytes_size, 32, 8);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment, 40,
      8);
FIELD(PJRT_LoadedExecutable_GetDeviceAssignment_Args,
      serialized_device_assignment_deleter, 48, 8);

SIZE(PJRT_Executable_Name_Args, 40, 40);
FIELD(PJRT_Executable_Name_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_Name_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_Name_Args, executable, 16, 8);
FIELD(PJRT_Executable_Name_Args, executable_name, 24, 8);
FIELD(PJRT_Executable_Name_Args, executable_name_size, 32, 8);

SIZE(PJRT_Executable_NumReplicas_Args, 32, 32);
FIELD(PJRT_Executable_NumReplicas_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_NumReplicas_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_NumReplicas_Args, executable, 16, 8);
FIELD(PJRT_Executable_NumReplicas_Args, num_replicas, 24, 8);

SIZE(PJRT_Executable_NumPartitions_Args, 32, 32);
FIELD(PJRT_Executable_NumPartitions_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_NumPartitions_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_NumPartitions_Args, executable, 16, 8);
FIELD(PJRT_Executable_NumPartitions_Args, num_partitions, 24, 8);

SIZE_ONLY(PJRT_LogicalDeviceIds, 8);
FIELD(PJRT_LogicalDeviceIds, replica, 0, 4);
FIELD(PJRT_LogicalDeviceIds, partition, 4, 4);

SIZE(PJRT_LoadedExecutable_AddressableDevices_Args, 40, 40);
FIELD(PJRT_LoadedExecutable_AddressableDevices_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_AddressableDevices_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_AddressableDevices_Args, executable, 16, 8);
FIELD(PJRT_LoadedExecutable_AddressableDevices_Args, addressable_devices, 24, 8);
FIELD(PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices, 32, 8);

SIZE(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, 40, 40);
FIELD(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, executable, 16, 8);
FIELD(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args,
      addressable_device_logical_ids, 24, 8);
FIELD(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args,
      num_addressable_device_logical_ids, 32, 8);

SIZE(PJRT_Executable_OptimizedProgram_Args, 32, 32);
FIELD(PJRT_Executable_OptimizedProgram_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_OptimizedProgram_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_OptimizedProgram_Args, executable, 16, 8);
FIELD(PJRT_Executable_OptimizedProgram_Args, program, 24, 8);

SIZE(PJRT_LoadedExecutable_Delete_Args, 24, 24);
FIELD(PJRT_LoadedExecutable_Delete_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_Delete_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_Delete_Args, executable, 16, 8);

SIZE(PJRT_LoadedExecutable_IsDeleted_Args, 32, 25);
FIELD(PJRT_LoadedExecutable_IsDeleted_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_IsDeleted_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_IsDeleted_Args, executable, 16, 8);
FIELD(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted, 24, 1);

SIZE_ONLY(PJRT_Chunk, 32);
FIELD(PJRT_Chunk, data, 0, 8);
FIELD(PJRT_Chunk, size, 8, 8);
FIELD(PJRT_Chunk, deleter, 16, 8);
FIELD(PJRT_Chunk, deleter_arg, 24, 8);

SIZE(PJRT_SendCallbackInfo, 24, 24);
FIELD(PJRT_SendCallbackInfo, channel_id, 0, 8);
FIELD(PJRT_SendCallbackInfo, user_arg, 8, 8);
FIELD(PJRT_SendCallbackInfo, send_callback, 16, 8);

SIZE(PJRT_RecvCallbackInfo, 24, 24);
FIELD(PJRT_RecvCallbackInfo, channel_id, 0, 8);
FIELD(PJRT_RecvCallbackInfo, user_arg, 8, 8);
FIELD(PJRT_RecvCallbackInfo, recv_callback, 16, 8);

SIZE(PJRT_HloOutputCallbackInfo, 32, 32);
FIELD(PJRT_HloOutputCallbackInfo, user_arg, 0, 8);
FIELD(PJRT_HloOutputCallbackInfo, callback, 8, 8);
FIELD(PJRT_HloOutputCallbackInfo, callback_id, 16, 8);
FIELD(PJRT_HloOutputCallbackInfo, num_operands, 24, 8);

SIZE(PJRT_ExecuteOptions, 144, 144);
FIELD(PJRT_ExecuteOptions, struct_size, 0, 8);
FIELD(PJRT_ExecuteOptions, extension_start, 8, 8);
FIELD(PJRT_ExecuteOptions, send_callbacks, 16, 8);
FIELD(PJRT_ExecuteOptions, recv_callbacks, 24, 8);
FIELD(PJRT_ExecuteOptions, num_send_ops, 32, 8);
FIELD(PJRT_ExecuteOptions, num_recv_ops, 40, 8);
FIELD(PJRT_ExecuteOptions, launch_id, 48, 4);
FIELD(PJRT_ExecuteOptions, non_donatable_input_indices, 56, 8);
FIELD(PJRT_ExecuteOptions, num_non_donatable_input_indices, 64, 8);
FIELD(PJRT_ExecuteOptions, context, 72, 8);
FIELD(PJRT_ExecuteOptions, call_location, 80, 8);
FIELD(PJRT_ExecuteOptions, num_tasks, 88, 8);
FIELD(PJRT_ExecuteOptions, task_ids, 96, 8);
FIELD(PJRT_ExecuteOptions, incarnation_ids, 104, 8);
FIELD(PJRT_ExecuteOptions, multi_slice_config, 112, 8);
FIELD(PJRT_ExecuteOptions, use_major_to_minor_data_layout_for_callbacks, 120, 1);
FIELD(PJRT_ExecuteOptions, hlo_output_callbacks, 128, 8);
FIELD(PJRT_ExecuteOptions, num_hlo_output_callbacks, 136, 8);

SIZE(PJRT_LoadedExecutable_Execute_Args, 80, 80);
FIELD(PJRT_LoadedExecutable_Execute_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, executable, 16, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, options, 24, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, argument_lists, 32, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, num_devices, 40, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, num_args, 48, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, output_lists, 56, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, device_complete_events, 64, 8);
FIELD(PJRT_LoadedExecutable_Execute_Args, execute_device, 72, 8);

SIZE(PJRT_Executable_NumOutputs_Args, 32, 32);
FIELD(PJRT_Executable_NumOutputs_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_NumOutputs_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_NumOutputs_Args, executable, 16, 8);
FIELD(PJRT_Executable_NumOutputs_Args, num_outputs, 24, 8);

SIZE(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, 32, 32);
FIELD(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, executable, 16, 8);
FIELD(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes, 24, 8);

SIZE(PJRT_Executable_Fingerprint_Args, 40, 40);
FIELD(PJRT_Executable_Fingerprint_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_Fingerprint_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_Fingerprint_Args, executable, 16, 8);
FIELD(PJRT_Executable_Fingerprint_Args, executable_fingerprint, 24, 8);
FIELD(PJRT_Executable_Fingerprint_Args, executable_fingerprint_size, 32, 8);

SIZE(PJRT_Executable_GetCostAnalysis_Args, 40, 40);
FIELD(PJRT_Executable_GetCostAnalysis_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_GetCostAnalysis_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_GetCostAnalysis_Args, executable, 16, 8);
FIELD(PJRT_Executable_GetCostAnalysis_Args, num_properties, 24, 8);
FIELD(PJRT_Executable_GetCostAnalysis_Args, properties, 32, 8);

SIZE(PJRT_Executable_GetCompiledMemoryStats_Args, 144, 144);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, executable, 16, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, generated_code_size_in_bytes, 24, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, argument_size_in_bytes, 32, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, output_size_in_bytes, 40, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, alias_size_in_bytes, 48, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, temp_size_in_bytes, 56, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, host_generated_code_size_in_bytes, 64,
      8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, host_argument_size_in_bytes, 72, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, host_output_size_in_bytes, 80, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, host_alias_size_in_bytes, 88, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, host_temp_size_in_bytes, 96, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes, 104, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, total_size_in_bytes, 112, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, total_allocation_bytes, 120, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, indefinite_allocations, 128, 8);
FIELD(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes, 136, 8);

SIZE(PJRT_Executable_OutputElementTypes_Args, 40, 40);
FIELD(PJRT_Executable_OutputElementTypes_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_OutputElementTypes_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_OutputElementTypes_Args, executable, 16, 8);
FIELD(PJRT_Executable_OutputElementTypes_Args, output_types, 24, 8);
FIELD(PJRT_Executable_OutputElementTypes_Args, num_output_types, 32, 8);

SIZE(PJRT_Executable_OutputDimensions_Args, 48, 48);
FIELD(PJRT_Executable_OutputDimensions_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_OutputDimensions_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_OutputDimensions_Args, executable, 16, 8);
FIELD(PJRT_Executable_OutputDimensions_Args, num_outputs, 24, 8);
FIELD(PJRT_Executable_OutputDimensions_Args, dims, 32, 8);
FIELD(PJRT_Executable_OutputDimensions_Args, dim_sizes, 40, 8);

SIZE(PJRT_Executable_ParameterMemoryKinds_Args, 48, 48);
FIELD(PJRT_Executable_ParameterMemoryKinds_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_ParameterMemoryKinds_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_ParameterMemoryKinds_Args, executable, 16, 8);
FIELD(PJRT_Executable_ParameterMemoryKinds_Args, num_parameters, 24, 8);
FIELD(PJRT_Executable_ParameterMemoryKinds_Args, memory_kinds, 32, 8);
FIELD(PJRT_Executable_ParameterMemoryKinds_Args, memory_kind_sizes, 40, 8);

SIZE(PJRT_Executable_OutputMemoryKinds_Args, 48, 48);
FIELD(PJRT_Executable_OutputMemoryKinds_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_OutputMemoryKinds_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_OutputMemoryKinds_Args, executable, 16, 8);
FIELD(PJRT_Executable_OutputMemoryKinds_Args, num_outputs, 24, 8);
FIELD(PJRT_Executable_OutputMemoryKinds_Args, memory_kinds, 32, 8);
FIELD(PJRT_Executable_OutputMemoryKinds_Args, memory_kind_sizes, 40, 8);

SIZE(PJRT_Executable_Serialize_Args, 56, 56);
FIELD(PJRT_Executable_Serialize_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_Serialize_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_Serialize_Args, executable, 16, 8);
FIELD(PJRT_Executable_Serialize_Args, serialized_bytes, 24, 8);
FIELD(PJRT_Executable_Serialize_Args, serialized_bytes_size, 32, 8);
FIELD(PJRT_Executable_Serialize_Args, serialized_executable, 40, 8);
FIELD(PJRT_Executable_Serialize_Args, serialized_executable_deleter, 48, 8);

SIZE(PJRT_Executable_GetCompileOptions_Args, 56, 56);
FIELD(PJRT_Executable_GetCompileOptions_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_GetCompileOptions_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_GetCompileOptions_Args, executable, 16, 8);
FIELD(PJRT_Executable_GetCompileOptions_Args, serialized_bytes, 24, 8);
FIELD(PJRT_Executable_GetCompileOptions_Args, serialized_bytes_size, 32, 8);
FIELD(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options, 40, 8);
FIELD(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options_deleter, 48, 8);

SIZE(PJRT_LoadOptions, 32, 32);
FIELD(PJRT_LoadOptions, struct_size, 0, 8);
FIELD(PJRT_LoadOptions, computation_origin, 8, 8);
FIELD(PJRT_LoadOptions, computation_origin_size, 16, 8);
FIELD(PJRT_LoadOptions, multi_slice_config, 24, 8);

SIZE(PJRT_Executable_DeserializeAndLoad_Args, 72, 72);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, extension_start, 8, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, client, 16, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, serialized_executable, 24, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, serialized_executable_size, 32, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, loaded_executable, 40, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options, 48,
      8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options_size,
      56, 8);
FIELD(PJRT_Executable_DeserializeAndLoad_Args, load_options, 64, 8);

SIZE(PJRT_LoadedExecutable_Fingerprint_Args, 40, 40);
FIELD(PJRT_LoadedExecutable_Fingerprint_Args, struct_size, 0, 8);
FIELD(PJRT_LoadedExecutable_Fingerprint_Args, extension_start, 8, 8);
FIELD(PJRT_LoadedExecutable_Fingerprint_Args, executable, 16, 8);
FIELD(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint, 24, 8);
FIELD(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size, 32, 8);

SIZE(PJRT_Buffer_Destroy_Args, 24, 24);
FIELD(PJRT_Buffer_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_Destroy_Args, buffer, 16, 8);

SIZE(PJRT_Buffer_ElementType_Args, 32, 28);
FIELD(PJRT_Buffer_ElementType_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_ElementType_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_ElementType_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_ElementType_Args, type, 24, 4);

SIZE(PJRT_Buffer_Dimensions_Args, 40, 40);
FIELD(PJRT_Buffer_Dimensions_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_Dimensions_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_Dimensions_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_Dimensions_Args, dims, 24, 8);
FIELD(PJRT_Buffer_Dimensions_Args, num_dims, 32, 8);

SIZE(PJRT_Buffer_UnpaddedDimensions_Args, 40, 40);
FIELD(PJRT_Buffer_UnpaddedDimensions_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_UnpaddedDimensions_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_UnpaddedDimensions_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_UnpaddedDimensions_Args, unpadded_dims, 24, 8);
FIELD(PJRT_Buffer_UnpaddedDimensions_Args, num_dims, 32, 8);

SIZE(PJRT_Buffer_DynamicDimensionIndices_Args, 40, 40);
FIELD(PJRT_Buffer_DynamicDimensionIndices_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_DynamicDimensionIndices_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_DynamicDimensionIndices_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_DynamicDimensionIndices_Args, dynamic_dim_indices, 24, 8);
FIELD(PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims, 32, 8);

SIZE(PJRT_Buffer_GetMemoryLayout_Args, 104, 104);
FIELD(PJRT_Buffer_GetMemoryLayout_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_GetMemoryLayout_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_GetMemoryLayout_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_GetMemoryLayout_Args, layout, 24, 80);

SIZE(PJRT_Buffer_ToHostBuffer_Args, 56, 56);
FIELD(PJRT_Buffer_ToHostBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_ToHostBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_ToHostBuffer_Args, src, 16, 8);
FIELD(PJRT_Buffer_ToHostBuffer_Args, host_layout, 24, 8);
FIELD(PJRT_Buffer_ToHostBuffer_Args, dst, 32, 8);
FIELD(PJRT_Buffer_ToHostBuffer_Args, dst_size, 40, 8);
FIELD(PJRT_Buffer_ToHostBuffer_Args, event, 48, 8);

SIZE(PJRT_Buffer_OnDeviceSizeInBytes_Args, 32, 32);
FIELD(PJRT_Buffer_OnDeviceSizeInBytes_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_OnDeviceSizeInBytes_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_OnDeviceSizeInBytes_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes, 24, 8);

SIZE(PJRT_Buffer_Delete_Args, 24, 24);
FIELD(PJRT_Buffer_Delete_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_Delete_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_Delete_Args, buffer, 16, 8);

SIZE(PJRT_Buffer_IsDeleted_Args, 32, 25);
FIELD(PJRT_Buffer_IsDeleted_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_IsDeleted_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_IsDeleted_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_IsDeleted_Args, is_deleted, 24, 1);

SIZE(PJRT_Buffer_CopyRawToHost_Args, 56, 56);
FIELD(PJRT_Buffer_CopyRawToHost_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_CopyRawToHost_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_CopyRawToHost_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_CopyRawToHost_Args, dst, 24, 8);
FIELD(PJRT_Buffer_CopyRawToHost_Args, offset, 32, 8);
FIELD(PJRT_Buffer_CopyRawToHost_Args, transfer_size, 40, 8);
FIELD(PJRT_Buffer_CopyRawToHost_Args, event, 48, 8);

SIZE(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, 48, 48);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, callback_data, 8, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, error_code, 16, 4);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, error_message, 24, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, error_message_size, 32, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst, 40, 8);

SIZE(PJRT_Buffer_CopyRawToHostFuture_Args, 64, 64);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, offset, 24, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, transfer_size, 32, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, event, 40, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, callback_data, 48, 8);
FIELD(PJRT_Buffer_CopyRawToHostFuture_Args, future_ready_callback, 56, 8);

SIZE(PJRT_Buffer_CopyToDevice_Args, 40, 40);
FIELD(PJRT_Buffer_CopyToDevice_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_CopyToDevice_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_CopyToDevice_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_CopyToDevice_Args, dst_device, 24, 8);
FIELD(PJRT_Buffer_CopyToDevice_Args, dst_buffer, 32, 8);

SIZE(PJRT_Buffer_CopyToMemory_Args, 40, 40);
FIELD(PJRT_Buffer_CopyToMemory_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_CopyToMemory_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_CopyToMemory_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_CopyToMemory_Args, dst_memory, 24, 8);
FIELD(PJRT_Buffer_CopyToMemory_Args, dst_buffer, 32, 8);

SIZE(PJRT_Buffer_Bitcast_Args, 64, 64);
FIELD(PJRT_Buffer_Bitcast_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_Bitcast_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_Bitcast_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_Bitcast_Args, element_type, 24, 4);
FIELD(PJRT_Buffer_Bitcast_Args, dims, 32, 8);
FIELD(PJRT_Buffer_Bitcast_Args, num_dims, 40, 8);
FIELD(PJRT_Buffer_Bitcast_Args, device_layout, 48, 8);
FIELD(PJRT_Buffer_Bitcast_Args, out_buffer, 56, 8);

SIZE(PJRT_Buffer_IsOnCpu_Args, 32, 25);
FIELD(PJRT_Buffer_IsOnCpu_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_IsOnCpu_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_IsOnCpu_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_IsOnCpu_Args, is_on_cpu, 24, 1);

SIZE(PJRT_Buffer_Device_Args, 32, 32);
FIELD(PJRT_Buffer_Device_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_Device_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_Device_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_Device_Args, device, 24, 8);

SIZE(PJRT_Buffer_Memory_Args, 32, 32);
FIELD(PJRT_Buffer_Memory_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_Memory_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_Memory_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_Memory_Args, memory, 24, 8);

SIZE(PJRT_Buffer_ReadyEvent_Args, 32, 32);
FIELD(PJRT_Buffer_ReadyEvent_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_ReadyEvent_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_ReadyEvent_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_ReadyEvent_Args, event, 24, 8);

SIZE(PJRT_Buffer_UnsafePointer_Args, 32, 32);
FIELD(PJRT_Buffer_UnsafePointer_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_UnsafePointer_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_UnsafePointer_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_UnsafePointer_Args, buffer_pointer, 24, 8);

SIZE(PJRT_Buffer_IncreaseExternalReferenceCount_Args, 24, 24);
FIELD(PJRT_Buffer_IncreaseExternalReferenceCount_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_IncreaseExternalReferenceCount_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer, 16, 8);

SIZE(PJRT_Buffer_DecreaseExternalReferenceCount_Args, 24, 24);
FIELD(PJRT_Buffer_DecreaseExternalReferenceCount_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_DecreaseExternalReferenceCount_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer, 16, 8);

SIZE(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, 32, 32);
FIELD(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, device_memory_ptr, 24, 8);

SIZE(PJRT_Buffer_DonateWithControlDependency_Callback_Args, 40, 40);
FIELD(PJRT_Buffer_DonateWithControlDependency_Callback_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Callback_Args, callback_data, 8, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_code, 16, 4);
FIELD(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message, 24, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size, 32, 8);

SIZE(PJRT_Buffer_DonateWithControlDependency_Args, 48, 48);
FIELD(PJRT_Buffer_DonateWithControlDependency_Args, struct_size, 0, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Args, extension_start, 8, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Args, buffer, 16, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Args, callback_data, 24, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Args, dependency_ready_callback, 32, 8);
FIELD(PJRT_Buffer_DonateWithControlDependency_Args, out_buffer, 40, 8);

SIZE(PJRT_CopyToDeviceStream_Destroy_Args, 24, 24);
FIELD(PJRT_CopyToDeviceStream_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_CopyToDeviceStream_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_CopyToDeviceStream_Destroy_Args, stream, 16, 8);

SIZE(PJRT_CopyToDeviceStream_AddChunk_Args, 40, 40);
FIELD(PJRT_CopyToDeviceStream_AddChunk_Args, struct_size, 0, 8);
FIELD(PJRT_CopyToDeviceStream_AddChunk_Args, extension_start, 8, 8);
FIELD(PJRT_CopyToDeviceStream_AddChunk_Args, stream, 16, 8);
FIELD(PJRT_CopyToDeviceStream_AddChunk_Args, chunk, 24, 8);
FIELD(PJRT_CopyToDeviceStream_AddChunk_Args, transfer_complete, 32, 8);

SIZE(PJRT_CopyToDeviceStream_TotalBytes_Args, 32, 32);
FIELD(PJRT_CopyToDeviceStream_TotalBytes_Args, struct_size, 0, 8);
FIELD(PJRT_CopyToDeviceStream_TotalBytes_Args, extension_start, 8, 8);
FIELD(PJRT_CopyToDeviceStream_TotalBytes_Args, stream, 16, 8);
FIELD(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes, 24, 8);

SIZE(PJRT_CopyToDeviceStream_GranuleSize_Args, 32, 32);
FIELD(PJRT_CopyToDeviceStream_GranuleSize_Args, struct_size, 0, 8);
FIELD(PJRT_CopyToDeviceStream_GranuleSize_Args, extension_start, 8, 8);
FIELD(PJRT_CopyToDeviceStream_GranuleSize_Args, stream, 16, 8);
FIELD(PJRT_CopyToDeviceStream_GranuleSize_Args, granule_size_in_bytes, 24, 8);

SIZE(PJRT_CopyToDeviceStream_CurrentBytes_Args, 32, 32);
FIELD(PJRT_CopyToDeviceStream_CurrentBytes_Args, struct_size, 0, 8);
FIELD(PJRT_CopyToDeviceStream_CurrentBytes_Args, extension_start, 8, 8);
FIELD(PJRT_CopyToDeviceStream_CurrentBytes_Args, stream, 16, 8);
FIELD(PJRT_CopyToDeviceStream_CurrentBytes_Args, current_bytes, 24, 8);

SIZE(PJRT_TopologyDescription_Create_Args, 56, 56);
FIELD(PJRT_TopologyDescription_Create_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_Create_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_Create_Args, topology_name, 16, 8);
FIELD(PJRT_TopologyDescription_Create_Args, topology_name_size, 24, 8);
FIELD(PJRT_TopologyDescription_Create_Args, create_options, 32, 8);
FIELD(PJRT_TopologyDescription_Create_Args, num_options, 40, 8);
FIELD(PJRT_TopologyDescription_Create_Args, topology, 48, 8);

SIZE(PJRT_TopologyDescription_Destroy_Args, 24, 24);
FIELD(PJRT_TopologyDescription_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_Destroy_Args, topology, 16, 8);

SIZE(PJRT_TopologyDescription_PlatformVersion_Args, 40, 40);
FIELD(PJRT_TopologyDescription_PlatformVersion_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_PlatformVersion_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_PlatformVersion_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_PlatformVersion_Args, platform_version, 24, 8);
FIELD(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size, 32, 8);

SIZE(PJRT_TopologyDescription_PlatformName_Args, 40, 40);
FIELD(PJRT_TopologyDescription_PlatformName_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_PlatformName_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_PlatformName_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_PlatformName_Args, platform_name, 24, 8);
FIELD(PJRT_TopologyDescription_PlatformName_Args, platform_name_size, 32, 8);

SIZE(PJRT_TopologyDescription_GetDeviceDescriptions_Args, 40, 40);
FIELD(PJRT_TopologyDescription_GetDeviceDescriptions_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_GetDeviceDescriptions_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_GetDeviceDescriptions_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_GetDeviceDescriptions_Args, descriptions, 24, 8);
FIELD(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions, 32, 8);

SIZE(PJRT_TopologyDescription_Serialize_Args, 56, 56);
FIELD(PJRT_TopologyDescription_Serialize_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_Serialize_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_Serialize_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_Serialize_Args, serialized_bytes, 24, 8);
FIELD(PJRT_TopologyDescription_Serialize_Args, serialized_bytes_size, 32, 8);
FIELD(PJRT_TopologyDescription_Serialize_Args, serialized_topology, 40, 8);
FIELD(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter, 48, 8);

SIZE(PJRT_TopologyDescription_Deserialize_Args, 40, 40);
FIELD(PJRT_TopologyDescription_Deserialize_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_Deserialize_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_Deserialize_Args, serialized_topology, 16, 8);
FIELD(PJRT_TopologyDescription_Deserialize_Args, serialized_topology_size, 24, 8);
FIELD(PJRT_TopologyDescription_Deserialize_Args, topology, 32, 8);

SIZE(PJRT_TopologyDescription_Attributes_Args, 40, 40);
FIELD(PJRT_TopologyDescription_Attributes_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_Attributes_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_Attributes_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_Attributes_Args, attributes, 24, 8);
FIELD(PJRT_TopologyDescription_Attributes_Args, num_attributes, 32, 8);

SIZE(PJRT_TopologyDescription_Fingerprint_Args, 32, 32);
FIELD(PJRT_TopologyDescription_Fingerprint_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_Fingerprint_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_Fingerprint_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_Fingerprint_Args, fingerprint, 24, 8);

SIZE(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, 88, 88);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, extension_start, 8,
      8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args,
      memory_space_kind_id, 24, 4);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, dims, 32, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, num_dims, 40, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, element_type, 48,
      4);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, layout, 56, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape,
      64, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args,
      serialized_shape_size, 72, 8);
FIELD(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args,
      serialized_shape_deleter, 80, 8);

SIZE(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, 40, 40);
FIELD(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, struct_size, 0, 8);
FIELD(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, extension_start, 8, 8);
FIELD(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, topology, 16, 8);
FIELD(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, memory_space_kind_ids, 24, 8);
FIELD(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, num_memory_space_kind_ids, 32,
      8);

SIZE(PJRT_Compile_Args, 64, 64);
FIELD(PJRT_Compile_Args, struct_size, 0, 8);
FIELD(PJRT_Compile_Args, extension_start, 8, 8);
FIELD(PJRT_Compile_Args, topology, 16, 8);
FIELD(PJRT_Compile_Args, program, 24, 8);
FIELD(PJRT_Compile_Args, compile_options, 32, 8);
FIELD(PJRT_Compile_Args, compile_options_size, 40, 8);
FIELD(PJRT_Compile_Args, client, 48, 8);
FIELD(PJRT_Compile_Args, executable, 56, 8);

static_assert(sizeof(PJRT_Api) == 1144 && PJRT_Api_STRUCT_SIZE == 1144);
static_assert(offsetof(PJRT_Api, PJRT_Error_Destroy) == 40);
static_assert(offsetof(PJRT_Api, PJRT_Error_Message) == 48);
static_assert(offsetof(PJRT_Api, PJRT_Error_GetCode) == 56);
static_assert(offsetof(PJRT_Api, PJRT_Plugin_Initialize) == 64);
static_assert(offsetof(PJRT_Api, PJRT_Plugin_Attributes) == 72);
static_assert(offsetof(PJRT_Api, PJRT_Event_Destroy) == 80);
static_assert(offsetof(PJRT_Api, PJRT_Event_IsReady) == 88);
static_assert(offsetof(PJRT_Api, PJRT_Event_Error) == 96);
static_assert(offsetof(PJRT_Api, PJRT_Event_Await) == 104);
static_assert(offsetof(PJRT_Api, PJRT_Event_OnReady) == 112);
static_assert(offsetof(PJRT_Api, PJRT_Client_Create) == 120);
static_assert(offsetof(PJRT_Api, PJRT_Client_Destroy) == 128);
static_assert(offsetof(PJRT_Api, PJRT_Client_PlatformName) == 136);
static_assert(offsetof(PJRT_Api, PJRT_Client_ProcessIndex) == 144);
static_assert(offsetof(PJRT_Api, PJRT_Client_PlatformVersion) == 152);
static_assert(offsetof(PJRT_Api, PJRT_Client_Devices) == 160);
static_assert(offsetof(PJRT_Api, PJRT_Client_AddressableDevices) == 168);
static_assert(offsetof(PJRT_Api, PJRT_Client_LookupDevice) == 176);
static_assert(offsetof(PJRT_Api, PJRT_Client_LookupAddressableDevice) == 184);
static_assert(offsetof(PJRT_Api, PJRT_Client_AddressableMemories) == 192);
static_assert(offsetof(PJRT_Api, PJRT_Client_Compile) == 200);
static_assert(offsetof(PJRT_Api, PJRT_Client_DefaultDeviceAssignment) == 208);
static_assert(offsetof(PJRT_Api, PJRT_Client_BufferFromHostBuffer) == 216);
static_assert(offsetof(PJRT_Api, PJRT_DeviceDescription_Id) == 224);
static_assert(offsetof(PJRT_Api, PJRT_DeviceDescription_ProcessIndex) == 232);
static_assert(offsetof(PJRT_Api, PJRT_DeviceDescription_Attributes) == 240);
static_assert(offsetof(PJRT_Api, PJRT_DeviceDescription_Kind) == 248);
static_assert(offsetof(PJRT_Api, PJRT_DeviceDescription_DebugString) == 256);
static_assert(offsetof(PJRT_Api, PJRT_DeviceDescription_ToString) == 264);
static_assert(offsetof(PJRT_Api, PJRT_Device_GetDescription) == 272);
static_assert(offsetof(PJRT_Api, PJRT_Device_IsAddressable) == 280);
static_assert(offsetof(PJRT_Api, PJRT_Device_LocalHardwareId) == 288);
static_assert(offsetof(PJRT_Api, PJRT_Device_AddressableMemories) == 296);
static_assert(offsetof(PJRT_Api, PJRT_Device_DefaultMemory) == 304);
static_assert(offsetof(PJRT_Api, PJRT_Device_MemoryStats) == 312);
static_assert(offsetof(PJRT_Api, PJRT_Memory_Id) == 320);
static_assert(offsetof(PJRT_Api, PJRT_Memory_Kind) == 328);
static_assert(offsetof(PJRT_Api, PJRT_Memory_DebugString) == 336);
static_assert(offsetof(PJRT_Api, PJRT_Memory_ToString) == 344);
static_assert(offsetof(PJRT_Api, PJRT_Memory_AddressableByDevices) == 352);
static_assert(offsetof(PJRT_Api, PJRT_Executable_Destroy) == 360);
static_assert(offsetof(PJRT_Api, PJRT_Executable_Name) == 368);
static_assert(offsetof(PJRT_Api, PJRT_Executable_NumReplicas) == 376);
static_assert(offsetof(PJRT_Api, PJRT_Executable_NumPartitions) == 384);
static_assert(offsetof(PJRT_Api, PJRT_Executable_NumOutputs) == 392);
static_assert(offsetof(PJRT_Api, PJRT_Executable_SizeOfGeneratedCodeInBytes) == 400);
static_assert(offsetof(PJRT_Api, PJRT_Executable_GetCostAnalysis) == 408);
static_assert(offsetof(PJRT_Api, PJRT_Executable_OutputMemoryKinds) == 416);
static_assert(offsetof(PJRT_Api, PJRT_Executable_OptimizedProgram) == 424);
static_assert(offsetof(PJRT_Api, PJRT_Executable_Serialize) == 432);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_Destroy) == 440);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_GetExecutable) == 448);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_AddressableDevices) == 456);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_Delete) == 464);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_IsDeleted) == 472);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_Execute) == 480);
static_assert(offsetof(PJRT_Api, PJRT_Executable_DeserializeAndLoad) == 488);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_Fingerprint) == 496);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_Destroy) == 504);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_ElementType) == 512);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_Dimensions) == 520);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_UnpaddedDimensions) == 528);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_DynamicDimensionIndices) == 536);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_GetMemoryLayout) == 544);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_OnDeviceSizeInBytes) == 552);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_Device) == 560);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_Memory) == 568);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_Delete) == 576);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_IsDeleted) == 584);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_CopyToDevice) == 592);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_ToHostBuffer) == 600);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_IsOnCpu) == 608);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_ReadyEvent) == 616);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_UnsafePointer) == 624);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_IncreaseExternalReferenceCount) == 632);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_DecreaseExternalReferenceCount) == 640);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_OpaqueDeviceMemoryDataPointer) == 648);
static_assert(offsetof(PJRT_Api, PJRT_CopyToDeviceStream_Destroy) == 656);
static_assert(offsetof(PJRT_Api, PJRT_CopyToDeviceStream_AddChunk) == 664);
static_assert(offsetof(PJRT_Api, PJRT_CopyToDeviceStream_TotalBytes) == 672);
static_assert(offsetof(PJRT_Api, PJRT_CopyToDeviceStream_GranuleSize) == 680);
static_assert(offsetof(PJRT_Api, PJRT_CopyToDeviceStream_CurrentBytes) == 688);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_Create) == 696);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_Destroy) == 704);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_PlatformName) == 712);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_PlatformVersion) == 720);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_GetDeviceDescriptions) == 728);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_Serialize) == 736);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_Attributes) == 744);
static_assert(offsetof(PJRT_Api, PJRT_Compile) == 752);
static_assert(offsetof(PJRT_Api, PJRT_Executable_OutputElementTypes) == 760);
static_assert(offsetof(PJRT_Api, PJRT_Executable_OutputDimensions) == 768);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_CopyToMemory) == 776);
static_assert(offsetof(PJRT_Api, PJRT_Client_CreateViewOfDeviceBuffer) == 784);
static_assert(offsetof(PJRT_Api, PJRT_Executable_Fingerprint) == 792);
static_assert(offsetof(PJRT_Api, PJRT_Client_TopologyDescription) == 800);
static_assert(offsetof(PJRT_Api, PJRT_Executable_GetCompiledMemoryStats) == 808);
static_assert(offsetof(PJRT_Api, PJRT_Memory_Kind_Id) == 816);
static_assert(offsetof(PJRT_Api, PJRT_ExecuteContext_Create) == 824);
static_assert(offsetof(PJRT_Api, PJRT_ExecuteContext_Destroy) == 832);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_CopyRawToHost) == 840);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_Destroy) == 848);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_TransferData) ==
              856);
static_assert(offsetof(PJRT_Api, PJRT_Client_CreateBuffersForAsyncHostToDevice) == 864);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer) ==
              872);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_Device) == 880);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_BufferCount) ==
              888);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_BufferSize) ==
              896);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_SetBufferError) ==
              904);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_AddMetadata) ==
              912);
static_assert(offsetof(PJRT_Api, PJRT_Client_DmaMap) == 920);
static_assert(offsetof(PJRT_Api, PJRT_Client_DmaUnmap) == 928);
static_assert(offsetof(PJRT_Api, PJRT_Client_CreateUninitializedBuffer) == 936);
static_assert(offsetof(PJRT_Api, PJRT_Client_UpdateGlobalProcessInfo) == 944);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_Deserialize) == 952);
static_assert(offsetof(PJRT_Api, PJRT_Client_CreateAliasBuffer) == 960);
static_assert(offsetof(PJRT_Api, PJRT_Client_FulfillAliasBuffer) == 968);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_GetDeviceAssignment) == 976);
static_assert(offsetof(PJRT_Api, PJRT_Client_CreateErrorBuffer) == 984);
static_assert(offsetof(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_TransferLiteral) ==
              992);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_CopyRawToHostFuture) == 1000);
static_assert(offsetof(PJRT_Api, PJRT_Device_PoisonExecution) == 1008);
static_assert(offsetof(PJRT_Api, PJRT_Device_CreateAsyncTrackingEvent) == 1016);
static_assert(offsetof(PJRT_Api, PJRT_AsyncTrackingEvent_Destroy) == 1024);
static_assert(offsetof(PJRT_Api, PJRT_Executable_GetCompileOptions) == 1032);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_DonateWithControlDependency) == 1040);
static_assert(offsetof(PJRT_Api, PJRT_Event_Create) == 1048);
static_assert(offsetof(PJRT_Api, PJRT_Event_Set) == 1056);
static_assert(offsetof(PJRT_Api, PJRT_Device_GetAttributes) == 1064);
static_assert(offsetof(PJRT_Api, PJRT_Client_Load) == 1072);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_AddressableDeviceLogicalIds) ==
              1080);
static_assert(offsetof(PJRT_Api, PJRT_Buffer_Bitcast) == 1088);
static_assert(offsetof(PJRT_Api, PJRT_Error_ForEachPayload) == 1096);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_Fingerprint) == 1104);
static_assert(offsetof(PJRT_Api, PJRT_Executable_ParameterMemoryKinds) == 1112);
static_assert(offsetof(PJRT_Api, PJRT_Device_ClearMemoryStats) == 1120);
static_assert(offsetof(PJRT_Api,
                       PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace) ==
              1128);
static_assert(offsetof(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds) == 1136);

#undef FIELD
#undef SIZE_ONLY
#undef SIZE

TEST(AbiTest, TableHasAllFunctions) {
  EXPECT_EQ((sizeof(PJRT_Api) - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof(void*),
            138u);
}

}  // namespace
