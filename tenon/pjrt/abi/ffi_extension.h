// FFI extension (type 5): types and handlers of custom calls, and user data for one
// execution.
#ifndef TENON_PJRT_ABI_FFI_EXTENSION_H_
#define TENON_PJRT_ABI_FFI_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_FFI_EXTENSION_VERSION = 3 };

typedef struct PJRT_FFI_Type_Info PJRT_FFI_Type_Info;
typedef struct PJRT_FFI_Type_Register_Args PJRT_FFI_Type_Register_Args;
typedef struct PJRT_FFI_UserData PJRT_FFI_UserData;
typedef struct PJRT_FFI_UserData_Add_Args PJRT_FFI_UserData_Add_Args;
typedef struct PJRT_FFI_Register_Handler_Args PJRT_FFI_Register_Handler_Args;
typedef struct PJRT_FFI_Extension PJRT_FFI_Extension;

typedef enum PJRT_ENUM_BASE {
  PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1u << 0,
} PJRT_FFI_Handler_TraitsBits;

struct PJRT_FFI_Type_Info {
  void (*deleter)(void* object);
  void (*serialize)(void);
  void (*deserialize)(void);
};

struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;  // in and out
  PJRT_FFI_Type_Info* type_info;
};
PJRT_STRUCT_SIZE(PJRT_FFI_Type_Register_Args, type_info);

struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
};

struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
};
PJRT_STRUCT_SIZE(PJRT_FFI_UserData_Add_Args, user_data);

struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  PJRT_FFI_Handler_TraitsBits traits;
};
PJRT_STRUCT_SIZE(PJRT_FFI_Register_Handler_Args, traits);

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args* args);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_FFI_Extension, register_handler);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_FFI_EXTENSION_H_
