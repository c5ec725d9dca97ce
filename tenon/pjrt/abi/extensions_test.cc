// Asserts every offset and size of the extensions' structs. The numbers were measured on
// the official headers (x86-64 Linux).
#include "tenon/pjrt/abi/abi_version_extension.h"
#include "tenon/pjrt/abi/callback_extension.h"
#include "tenon/pjrt/abi/collectives_extension.h"
#include "tenon/pjrt/abi/cross_host_transfers_extension.h"
#include "tenon/pjrt/abi/custom_partitioner_extension.h"
#include "tenon/pjrt/abi/device_event.h"
#include "tenon/pjrt/abi/example_extension.h"
#include "tenon/pjrt/abi/executable_metadata_extension.h"
#include "tenon/pjrt/abi/ffi_extension.h"
#include "tenon/pjrt/abi/gpu_extension.h"
#include "tenon/pjrt/abi/host_allocator_extension.h"
#include "tenon/pjrt/abi/host_memory_allocator_extension.h"
#include "tenon/pjrt/abi/layout_assertions.h"
#include "tenon/pjrt/abi/layouts_extension.h"
#include "tenon/pjrt/abi/memory_descriptions_extension.h"
#include "tenon/pjrt/abi/multi_slice_extension.h"
#include "tenon/pjrt/abi/phase_compile_extension.h"
#include "tenon/pjrt/abi/profiler_extension.h"
#include "tenon/pjrt/abi/raw_buffer_extension.h"
#include "tenon/pjrt/abi/shardings_extension.h"
#include "tenon/pjrt/abi/stream_extension.h"
#include "tenon/pjrt/abi/triton_extension.h"
#include "tenon/pjrt/abi/xla_transform_extension.h"

#include <gtest/gtest.h>

namespace {

SIZE(PLUGIN_Profiler_Error_Destroy_Args, 24, 24);
FIELD(PLUGIN_Profiler_Error_Destroy_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Error_Destroy_Args, priv, 8, 8);
FIELD(PLUGIN_Profiler_Error_Destroy_Args, error, 16, 8);

SIZE(PLUGIN_Profiler_Error_Message_Args, 40, 40);
FIELD(PLUGIN_Profiler_Error_Message_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Error_Message_Args, priv, 8, 8);
FIELD(PLUGIN_Profiler_Error_Message_Args, error, 16, 8);
FIELD(PLUGIN_Profiler_Error_Message_Args, message, 24, 8);
FIELD(PLUGIN_Profiler_Error_Message_Args, message_size, 32, 8);

SIZE(PLUGIN_Profiler_Error_GetCode_Args, 32, 28);
FIELD(PLUGIN_Profiler_Error_GetCode_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Error_GetCode_Args, priv, 8, 8);
FIELD(PLUGIN_Profiler_Error_GetCode_Args, error, 16, 8);
FIELD(PLUGIN_Profiler_Error_GetCode_Args, code, 24, 4);

SIZE(PLUGIN_Profiler_Create_Args, 32, 32);
FIELD(PLUGIN_Profiler_Create_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Create_Args, options, 8, 8);
FIELD(PLUGIN_Profiler_Create_Args, options_size, 16, 8);
FIELD(PLUGIN_Profiler_Create_Args, profiler, 24, 8);

SIZE(PLUGIN_Profiler_Destroy_Args, 16, 16);
FIELD(PLUGIN_Profiler_Destroy_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Destroy_Args, profiler, 8, 8);

SIZE(PLUGIN_Profiler_Start_Args, 16, 16);
FIELD(PLUGIN_Profiler_Start_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Start_Args, profiler, 8, 8);

SIZE(PLUGIN_Profiler_Stop_Args, 16, 16);
FIELD(PLUGIN_Profiler_Stop_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Stop_Args, profiler, 8, 8);

SIZE(PLUGIN_Profiler_CollectData_Args, 32, 32);
FIELD(PLUGIN_Profiler_CollectData_Args, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_CollectData_Args, profiler, 8, 8);
FIELD(PLUGIN_Profiler_CollectData_Args, buffer, 16, 8);
FIELD(PLUGIN_Profiler_CollectData_Args, buffer_size_in_bytes, 24, 8);

SIZE(PLUGIN_Profiler_Api, 80, 80);
FIELD(PLUGIN_Profiler_Api, struct_size, 0, 8);
FIELD(PLUGIN_Profiler_Api, priv, 8, 8);
FIELD(PLUGIN_Profiler_Api, error_destroy, 16, 8);
FIELD(PLUGIN_Profiler_Api, error_message, 24, 8);
FIELD(PLUGIN_Profiler_Api, error_get_code, 32, 8);
FIELD(PLUGIN_Profiler_Api, create, 40, 8);
FIELD(PLUGIN_Profiler_Api, destroy, 48, 8);
FIELD(PLUGIN_Profiler_Api, start, 56, 8);
FIELD(PLUGIN_Profiler_Api, stop, 64, 8);
FIELD(PLUGIN_Profiler_Api, collect_data, 72, 8);

SIZE(PJRT_Profiler_Extension, 40, 40);
FIELD(PJRT_Profiler_Extension, base, 0, 24);
FIELD(PJRT_Profiler_Extension, profiler_api, 24, 8);
FIELD(PJRT_Profiler_Extension, traceme_context_id, 32, 8);

SIZE(PJRT_Layouts_MemoryLayout_Destroy_Args, 24, 24);
FIELD(PJRT_Layouts_MemoryLayout_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_MemoryLayout_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_MemoryLayout_Destroy_Args, layout, 16, 8);

SIZE(PJRT_Layouts_MemoryLayout_Serialize_Args, 56, 56);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, layout, 16, 8);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_bytes, 24, 8);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_bytes_size, 32, 8);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout, 40, 8);
FIELD(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout_deleter, 48, 8);

SIZE(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, 32, 32);
FIELD(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, buffer, 16, 8);
FIELD(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout, 24, 8);

SIZE(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, 56, 56);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, client, 16, 8);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, type, 24, 4);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, dims, 32, 8);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, num_dims, 40, 8);
FIELD(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, layout, 48, 8);

SIZE(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, 56, 56);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, topology_description, 16, 8);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, type, 24, 4);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, dims, 32, 8);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, num_dims, 40, 8);
FIELD(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, layout, 48, 8);

SIZE(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, 40, 40);
FIELD(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, executable, 16, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, num_outputs, 24, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, layouts, 32, 8);

SIZE(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, 40, 40);
FIELD(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, struct_size, 0, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, extension_start, 8, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, executable, 16, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, num_parameters, 24, 8);
FIELD(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, layouts, 32, 8);

