// RawBuffer extension (type 8): untyped aliases of buffers with offset copies.
#ifndef TENON_PJRT_ABI_RAW_BUFFER_EXTENSION_H_
#define TENON_PJRT_ABI_RAW_BUFFER_EXTENSION_H_

#include "tenon/pjrt/abi/device_event.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_RAW_BUFFER_EXTENSION_VERSION = 2 };

typedef struct PJRT_RawBuffer_FunctionTable PJRT_RawBuffer_FunctionTable;
typedef struct PJRT_RawBuffer PJRT_RawBuffer;
typedef struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args;
typedef struct PJRT_RawBuffer_Destroy_Args PJRT_RawBuffer_Destroy_Args;
typedef struct PJRT_RawBuffer_GetHostPointer_Args PJRT_RawBuffer_GetHostPointer_Args;
typedef struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args
    PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args;
typedef struct PJRT_RawBuffer_GetMemorySpace_Args PJRT_RawBuffer_GetMemorySpace_Args;
typedef struct PJRT_RawBuffer_CopyRawDeviceToHost_Args
    PJRT_RawBuffer_CopyRawDeviceToHost_Args;
typedef struct PJRT_RawBuffer_CopyRawHostToDevice_Args
    PJRT_RawBuffer_CopyRawHostToDevice_Args;
typedef struct PJRT_RawBuffer_Extension PJRT_RawBuffer_Extension;

struct PJRT_RawBuffer_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*inc_ref)(PJRT_RawBuffer* raw_buffer);
  void (*dec_ref)(PJRT_RawBuffer* raw_buffer);
  size_t (*get_on_device_size_in_bytes)(const PJRT_RawBuffer* raw_buffer);
  PJRT_Memory* (*get_memory_space)(const PJRT_RawBuffer* raw_buffer);
  void* (*get_host_pointer)(const PJRT_RawBuffer* raw_buffer);
  PJRT_Error* (*copy_raw_host_to_device_and_return_event)(PJRT_RawBuffer* raw_buffer,
                                                          const void* src, int64_t offset,
                                                          int64_t transfer_size,
                                                          PJRT_DeviceEvent* event);
  PJRT_Error* (*copy_raw_device_to_host_and_return_event)(PJRT_RawBuffer* raw_buffer,
                                                          void* dst, int64_t offset,
                                                          int64_t transfer_size,
                                                          PJRT_DeviceEvent* event);
  void* (*opaque_device_memory_data_pointer)(const PJRT_RawBuffer* raw_buffer);
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_FunctionTable, opaque_device_memory_data_pointer);

struct PJRT_RawBuffer {
  const PJRT_RawBuffer_FunctionTable* vtable;
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer, vtable);

struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_RawBuffer* raw_buffer;  // out
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, raw_buffer);

struct PJRT_RawBuffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_Destroy_Args, buffer);

struct PJRT_RawBuffer_GetHostPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  void* host_pointer;  // out
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_GetHostPointer_Args, host_pointer);

struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  size_t on_device_size_in_bytes;  // out
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, on_device_size_in_bytes);

struct PJRT_RawBuffer_GetMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  PJRT_Memory* memory_space;  // out
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_GetMemorySpace_Args, memory_space);

struct PJRT_RawBuffer_CopyRawDeviceToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  void* dst;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_CopyRawDeviceToHost_Args, event);

struct PJRT_RawBuffer_CopyRawHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  const void* src;
  int64_t offset;
  int64_t transfer_size;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_CopyRawHostToDevice_Args, event);

struct PJRT_RawBuffer_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_RawBuffer_CreateRawAliasOfBuffer)(
      PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_Destroy)(PJRT_RawBuffer_Destroy_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_GetOnDeviceSizeInBytes)(
      PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_GetMemorySpace)(PJRT_RawBuffer_GetMemorySpace_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_CopyRawHostToDevice)(
      PJRT_RawBuffer_CopyRawHostToDevice_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_CopyRawDeviceToHost)(
      PJRT_RawBuffer_CopyRawDeviceToHost_Args* args);
  PJRT_Error* (*PJRT_RawBuffer_GetHostPointer)(PJRT_RawBuffer_GetHostPointer_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_RawBuffer_Extension, PJRT_RawBuffer_GetHostPointer);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_RAW_BUFFER_EXTENSION_H_
