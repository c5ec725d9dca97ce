// Callback extension (type 14): notifications about failing slices.
#ifndef TENON_PJRT_ABI_CALLBACK_EXTENSION_H_
#define TENON_PJRT_ABI_CALLBACK_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_CALLBACK_EXTENSION_VERSION = 1 };

typedef struct PJRT_Callback_Tpu_SliceBuilderArgs PJRT_Callback_Tpu_SliceBuilderArgs;
typedef struct PJRT_Callback_PrefatalArgs PJRT_Callback_PrefatalArgs;
typedef struct PJRT_Callback_RegisterCallback_Args PJRT_Callback_RegisterCallback_Args;
typedef struct PJRT_Callback_InvokeCallback_Args PJRT_Callback_InvokeCallback_Args;
typedef struct PJRT_Callback_Extension PJRT_Callback_Extension;

typedef enum PJRT_ENUM_BASE {
  PJRT_Callback_Type_Unknown = 0,
  PJRT_Callback_Type_Tpu_SliceBuilder = 1,
  PJRT_Callback_Type_Prefatal = 2,
} PJRT_Callback_Type;

// `args` points to the struct below that belongs to the registered type.
typedef void (*PJRT_Callback_Function)(void* args, void* user_arg);

struct PJRT_Callback_Tpu_SliceBuilderArgs {
  size_t struct_size;
  int failure_type;
};
PJRT_STRUCT_SIZE(PJRT_Callback_Tpu_SliceBuilderArgs, failure_type);

struct PJRT_Callback_PrefatalArgs {
  size_t struct_size;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_STRUCT_SIZE(PJRT_Callback_PrefatalArgs, error_message_size);

struct PJRT_Callback_RegisterCallback_Args {
  size_t struct_size;
  PJRT_Client* client;
  PJRT_Callback_Type type;
  PJRT_Callback_Function callback;
  void* user_arg;
};
PJRT_STRUCT_SIZE(PJRT_Callback_RegisterCallback_Args, user_arg);

struct PJRT_Callback_InvokeCallback_Args {
  size_t struct_size;
  PJRT_Client* client;
  PJRT_Callback_Type type;
  void* args;
};
PJRT_STRUCT_SIZE(PJRT_Callback_InvokeCallback_Args, args);

struct PJRT_Callback_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_callback)(PJRT_Callback_RegisterCallback_Args* args);
  PJRT_Error* (*invoke_callback)(PJRT_Callback_InvokeCallback_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Callback_Extension, invoke_callback);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_CALLBACK_EXTENSION_H_