SIZE(PJRT_Layouts_Extension, 80, 80);
FIELD(PJRT_Layouts_Extension, base, 0, 24);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_MemoryLayout_Destroy, 24, 8);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_MemoryLayout_Serialize, 32, 8);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Client_GetDefaultLayout, 40, 8);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Buffer_MemoryLayout, 48, 8);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Topology_GetDefaultLayout, 56, 8);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetOutputLayouts, 64, 8);
FIELD(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts, 72, 8);

SIZE_ONLY(PJRT_FFI_Type_Info, 24);
FIELD(PJRT_FFI_Type_Info, deleter, 0, 8);
FIELD(PJRT_FFI_Type_Info, serialize, 8, 8);
FIELD(PJRT_FFI_Type_Info, deserialize, 16, 8);

SIZE(PJRT_FFI_Type_Register_Args, 48, 48);
FIELD(PJRT_FFI_Type_Register_Args, struct_size, 0, 8);
FIELD(PJRT_FFI_Type_Register_Args, extension_start, 8, 8);
FIELD(PJRT_FFI_Type_Register_Args, type_name, 16, 8);
FIELD(PJRT_FFI_Type_Register_Args, type_name_size, 24, 8);
FIELD(PJRT_FFI_Type_Register_Args, type_id, 32, 8);
FIELD(PJRT_FFI_Type_Register_Args, type_info, 40, 8);

SIZE_ONLY(PJRT_FFI_UserData, 16);
FIELD(PJRT_FFI_UserData, type_id, 0, 8);
FIELD(PJRT_FFI_UserData, data, 8, 8);

SIZE(PJRT_FFI_UserData_Add_Args, 40, 40);
FIELD(PJRT_FFI_UserData_Add_Args, struct_size, 0, 8);
FIELD(PJRT_FFI_UserData_Add_Args, extension_start, 8, 8);
FIELD(PJRT_FFI_UserData_Add_Args, context, 16, 8);
FIELD(PJRT_FFI_UserData_Add_Args, user_data, 24, 16);

SIZE(PJRT_FFI_Register_Handler_Args, 56, 52);
FIELD(PJRT_FFI_Register_Handler_Args, struct_size, 0, 8);
FIELD(PJRT_FFI_Register_Handler_Args, target_name, 8, 8);
FIELD(PJRT_FFI_Register_Handler_Args, target_name_size, 16, 8);
FIELD(PJRT_FFI_Register_Handler_Args, handler, 24, 8);
FIELD(PJRT_FFI_Register_Handler_Args, platform_name, 32, 8);
FIELD(PJRT_FFI_Register_Handler_Args, platform_name_size, 40, 8);
FIELD(PJRT_FFI_Register_Handler_Args, traits, 48, 4);

SIZE(PJRT_FFI_Extension, 48, 48);
FIELD(PJRT_FFI_Extension, base, 0, 24);
FIELD(PJRT_FFI_Extension, type_register, 24, 8);
FIELD(PJRT_FFI_Extension, user_data_add, 32, 8);
FIELD(PJRT_FFI_Extension, register_handler, 40, 8);

SIZE(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, 48, 48);
FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, struct_size, 0, 8);
FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, extension_start, 8, 8);
FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, executable, 16, 8);
FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, num_parameters, 24, 8);
FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, shardings, 32, 8);
FIELD(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes, 40, 8);

SIZE(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, 48, 48);
FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, struct_size, 0, 8);
FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, extension_start, 8, 8);
FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, executable, 16, 8);
FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, num_outputs, 24, 8);
FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, shardings, 32, 8);
FIELD(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, sharding_sizes, 40, 8);

SIZE(PJRT_Shardings_Extension, 40, 40);
FIELD(PJRT_Shardings_Extension, base, 0, 24);
FIELD(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_ParameterShardings, 24, 8);
FIELD(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_OutputShardings, 32, 8);

SIZE(PJRT_Gpu_Register_Custom_Call_Args, 64, 64);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, struct_size, 0, 8);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, function_name, 8, 8);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, function_name_size, 16, 8);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, api_version, 24, 4);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, handler_instantiate, 32, 8);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, handler_prepare, 40, 8);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, handler_initialize, 48, 8);
FIELD(PJRT_Gpu_Register_Custom_Call_Args, handler_execute, 56, 8);

SIZE(PJRT_Gpu_Custom_Call, 32, 32);
FIELD(PJRT_Gpu_Custom_Call, base, 0, 24);
FIELD(PJRT_Gpu_Custom_Call, custom_call, 24, 8);

SIZE_ONLY(JAX_CustomCallPartitioner_string, 16);
FIELD(JAX_CustomCallPartitioner_string, data, 0, 8);
FIELD(JAX_CustomCallPartitioner_string, size, 8, 8);

SIZE_ONLY(JAX_CustomCallPartitioner_aval, 40);
FIELD(JAX_CustomCallPartitioner_aval, shape, 0, 16);
FIELD(JAX_CustomCallPartitioner_aval, has_sharding, 16, 1);
FIELD(JAX_CustomCallPartitioner_aval, sharding, 24, 16);

SIZE_ONLY(JAX_CustomCallPartitioner_version_and_error, 48);
FIELD(JAX_CustomCallPartitioner_version_and_error, api_version, 0, 8);
FIELD(JAX_CustomCallPartitioner_version_and_error, data, 8, 8);
FIELD(JAX_CustomCallPartitioner_version_and_error, cleanup_fn, 16, 8);
FIELD(JAX_CustomCallPartitioner_version_and_error, has_error, 24, 1);
FIELD(JAX_CustomCallPartitioner_version_and_error, code, 28, 4);
FIELD(JAX_CustomCallPartitioner_version_and_error, error_msg, 32, 16);

SIZE_ONLY(JAX_CustomCallPartitioner_Partition_Args, 160);
FIELD(JAX_CustomCallPartitioner_Partition_Args, header, 0, 48);
FIELD(JAX_CustomCallPartitioner_Partition_Args, num_args, 48, 8);
FIELD(JAX_CustomCallPartitioner_Partition_Args, op_args, 56, 8);
FIELD(JAX_CustomCallPartitioner_Partition_Args, op_result, 64, 40);
FIELD(JAX_CustomCallPartitioner_Partition_Args, backend_config, 104, 16);
FIELD(JAX_CustomCallPartitioner_Partition_Args, mlir_module, 120, 16);
FIELD(JAX_CustomCallPartitioner_Partition_Args, args_sharding, 136, 8);
FIELD(JAX_CustomCallPartitioner_Partition_Args, result_sharding, 144, 16);

SIZE_ONLY(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, 120);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, header, 0, 48);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, num_args, 48, 8);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, op_args, 56, 8);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_shape, 64, 16);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, backend_config, 80, 16);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, has_result_sharding, 96,
      1);
FIELD(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_sharding, 104, 16);

