// Gpu_Custom_Call extension (type 0): registers custom-call handlers for all stages. With
// api_version 1 these are typed FFI handlers; with 0 handler_execute is a plain function.
#ifndef TENON_PJRT_ABI_GPU_EXTENSION_H_
#define TENON_PJRT_ABI_GPU_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_GPU_CUSTOM_CALL_EXTENSION_VERSION = 2 };

typedef struct PJRT_Gpu_Register_Custom_Call_Args PJRT_Gpu_Register_Custom_Call_Args;
typedef struct PJRT_Gpu_Custom_Call PJRT_Gpu_Custom_Call;

struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int api_version;
  void* handler_instantiate;
  void* handler_prepare;
  void* handler_initialize;
  void* handler_execute;
};
PJRT_STRUCT_SIZE(PJRT_Gpu_Register_Custom_Call_Args, handler_execute);

struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  PJRT_Error* (*custom_call)(PJRT_Gpu_Register_Custom_Call_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Gpu_Custom_Call, custom_call);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_GPU_EXTENSION_H_
