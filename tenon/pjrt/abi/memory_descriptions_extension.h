// MemoryDescriptions extension (type 6): memory kinds of a device without a client.
#ifndef TENON_PJRT_ABI_MEMORY_DESCRIPTIONS_EXTENSION_H_
#define TENON_PJRT_ABI_MEMORY_DESCRIPTIONS_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_MEMORY_DESCRIPTIONS_EXTENSION_VERSION = 1 };

typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;
typedef struct PJRT_DeviceDescription_MemoryDescriptions_Args
    PJRT_DeviceDescription_MemoryDescriptions_Args;
typedef struct PJRT_MemoryDescription_Kind_Args PJRT_MemoryDescription_Kind_Args;
typedef struct PJRT_MemoryDescriptions_Extension PJRT_MemoryDescriptions_Extension;

struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const PJRT_MemoryDescription* const* memory_descriptions;  // out
  size_t num_memory_descriptions;                            // out
  size_t default_memory_index;                               // out
};
PJRT_STRUCT_SIZE(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index);

struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_MemoryDescription* memory_description;
  const char* kind;  // out
  size_t kind_size;  // out
  int kind_id;       // out
};
PJRT_STRUCT_SIZE(PJRT_MemoryDescription_Kind_Args, kind_id);

struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_DeviceDescription_MemoryDescriptions)(
      PJRT_DeviceDescription_MemoryDescriptions_Args* args);
  PJRT_Error* (*PJRT_MemoryDescription_Kind)(PJRT_MemoryDescription_Kind_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_MemoryDescriptions_Extension, PJRT_MemoryDescription_Kind);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_MEMORY_DESCRIPTIONS_EXTENSION_H_