SIZE_ONLY(JAX_CustomCallPartitioner_PropagateUserSharding_Args, 96);
FIELD(JAX_CustomCallPartitioner_PropagateUserSharding_Args, header, 0, 48);
FIELD(JAX_CustomCallPartitioner_PropagateUserSharding_Args, backend_config, 48, 16);
FIELD(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_shape, 64, 16);
FIELD(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_sharding, 80, 16);

SIZE_ONLY(JAX_CustomCallPartitioner_Callbacks, 56);
FIELD(JAX_CustomCallPartitioner_Callbacks, version, 0, 8);
FIELD(JAX_CustomCallPartitioner_Callbacks, private_data, 8, 8);
FIELD(JAX_CustomCallPartitioner_Callbacks, dtor, 16, 8);
FIELD(JAX_CustomCallPartitioner_Callbacks, partition, 24, 8);
FIELD(JAX_CustomCallPartitioner_Callbacks, infer_sharding, 32, 8);
FIELD(JAX_CustomCallPartitioner_Callbacks, propagate_user_sharding, 40, 8);
FIELD(JAX_CustomCallPartitioner_Callbacks, can_side_effecting_have_replicated_sharding,
      48, 1);

SIZE(PJRT_Register_Custom_Partitioner_Args, 32, 32);
FIELD(PJRT_Register_Custom_Partitioner_Args, struct_size, 0, 8);
FIELD(PJRT_Register_Custom_Partitioner_Args, name, 8, 8);
FIELD(PJRT_Register_Custom_Partitioner_Args, name_size, 16, 8);
FIELD(PJRT_Register_Custom_Partitioner_Args, callbacks, 24, 8);

SIZE(PJRT_Register_Batch_Partitionable_Args, 24, 24);
FIELD(PJRT_Register_Batch_Partitionable_Args, struct_size, 0, 8);
FIELD(PJRT_Register_Batch_Partitionable_Args, name, 8, 8);
FIELD(PJRT_Register_Batch_Partitionable_Args, name_size, 16, 8);

SIZE(PJRT_Custom_Partitioner_Extension, 40, 40);
FIELD(PJRT_Custom_Partitioner_Extension, base, 0, 24);
FIELD(PJRT_Custom_Partitioner_Extension, register_custom_partitioner, 24, 8);
FIELD(PJRT_Custom_Partitioner_Extension, register_batch_partitionable, 32, 8);

SIZE(PJRT_Get_Stream_For_External_Ready_Events_Args, 24, 24);
FIELD(PJRT_Get_Stream_For_External_Ready_Events_Args, struct_size, 0, 8);
FIELD(PJRT_Get_Stream_For_External_Ready_Events_Args, device, 8, 8);
FIELD(PJRT_Get_Stream_For_External_Ready_Events_Args, stream, 16, 8);

SIZE(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, 24, 24);
FIELD(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, struct_size, 0, 8);
FIELD(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, stream, 8, 8);
FIELD(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer, 16, 8);

SIZE(PJRT_Stream_Extension, 40, 40);
FIELD(PJRT_Stream_Extension, base, 0, 24);
FIELD(PJRT_Stream_Extension, get_stream, 24, 8);
FIELD(PJRT_Stream_Extension, wait_stream, 32, 8);

SIZE(PJRT_DeviceDescription_MemoryDescriptions_Args, 48, 48);
FIELD(PJRT_DeviceDescription_MemoryDescriptions_Args, struct_size, 0, 8);
FIELD(PJRT_DeviceDescription_MemoryDescriptions_Args, extension_start, 8, 8);
FIELD(PJRT_DeviceDescription_MemoryDescriptions_Args, device_description, 16, 8);
FIELD(PJRT_DeviceDescription_MemoryDescriptions_Args, memory_descriptions, 24, 8);
FIELD(PJRT_DeviceDescription_MemoryDescriptions_Args, num_memory_descriptions, 32, 8);
FIELD(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index, 40, 8);

SIZE(PJRT_MemoryDescription_Kind_Args, 48, 44);
FIELD(PJRT_MemoryDescription_Kind_Args, struct_size, 0, 8);
FIELD(PJRT_MemoryDescription_Kind_Args, extension_start, 8, 8);
FIELD(PJRT_MemoryDescription_Kind_Args, memory_description, 16, 8);
FIELD(PJRT_MemoryDescription_Kind_Args, kind, 24, 8);
FIELD(PJRT_MemoryDescription_Kind_Args, kind_size, 32, 8);
FIELD(PJRT_MemoryDescription_Kind_Args, kind_id, 40, 4);

SIZE(PJRT_MemoryDescriptions_Extension, 40, 40);
FIELD(PJRT_MemoryDescriptions_Extension, base, 0, 24);
FIELD(PJRT_MemoryDescriptions_Extension, PJRT_DeviceDescription_MemoryDescriptions, 24,
      8);
FIELD(PJRT_MemoryDescriptions_Extension, PJRT_MemoryDescription_Kind, 32, 8);

SIZE(PJRT_Triton_Compile_Args, 96, 96);
FIELD(PJRT_Triton_Compile_Args, struct_size, 0, 8);
FIELD(PJRT_Triton_Compile_Args, module, 8, 8);
FIELD(PJRT_Triton_Compile_Args, module_size, 16, 8);
FIELD(PJRT_Triton_Compile_Args, arch_name, 24, 8);
FIELD(PJRT_Triton_Compile_Args, arch_name_size, 32, 8);
FIELD(PJRT_Triton_Compile_Args, num_warps, 40, 4);
FIELD(PJRT_Triton_Compile_Args, num_ctas, 44, 4);
FIELD(PJRT_Triton_Compile_Args, num_stages, 48, 4);
FIELD(PJRT_Triton_Compile_Args, out_asm, 56, 8);
FIELD(PJRT_Triton_Compile_Args, out_asm_size, 64, 8);
FIELD(PJRT_Triton_Compile_Args, out_smem_bytes, 72, 8);
FIELD(PJRT_Triton_Compile_Args, out_path, 80, 8);
FIELD(PJRT_Triton_Compile_Args, out_path_size, 88, 8);

SIZE(PJRT_Triton_Extension, 32, 32);
FIELD(PJRT_Triton_Extension, base, 0, 24);
FIELD(PJRT_Triton_Extension, compile, 24, 8);

SIZE(PJRT_DeviceEvent_FunctionTable, 72, 72);
FIELD(PJRT_DeviceEvent_FunctionTable, struct_size, 0, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, extension_start, 8, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, inc_ref, 16, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, dec_ref, 24, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, and_then, 32, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, get_error_if_present, 40, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, parent, 48, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, get_state, 56, 8);
FIELD(PJRT_DeviceEvent_FunctionTable, get_definition_stream, 64, 8);

SIZE_ONLY(PJRT_DeviceEvent, 16);
FIELD(PJRT_DeviceEvent, vtable, 0, 8);
FIELD(PJRT_DeviceEvent, device_event, 8, 8);

