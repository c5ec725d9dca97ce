// ExecutableMetadata extension (type 13): the plugin's own serialized proto about an
// executable.
#ifndef TENON_PJRT_ABI_EXECUTABLE_METADATA_EXTENSION_H_
#define TENON_PJRT_ABI_EXECUTABLE_METADATA_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_EXECUTABLE_METADATA_EXTENSION_VERSION = 1 };

typedef struct PJRT_ExecutableMetadata PJRT_ExecutableMetadata;
typedef struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args
    PJRT_ExecutableMetadata_GetExecutableMetadata_Args;
typedef struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args
    PJRT_ExecutableMetadata_DestroySerializedMetadata_Args;
typedef struct PJRT_ExecutableMetadata_Extension PJRT_ExecutableMetadata_Extension;

struct PJRT_ExecutableMetadata {
  const char* serialized_metadata;
  size_t serialized_metadata_size;
};

struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
  PJRT_Executable* executable;
  PJRT_ExecutableMetadata* metadata;  // out
};
PJRT_STRUCT_SIZE(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, metadata);

struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
  PJRT_ExecutableMetadata* metadata;
};
PJRT_STRUCT_SIZE(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, metadata);

struct PJRT_ExecutableMetadata_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*get_executable_metadata)(
      PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args);
  void (*destroy_serialized_metadata)(
      PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_ExecutableMetadata_Extension, destroy_serialized_metadata);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_EXECUTABLE_METADATA_EXTENSION_H_
