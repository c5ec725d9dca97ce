// XlaTransform extension (type 24): callbacks that rewrite a module inside the compiler.
#ifndef TENON_PJRT_ABI_XLA_TRANSFORM_EXTENSION_H_
#define TENON_PJRT_ABI_XLA_TRANSFORM_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_XLA_TRANSFORM_EXTENSION_VERSION = 1 };

typedef struct PJRT_XlaTransform_string PJRT_XlaTransform_string;
typedef struct PJRT_XlaTransform_version_and_error PJRT_XlaTransform_version_and_error;
typedef struct PJRT_XlaTransform_Args PJRT_XlaTransform_Args;
typedef struct PJRT_XlaTransform_Callbacks PJRT_XlaTransform_Callbacks;
typedef struct PJRT_Register_Xla_Transform_Args PJRT_Register_Xla_Transform_Args;
typedef struct PJRT_Clear_Xla_Transform_Args PJRT_Clear_Xla_Transform_Args;
typedef struct PJRT_Xla_Transform_Extension PJRT_Xla_Transform_Extension;

struct PJRT_XlaTransform_string {
  const char* data;
  size_t size;
};

struct PJRT_XlaTransform_version_and_error {
  int64_t api_version;
  void* data;                          // out
  void (*cleanup_fn)(void* data);      // out
  bool has_error;                      // out
  PJRT_Error_Code code;                // out
  PJRT_XlaTransform_string error_msg;  // out
};

struct PJRT_XlaTransform_Args {
  size_t struct_size;
  PJRT_XlaTransform_version_and_error header;
  PJRT_XlaTransform_string hlo_module;
  PJRT_XlaTransform_string transformed_hlo_module;
  bool changed;  // out
};
PJRT_STRUCT_SIZE(PJRT_XlaTransform_Args, changed);

struct PJRT_XlaTransform_Callbacks {
  int64_t version;
  void (*dtor)(struct PJRT_XlaTransform_Callbacks* data);
  void (*transform_hlo_module)(struct PJRT_XlaTransform_Callbacks* data,
                               PJRT_XlaTransform_Args* args);
};

struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  int stage;
  PJRT_XlaTransform_Callbacks* callbacks;
};
PJRT_STRUCT_SIZE(PJRT_Register_Xla_Transform_Args, callbacks);

struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;
  int stage;
  const char* name;
  size_t name_size;
  PJRT_XlaTransform_Callbacks* callbacks;
  bool cleared;  // out
};
PJRT_STRUCT_SIZE(PJRT_Clear_Xla_Transform_Args, cleared);

struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_xla_transform)(PJRT_Register_Xla_Transform_Args* args);
  PJRT_Error* (*clear_xla_transform)(PJRT_Clear_Xla_Transform_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Xla_Transform_Extension, clear_xla_transform);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_XLA_TRANSFORM_EXTENSION_H_