SIZE(PJRT_DeviceEventPromise_FunctionTable, 72, 72);
FIELD(PJRT_DeviceEventPromise_FunctionTable, struct_size, 0, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, instance_size, 8, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, extension_start, 16, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, inc_ref, 24, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, dec_ref, 32, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, event, 40, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, set, 48, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, set_error, 56, 8);
FIELD(PJRT_DeviceEventPromise_FunctionTable, set_ready, 64, 8);

SIZE(PJRT_DeviceEventPromise, 8, 8);
FIELD(PJRT_DeviceEventPromise, vtable, 0, 8);

SIZE(PJRT_RawBuffer_FunctionTable, 88, 88);
FIELD(PJRT_RawBuffer_FunctionTable, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_FunctionTable, instance_size, 8, 8);
FIELD(PJRT_RawBuffer_FunctionTable, extension_start, 16, 8);
FIELD(PJRT_RawBuffer_FunctionTable, inc_ref, 24, 8);
FIELD(PJRT_RawBuffer_FunctionTable, dec_ref, 32, 8);
FIELD(PJRT_RawBuffer_FunctionTable, get_on_device_size_in_bytes, 40, 8);
FIELD(PJRT_RawBuffer_FunctionTable, get_memory_space, 48, 8);
FIELD(PJRT_RawBuffer_FunctionTable, get_host_pointer, 56, 8);
FIELD(PJRT_RawBuffer_FunctionTable, copy_raw_host_to_device_and_return_event, 64, 8);
FIELD(PJRT_RawBuffer_FunctionTable, copy_raw_device_to_host_and_return_event, 72, 8);
FIELD(PJRT_RawBuffer_FunctionTable, opaque_device_memory_data_pointer, 80, 8);

SIZE(PJRT_RawBuffer, 8, 8);
FIELD(PJRT_RawBuffer, vtable, 0, 8);

SIZE(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, 32, 32);
FIELD(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, buffer, 16, 8);
FIELD(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, raw_buffer, 24, 8);

SIZE(PJRT_RawBuffer_Destroy_Args, 24, 24);
FIELD(PJRT_RawBuffer_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_Destroy_Args, buffer, 16, 8);

SIZE(PJRT_RawBuffer_GetHostPointer_Args, 32, 32);
FIELD(PJRT_RawBuffer_GetHostPointer_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_GetHostPointer_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_GetHostPointer_Args, buffer, 16, 8);
FIELD(PJRT_RawBuffer_GetHostPointer_Args, host_pointer, 24, 8);

SIZE(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, 32, 32);
FIELD(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, buffer, 16, 8);
FIELD(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, on_device_size_in_bytes, 24, 8);

SIZE(PJRT_RawBuffer_GetMemorySpace_Args, 32, 32);
FIELD(PJRT_RawBuffer_GetMemorySpace_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_GetMemorySpace_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_GetMemorySpace_Args, buffer, 16, 8);
FIELD(PJRT_RawBuffer_GetMemorySpace_Args, memory_space, 24, 8);

SIZE(PJRT_RawBuffer_CopyRawDeviceToHost_Args, 56, 56);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, buffer, 16, 8);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, dst, 24, 8);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, offset, 32, 8);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, transfer_size, 40, 8);
FIELD(PJRT_RawBuffer_CopyRawDeviceToHost_Args, event, 48, 8);

SIZE(PJRT_RawBuffer_CopyRawHostToDevice_Args, 56, 56);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, struct_size, 0, 8);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, extension_start, 8, 8);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, buffer, 16, 8);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, src, 24, 8);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, offset, 32, 8);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, transfer_size, 40, 8);
FIELD(PJRT_RawBuffer_CopyRawHostToDevice_Args, event, 48, 8);

SIZE(PJRT_RawBuffer_Extension, 80, 80);
FIELD(PJRT_RawBuffer_Extension, base, 0, 24);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_CreateRawAliasOfBuffer, 24, 8);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_Destroy, 32, 8);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_GetOnDeviceSizeInBytes, 40, 8);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_GetMemorySpace, 48, 8);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_CopyRawHostToDevice, 56, 8);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_CopyRawDeviceToHost, 64, 8);
FIELD(PJRT_RawBuffer_Extension, PJRT_RawBuffer_GetHostPointer, 72, 8);

SIZE(PJRT_PhaseCompile_Get_Compiler_Args, 24, 24);
FIELD(PJRT_PhaseCompile_Get_Compiler_Args, struct_size, 0, 8);
FIELD(PJRT_PhaseCompile_Get_Compiler_Args, extension_start, 8, 8);
FIELD(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler, 16, 8);

SIZE(PJRT_PhaseCompile_Destroy_Compiler_Args, 24, 24);
FIELD(PJRT_PhaseCompile_Destroy_Compiler_Args, struct_size, 0, 8);
FIELD(PJRT_PhaseCompile_Destroy_Compiler_Args, extension_start, 8, 8);
FIELD(PJRT_PhaseCompile_Destroy_Compiler_Args, phase_compiler, 16, 8);

SIZE(PJRT_PhaseCompile_Run_Phase_Args, 120, 120);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, struct_size, 0, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, extension_start, 8, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, phase_compiler, 16, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, input_programs, 24, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, input_programs_sizes, 32, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, num_input_programs, 40, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, phases_to_run, 48, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, phases_to_run_sizes, 56, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, num_phases_to_run, 64, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, compile_options, 72, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, compile_options_size, 80, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, topology, 88, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, output_programs, 96, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, output_programs_sizes, 104, 8);
FIELD(PJRT_PhaseCompile_Run_Phase_Args, num_output_programs, 112, 8);

SIZE(PJRT_PhaseCompile_Get_PhaseNames_Args, 48, 48);
FIELD(PJRT_PhaseCompile_Get_PhaseNames_Args, struct_size, 0, 8);
FIELD(PJRT_PhaseCompile_Get_PhaseNames_Args, extension_start, 8, 8);
FIELD(PJRT_PhaseCompile_Get_PhaseNames_Args, phase_compiler, 16, 8);
FIELD(PJRT_PhaseCompile_Get_PhaseNames_Args, phase_names, 24, 8);
FIELD(PJRT_PhaseCompile_Get_PhaseNames_Args, phase_names_sizes, 32, 8);
FIELD(PJRT_PhaseCompile_Get_PhaseNames_Args, num_phase_names, 40, 8);

SIZE(PJRT_PhaseCompile_C_Buffers_Destroy_Args, 40, 40);
FIELD(PJRT_PhaseCompile_C_Buffers_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_PhaseCompile_C_Buffers_Destroy_Args, extension_start, 8, 8);
FIELD(PJRT_PhaseCompile_C_Buffers_Destroy_Args, char_buffers, 16, 8);
FIELD(PJRT_PhaseCompile_C_Buffers_Destroy_Args, char_buffer_sizes, 24, 8);
FIELD(PJRT_PhaseCompile_C_Buffers_Destroy_Args, num_char_buffers, 32, 8);

