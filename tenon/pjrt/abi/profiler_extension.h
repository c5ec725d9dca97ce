// Profiler extension (type 1): a function table for jax.profiler, with its own error
// type.
//
// The order of calls is create, start, stop, collect_data (first with a null buffer, to
// get the size), destroy. The result is a serialized XSpace. The same struct with a null
// table may be in the extension lists of Compile and Execute arguments; there it carries
// the id that correlates trace events.
#ifndef TENON_PJRT_ABI_PROFILER_EXTENSION_H_
#define TENON_PJRT_ABI_PROFILER_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_PROFILER_EXTENSION_VERSION = 1 };

typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;
typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error_Destroy_Args PLUGIN_Profiler_Error_Destroy_Args;
typedef struct PLUGIN_Profiler_Error_Message_Args PLUGIN_Profiler_Error_Message_Args;
typedef struct PLUGIN_Profiler_Error_GetCode_Args PLUGIN_Profiler_Error_GetCode_Args;
typedef struct PLUGIN_Profiler_Create_Args PLUGIN_Profiler_Create_Args;
typedef struct PLUGIN_Profiler_Destroy_Args PLUGIN_Profiler_Destroy_Args;
typedef struct PLUGIN_Profiler_Start_Args PLUGIN_Profiler_Start_Args;
typedef struct PLUGIN_Profiler_Stop_Args PLUGIN_Profiler_Stop_Args;
typedef struct PLUGIN_Profiler_CollectData_Args PLUGIN_Profiler_CollectData_Args;
typedef struct PLUGIN_Profiler_Api PLUGIN_Profiler_Api;
typedef struct PJRT_Profiler_Extension PJRT_Profiler_Extension;

struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Error_Destroy_Args, error);

struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void* priv;
  const PLUGIN_Profiler_Error* error;
  const char* message;  // out
  size_t message_size;  // out
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Error_Message_Args, message_size);

struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void* priv;
  const PLUGIN_Profiler_Error* error;
  int code;  // out
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Error_GetCode_Args, code);

struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char* options;
  size_t options_size;
  PLUGIN_Profiler* profiler;  // out
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Create_Args, profiler);

struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Destroy_Args, profiler);

struct PLUGIN_Profiler_Start_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Start_Args, profiler);

struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Stop_Args, profiler);

struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  uint8_t* buffer;              // in and out
  size_t buffer_size_in_bytes;  // out
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_CollectData_Args, buffer_size_in_bytes);

struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void* priv;
  void (*error_destroy)(PLUGIN_Profiler_Error_Destroy_Args* args);
  void (*error_message)(PLUGIN_Profiler_Error_Message_Args* args);
  PLUGIN_Profiler_Error* (*error_get_code)(PLUGIN_Profiler_Error_GetCode_Args* args);
  PLUGIN_Profiler_Error* (*create)(PLUGIN_Profiler_Create_Args* args);
  PLUGIN_Profiler_Error* (*destroy)(PLUGIN_Profiler_Destroy_Args* args);
  PLUGIN_Profiler_Error* (*start)(PLUGIN_Profiler_Start_Args* args);
  PLUGIN_Profiler_Error* (*stop)(PLUGIN_Profiler_Stop_Args* args);
  PLUGIN_Profiler_Error* (*collect_data)(PLUGIN_Profiler_CollectData_Args* args);
};
PJRT_STRUCT_SIZE(PLUGIN_Profiler_Api, collect_data);

struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  PLUGIN_Profiler_Api* profiler_api;
  int64_t traceme_context_id;
};
PJRT_STRUCT_SIZE(PJRT_Profiler_Extension, traceme_context_id);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_PROFILER_EXTENSION_H_