SIZE(PJRT_PhaseCompile_Extension, 64, 64);
FIELD(PJRT_PhaseCompile_Extension, base, 0, 24);
FIELD(PJRT_PhaseCompile_Extension, phase_compile_get_compiler, 24, 8);
FIELD(PJRT_PhaseCompile_Extension, phase_compile_destroy_compiler, 32, 8);
FIELD(PJRT_PhaseCompile_Extension, phase_compile_run_phases, 40, 8);
FIELD(PJRT_PhaseCompile_Extension, phase_compile_get_phase_names, 48, 8);
FIELD(PJRT_PhaseCompile_Extension, phase_compile_c_buffers_destroy, 56, 8);

SIZE(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, 64, 64);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, struct_size, 0, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, extension_start, 8, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, client, 16, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, num_buffers, 24, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, buffers, 32, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, dst_global_device_ids, 40, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, transfer_keys, 48, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, send_events, 56, 8);

SIZE(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, 96, 96);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, struct_size, 0, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, extension_start, 8, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, client, 16, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, num_shapes, 24, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, shape_num_dims, 32, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, num_dims, 40, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, element_types, 48, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, layouts, 56, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, device, 64, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, src_global_device_ids, 72,
      8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, transfer_keys, 80, 8);
FIELD(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, buffers, 88, 8);

SIZE(PJRT_Transfers_CrossHostRecvNotifierInfo, 16, 16);
FIELD(PJRT_Transfers_CrossHostRecvNotifierInfo, user_arg, 0, 8);
FIELD(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier, 8, 8);

SIZE(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, 104, 104);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, struct_size, 0, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, extension_start, 8, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, client, 16, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, num_shapes, 24, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, shape_num_dims, 32, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, num_dims, 40, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, element_types, 48, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, layouts, 56, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, device, 64, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, notifier, 72, 16);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, buffers, 88, 8);
FIELD(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, num_buffers, 96, 8);

SIZE(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, 16, 16);
FIELD(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, user_arg, 0, 8);
FIELD(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done, 8, 8);

SIZE(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, 72, 72);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, struct_size, 0, 8);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, extension_start, 8, 8);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, buffer, 16, 8);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, event, 24, 8);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, serialized_descriptor, 32, 8);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, serialized_descriptor_size, 40,
      8);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, on_done, 48, 16);
FIELD(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, descriptor_destructor, 64, 8);

SIZE(PJRT_CrossHostTransfers_Extension, 56, 56);
FIELD(PJRT_CrossHostTransfers_Extension, base, 0, 24);
FIELD(PJRT_CrossHostTransfers_Extension,
      PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers, 24, 8);
FIELD(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice,
      32, 8);
FIELD(PJRT_CrossHostTransfers_Extension,
      PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers, 40, 8);
FIELD(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Client_CrossHostSendBuffers,
      48, 8);

SIZE_ONLY(PJRT_ExecutableMetadata, 16);
FIELD(PJRT_ExecutableMetadata, serialized_metadata, 0, 8);
FIELD(PJRT_ExecutableMetadata, serialized_metadata_size, 8, 8);

SIZE(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, 16, 16);
FIELD(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, executable, 0, 8);
FIELD(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, metadata, 8, 8);

SIZE(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, 8, 8);
FIELD(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, metadata, 0, 8);

SIZE(PJRT_ExecutableMetadata_Extension, 40, 40);
FIELD(PJRT_ExecutableMetadata_Extension, base, 0, 24);
FIELD(PJRT_ExecutableMetadata_Extension, get_executable_metadata, 24, 8);
FIELD(PJRT_ExecutableMetadata_Extension, destroy_serialized_metadata, 32, 8);

SIZE(PJRT_Callback_Tpu_SliceBuilderArgs, 16, 12);
FIELD(PJRT_Callback_Tpu_SliceBuilderArgs, struct_size, 0, 8);
FIELD(PJRT_Callback_Tpu_SliceBuilderArgs, failure_type, 8, 4);

SIZE(PJRT_Callback_PrefatalArgs, 32, 32);
FIELD(PJRT_Callback_PrefatalArgs, struct_size, 0, 8);
FIELD(PJRT_Callback_PrefatalArgs, error_code, 8, 4);
FIELD(PJRT_Callback_PrefatalArgs, error_message, 16, 8);
FIELD(PJRT_Callback_PrefatalArgs, error_message_size, 24, 8);

SIZE(PJRT_Callback_RegisterCallback_Args, 40, 40);
FIELD(PJRT_Callback_RegisterCallback_Args, struct_size, 0, 8);
FIELD(PJRT_Callback_RegisterCallback_Args, client, 8, 8);
FIELD(PJRT_Callback_RegisterCallback_Args, type, 16, 4);
FIELD(PJRT_Callback_RegisterCallback_Args, callback, 24, 8);
FIELD(PJRT_Callback_RegisterCallback_Args, user_arg, 32, 8);

SIZE(PJRT_Callback_InvokeCallback_Args, 32, 32);
FIELD(PJRT_Callback_InvokeCallback_Args, struct_size, 0, 8);
FIELD(PJRT_Callback_InvokeCallback_Args, client, 8, 8);
FIELD(PJRT_Callback_InvokeCallback_Args, type, 16, 4);
FIELD(PJRT_Callback_InvokeCallback_Args, args, 24, 8);

SIZE(PJRT_Callback_Extension, 40, 40);
FIELD(PJRT_Callback_Extension, base, 0, 24);
FIELD(PJRT_Callback_Extension, register_callback, 24, 8);
FIELD(PJRT_Callback_Extension, invoke_callback, 32, 8);

SIZE(PJRT_HostAllocator_GetPreferredAlignment_Args, 32, 32);
FIELD(PJRT_HostAllocator_GetPreferredAlignment_Args, struct_size, 0, 8);
FIELD(PJRT_HostAllocator_GetPreferredAlignment_Args, extension_start, 8, 8);
FIELD(PJRT_HostAllocator_GetPreferredAlignment_Args, client, 16, 8);
FIELD(PJRT_HostAllocator_GetPreferredAlignment_Args, preferred_alignment, 24, 8);

SIZE(PJRT_HostAllocator_Allocate_Args, 48, 48);
FIELD(PJRT_HostAllocator_Allocate_Args, struct_size, 0, 8);
FIELD(PJRT_HostAllocator_Allocate_Args, extension_start, 8, 8);
FIELD(PJRT_HostAllocator_Allocate_Args, client, 16, 8);
FIELD(PJRT_HostAllocator_Allocate_Args, size, 24, 8);
FIELD(PJRT_HostAllocator_Allocate_Args, alignment, 32, 8);
FIELD(PJRT_HostAllocator_Allocate_Args, ptr, 40, 8);

SIZE(PJRT_HostAllocator_Free_Args, 32, 32);
FIELD(PJRT_HostAllocator_Free_Args, struct_size, 0, 8);
FIELD(PJRT_HostAllocator_Free_Args, extension_start, 8, 8);
FIELD(PJRT_HostAllocator_Free_Args, client, 16, 8);
FIELD(PJRT_HostAllocator_Free_Args, ptr, 24, 8);

SIZE(PJRT_HostAllocator_Extension, 48, 48);
FIELD(PJRT_HostAllocator_Extension, base, 0, 24);
FIELD(PJRT_HostAllocator_Extension, get_preferred_alignment, 24, 8);
FIELD(PJRT_HostAllocator_Extension, allocate, 32, 8);
FIELD(PJRT_HostAllocator_Extension, free, 40, 8);

SIZE(PJRT_Client_RuntimeAbiVersion_Args, 24, 24);
FIELD(PJRT_Client_RuntimeAbiVersion_Args, struct_size, 0, 8);
FIELD(PJRT_Client_RuntimeAbiVersion_Args, client, 8, 8);
FIELD(PJRT_Client_RuntimeAbiVersion_Args, abi_version, 16, 8);

SIZE(PJRT_Executable_GetAbiVersion_Args, 24, 24);
FIELD(PJRT_Executable_GetAbiVersion_Args, struct_size, 0, 8);
FIELD(PJRT_Executable_GetAbiVersion_Args, executable, 8, 8);
FIELD(PJRT_Executable_GetAbiVersion_Args, abi_version, 16, 8);

SIZE(PJRT_RuntimeAbiVersion_Destroy_Args, 16, 16);
FIELD(PJRT_RuntimeAbiVersion_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_RuntimeAbiVersion_Destroy_Args, abi_version, 8, 8);

SIZE(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args, 24, 24);
FIELD(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args, struct_size, 0, 8);
FIELD(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args, abi_version, 8, 8);
FIELD(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args, other_abi_version, 16, 8);

SIZE(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args, 24, 24);
FIELD(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args, struct_size, 0, 8);
FIELD(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args, abi_version, 8, 8);
FIELD(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args, executable_abi_version, 16,
      8);

SIZE(PJRT_RuntimeAbiVersion_ToProto_Args, 48, 48);
FIELD(PJRT_RuntimeAbiVersion_ToProto_Args, struct_size, 0, 8);
FIELD(PJRT_RuntimeAbiVersion_ToProto_Args, abi_version, 8, 8);
FIELD(PJRT_RuntimeAbiVersion_ToProto_Args, serialized_proto, 16, 8);
FIELD(PJRT_RuntimeAbiVersion_ToProto_Args, serialized_proto_size, 24, 8);
FIELD(PJRT_RuntimeAbiVersion_ToProto_Args, serialized_proto_holder, 32, 8);
FIELD(PJRT_RuntimeAbiVersion_ToProto_Args, serialized_proto_deleter, 40, 8);

SIZE(PJRT_RuntimeAbiVersion_PlatformId_Args, 24, 24);
FIELD(PJRT_RuntimeAbiVersion_PlatformId_Args, struct_size, 0, 8);
FIELD(PJRT_RuntimeAbiVersion_PlatformId_Args, abi_version, 8, 8);
FIELD(PJRT_RuntimeAbiVersion_PlatformId_Args, platform_id, 16, 8);

SIZE(PJRT_ExecutableAbiVersion_Destroy_Args, 16, 16);
FIELD(PJRT_ExecutableAbiVersion_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_ExecutableAbiVersion_Destroy_Args, abi_version, 8, 8);

SIZE(PJRT_ExecutableAbiVersion_ToProto_Args, 48, 48);
FIELD(PJRT_ExecutableAbiVersion_ToProto_Args, struct_size, 0, 8);
FIELD(PJRT_ExecutableAbiVersion_ToProto_Args, abi_version, 8, 8);
FIELD(PJRT_ExecutableAbiVersion_ToProto_Args, serialized_proto, 16, 8);
FIELD(PJRT_ExecutableAbiVersion_ToProto_Args, serialized_proto_size, 24, 8);
FIELD(PJRT_ExecutableAbiVersion_ToProto_Args, serialized_proto_holder, 32, 8);
FIELD(PJRT_ExecutableAbiVersion_ToProto_Args, serialized_proto_deleter, 40, 8);

SIZE(PJRT_ExecutableAbiVersion_PlatformId_Args, 24, 24);
FIELD(PJRT_ExecutableAbiVersion_PlatformId_Args, struct_size, 0, 8);
FIELD(PJRT_ExecutableAbiVersion_PlatformId_Args, abi_version, 8, 8);
FIELD(PJRT_ExecutableAbiVersion_PlatformId_Args, platform_id, 16, 8);

SIZE(PJRT_RuntimeAbiVersion_FromProto_Args, 32, 32);
FIELD(PJRT_RuntimeAbiVersion_FromProto_Args, struct_size, 0, 8);
FIELD(PJRT_RuntimeAbiVersion_FromProto_Args, serialized_proto, 8, 8);
FIELD(PJRT_RuntimeAbiVersion_FromProto_Args, serialized_proto_size, 16, 8);
FIELD(PJRT_RuntimeAbiVersion_FromProto_Args, abi_version, 24, 8);

SIZE(PJRT_ExecutableAbiVersion_FromProto_Args, 32, 32);
FIELD(PJRT_ExecutableAbiVersion_FromProto_Args, struct_size, 0, 8);
FIELD(PJRT_ExecutableAbiVersion_FromProto_Args, serialized_proto, 8, 8);
FIELD(PJRT_ExecutableAbiVersion_FromProto_Args, serialized_proto_size, 16, 8);
FIELD(PJRT_ExecutableAbiVersion_FromProto_Args, abi_version, 24, 8);

SIZE(PJRT_AbiVersion_Extension, 120, 120);
FIELD(PJRT_AbiVersion_Extension, base, 0, 24);
FIELD(PJRT_AbiVersion_Extension, client_runtime_abi_version, 24, 8);
FIELD(PJRT_AbiVersion_Extension, executable_get_abi_version, 32, 8);
FIELD(PJRT_AbiVersion_Extension, runtime_abi_version_destroy, 40, 8);
FIELD(PJRT_AbiVersion_Extension, runtime_abi_version_is_compatible_with_runtime, 48, 8);
FIELD(PJRT_AbiVersion_Extension, runtime_abi_version_is_compatible_with_executable, 56,
      8);
FIELD(PJRT_AbiVersion_Extension, runtime_abi_version_to_proto, 64, 8);
FIELD(PJRT_AbiVersion_Extension, runtime_abi_version_platform_id, 72, 8);
FIELD(PJRT_AbiVersion_Extension, executable_abi_version_destroy, 80, 8);
FIELD(PJRT_AbiVersion_Extension, executable_abi_version_to_proto, 88, 8);
FIELD(PJRT_AbiVersion_Extension, executable_abi_version_platform_id, 96, 8);
FIELD(PJRT_AbiVersion_Extension, runtime_abi_version_from_proto, 104, 8);
FIELD(PJRT_AbiVersion_Extension, executable_abi_version_from_proto, 112, 8);

SIZE(PJRT_Collectives_Destroy_Args, 16, 16);
FIELD(PJRT_Collectives_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Destroy_Args, collectives, 8, 8);

SIZE(PJRT_Collectives_CreateCommunicators_Args, 104, 104);
FIELD(PJRT_Collectives_CreateCommunicators_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, collectives, 8, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, device_ids, 16, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, num_device_ids, 24, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, clique_ids, 32, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, clique_id_sizes, 40, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, num_clique_ids, 48, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, rank_ids, 56, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, num_device_ranks, 64, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, communicators, 72, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, num_communicators, 80, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, communicators_holder, 88, 8);
FIELD(PJRT_Collectives_CreateCommunicators_Args, communicators_holder_deleter, 96, 8);

SIZE(PJRT_Collectives_Communicator_Destroy_Args, 16, 16);
FIELD(PJRT_Collectives_Communicator_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_Destroy_Args, communicator, 8, 8);

SIZE_ONLY(PJRT_Collectives_CpuExecutor, 48);
FIELD(PJRT_Collectives_CpuExecutor, run_id, 0, 8);
FIELD(PJRT_Collectives_CpuExecutor, global_device_ids, 8, 8);
FIELD(PJRT_Collectives_CpuExecutor, num_global_device_ids, 16, 8);
FIELD(PJRT_Collectives_CpuExecutor, num_local_participants, 24, 4);
FIELD(PJRT_Collectives_CpuExecutor, collective_op_kind, 28, 4);
FIELD(PJRT_Collectives_CpuExecutor, op_id, 32, 8);
FIELD(PJRT_Collectives_CpuExecutor, timeout_in_ns, 40, 8);

SIZE(PJRT_Collectives_Communicator_AllReduce_Args, 88, 88);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, communicator, 8, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, send_buffer_ptr, 16, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, send_buffer_size, 24, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, recv_buffer_ptr, 32, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, recv_buffer_size, 40, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, primitive_type, 48, 4);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, count, 56, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, reduction_kind, 64, 4);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, cpu_executor, 72, 8);
FIELD(PJRT_Collectives_Communicator_AllReduce_Args, event, 80, 8);

SIZE(PJRT_Collectives_Communicator_ReduceScatter_Args, 88, 88);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, communicator, 8, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, send_buffer_ptr, 16, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, send_buffer_size, 24, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, recv_buffer_ptr, 32, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, recv_buffer_size, 40, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, primitive_type, 48, 4);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, count, 56, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, reduction_kind, 64, 4);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, cpu_executor, 72, 8);
FIELD(PJRT_Collectives_Communicator_ReduceScatter_Args, event, 80, 8);

SIZE(PJRT_Collectives_Communicator_AllGather_Args, 80, 80);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, communicator, 8, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, send_buffer_ptr, 16, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, send_buffer_size, 24, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, recv_buffer_ptr, 32, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, recv_buffer_size, 40, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, primitive_type, 48, 4);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, count, 56, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, cpu_executor, 64, 8);
FIELD(PJRT_Collectives_Communicator_AllGather_Args, event, 72, 8);

SIZE(PJRT_Collectives_Communicator_CollectivePermute_Args, 112, 112);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, communicator, 8, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, send_buffer_ptr, 16, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, send_buffer_size, 24, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, recv_buffer_ptr, 32, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, recv_buffer_size, 40, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, primitive_type, 48, 4);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, count, 56, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, has_source_rank, 64, 1);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, source_rank, 72, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, target_ranks, 80, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, num_target_ranks, 88, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, cpu_executor, 96, 8);
FIELD(PJRT_Collectives_Communicator_CollectivePermute_Args, event, 104, 8);

SIZE(PJRT_Collectives_Communicator_AllToAll_Args, 96, 96);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, communicator, 8, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, send_buffers_ptrs, 16, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, send_buffers_sizes, 24, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, num_send_buffers, 32, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, recv_buffers_ptrs, 40, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, recv_buffers_sizes, 48, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, num_recv_buffers, 56, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, primitive_type, 64, 4);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, count, 72, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, cpu_executor, 80, 8);
FIELD(PJRT_Collectives_Communicator_AllToAll_Args, event, 88, 8);

SIZE(PJRT_Collectives_Communicator_ToString_Args, 48, 48);
FIELD(PJRT_Collectives_Communicator_ToString_Args, struct_size, 0, 8);
FIELD(PJRT_Collectives_Communicator_ToString_Args, communicator, 8, 8);
FIELD(PJRT_Collectives_Communicator_ToString_Args, str, 16, 8);
FIELD(PJRT_Collectives_Communicator_ToString_Args, str_size, 24, 8);
FIELD(PJRT_Collectives_Communicator_ToString_Args, str_holder, 32, 8);
FIELD(PJRT_Collectives_Communicator_ToString_Args, str_holder_deleter, 40, 8);

SIZE(PJRT_Collectives_Extension, 96, 96);
FIELD(PJRT_Collectives_Extension, base, 0, 24);
FIELD(PJRT_Collectives_Extension, collectives_destroy, 24, 8);
FIELD(PJRT_Collectives_Extension, collectives_create_communicators, 32, 8);
FIELD(PJRT_Collectives_Extension, communicator_destroy, 40, 8);
FIELD(PJRT_Collectives_Extension, communicator_all_reduce, 48, 8);
FIELD(PJRT_Collectives_Extension, communicator_reduce_scatter, 56, 8);
FIELD(PJRT_Collectives_Extension, communicator_all_gather, 64, 8);
FIELD(PJRT_Collectives_Extension, communicator_collective_permute, 72, 8);
FIELD(PJRT_Collectives_Extension, communicator_all_to_all, 80, 8);
FIELD(PJRT_Collectives_Extension, communicator_to_string, 88, 8);

SIZE(PJRT_MultiSlice_Config_Destroy_Args, 16, 16);
FIELD(PJRT_MultiSlice_Config_Destroy_Args, struct_size, 0, 8);
FIELD(PJRT_MultiSlice_Config_Destroy_Args, config, 8, 8);

SIZE(PJRT_MultiSlice_Config_NumSlices_Args, 24, 20);
FIELD(PJRT_MultiSlice_Config_NumSlices_Args, struct_size, 0, 8);
FIELD(PJRT_MultiSlice_Config_NumSlices_Args, config, 8, 8);
FIELD(PJRT_MultiSlice_Config_NumSlices_Args, num_slices, 16, 4);

SIZE(PJRT_MultiSlice_Config_SliceId_Args, 24, 20);
FIELD(PJRT_MultiSlice_Config_SliceId_Args, struct_size, 0, 8);
FIELD(PJRT_MultiSlice_Config_SliceId_Args, config, 8, 8);
FIELD(PJRT_MultiSlice_Config_SliceId_Args, slice_id, 16, 4);

SIZE(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, 56, 56);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, struct_size, 0, 8);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, config, 8, 8);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, num_devices_per_slice_map, 16, 8);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, slice_ids, 24, 8);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, num_devices, 32, 8);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, devices_per_slice_map, 40, 8);
FIELD(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, devices_per_slice_map_deleter, 48,
      8);

SIZE(PJRT_MultiSlice_Config_Serialize_Args, 48, 48);
FIELD(PJRT_MultiSlice_Config_Serialize_Args, struct_size, 0, 8);
FIELD(PJRT_MultiSlice_Config_Serialize_Args, config, 8, 8);
FIELD(PJRT_MultiSlice_Config_Serialize_Args, serialized, 16, 8);
FIELD(PJRT_MultiSlice_Config_Serialize_Args, size, 24, 8);
FIELD(PJRT_MultiSlice_Config_Serialize_Args, serialized_config, 32, 8);
FIELD(PJRT_MultiSlice_Config_Serialize_Args, serialized_config_deleter, 40, 8);

SIZE(PJRT_MultiSlice_Extension, 64, 64);
FIELD(PJRT_MultiSlice_Extension, base, 0, 24);
FIELD(PJRT_MultiSlice_Extension, config_destroy, 24, 8);
FIELD(PJRT_MultiSlice_Extension, config_num_slices, 32, 8);
FIELD(PJRT_MultiSlice_Extension, config_slice_id, 40, 8);
FIELD(PJRT_MultiSlice_Extension, config_num_devices_per_slice, 48, 8);
FIELD(PJRT_MultiSlice_Extension, config_serialize, 56, 8);

SIZE(PJRT_HostMemoryAllocator_Allocate_Args, 64, 64);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, struct_size, 0, 8);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, extension_start, 8, 8);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, client, 16, 8);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, size, 24, 8);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, numa_node, 32, 4);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, ptr, 40, 8);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, deleter, 48, 8);
FIELD(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg, 56, 8);

SIZE(PJRT_HostMemoryAllocator_Extension, 32, 32);
FIELD(PJRT_HostMemoryAllocator_Extension, base, 0, 24);
FIELD(PJRT_HostMemoryAllocator_Extension, allocate, 24, 8);

SIZE_ONLY(PJRT_XlaTransform_string, 16);
FIELD(PJRT_XlaTransform_string, data, 0, 8);
FIELD(PJRT_XlaTransform_string, size, 8, 8);

SIZE_ONLY(PJRT_XlaTransform_version_and_error, 48);
FIELD(PJRT_XlaTransform_version_and_error, api_version, 0, 8);
FIELD(PJRT_XlaTransform_version_and_error, data, 8, 8);
FIELD(PJRT_XlaTransform_version_and_error, cleanup_fn, 16, 8);
FIELD(PJRT_XlaTransform_version_and_error, has_error, 24, 1);
FIELD(PJRT_XlaTransform_version_and_error, code, 28, 4);
FIELD(PJRT_XlaTransform_version_and_error, error_msg, 32, 16);

SIZE(PJRT_XlaTransform_Args, 96, 89);
FIELD(PJRT_XlaTransform_Args, struct_size, 0, 8);
FIELD(PJRT_XlaTransform_Args, header, 8, 48);
FIELD(PJRT_XlaTransform_Args, hlo_module, 56, 16);
FIELD(PJRT_XlaTransform_Args, transformed_hlo_module, 72, 16);
FIELD(PJRT_XlaTransform_Args, changed, 88, 1);

SIZE_ONLY(PJRT_XlaTransform_Callbacks, 24);
FIELD(PJRT_XlaTransform_Callbacks, version, 0, 8);
FIELD(PJRT_XlaTransform_Callbacks, dtor, 8, 8);
FIELD(PJRT_XlaTransform_Callbacks, transform_hlo_module, 16, 8);

SIZE(PJRT_Register_Xla_Transform_Args, 40, 40);
FIELD(PJRT_Register_Xla_Transform_Args, struct_size, 0, 8);
FIELD(PJRT_Register_Xla_Transform_Args, name, 8, 8);
FIELD(PJRT_Register_Xla_Transform_Args, name_size, 16, 8);
FIELD(PJRT_Register_Xla_Transform_Args, stage, 24, 4);
FIELD(PJRT_Register_Xla_Transform_Args, callbacks, 32, 8);

SIZE(PJRT_Clear_Xla_Transform_Args, 48, 41);
FIELD(PJRT_Clear_Xla_Transform_Args, struct_size, 0, 8);
FIELD(PJRT_Clear_Xla_Transform_Args, stage, 8, 4);
FIELD(PJRT_Clear_Xla_Transform_Args, name, 16, 8);
FIELD(PJRT_Clear_Xla_Transform_Args, name_size, 24, 8);
FIELD(PJRT_Clear_Xla_Transform_Args, callbacks, 32, 8);
FIELD(PJRT_Clear_Xla_Transform_Args, cleared, 40, 1);

SIZE(PJRT_Xla_Transform_Extension, 40, 40);
FIELD(PJRT_Xla_Transform_Extension, base, 0, 24);
FIELD(PJRT_Xla_Transform_Extension, register_xla_transform, 24, 8);
FIELD(PJRT_Xla_Transform_Extension, clear_xla_transform, 32, 8);

SIZE(PJRT_ExampleExtension_ExampleMethod_Args, 16, 16);
FIELD(PJRT_ExampleExtension_ExampleMethod_Args, extension_cpp, 0, 8);
FIELD(PJRT_ExampleExtension_ExampleMethod_Args, value, 8, 8);

SIZE(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args, 8, 8);
FIELD(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args, extension_cpp, 0, 8);

SIZE(PJRT_Example_Extension, 48, 48);
FIELD(PJRT_Example_Extension, base, 0, 24);
FIELD(PJRT_Example_Extension, example_method, 24, 8);
FIELD(PJRT_Example_Extension, create, 32, 8);
FIELD(PJRT_Example_Extension, destroy, 40, 8);

#undef FIELD
#undef SIZE_ONLY
#undef SIZE

TEST(ExtensionsAbiTest, BaseComesFirst) {
  EXPECT_EQ(offsetof(PJRT_Layouts_Extension, base), 0u);
  EXPECT_EQ(offsetof(PJRT_FFI_Extension, base), 0u);
}

}  // namespace
