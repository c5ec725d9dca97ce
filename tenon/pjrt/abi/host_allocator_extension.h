// HostAllocator extension (type 15): host memory for fast transfers. Superseded by type
// 23.
#ifndef TENON_PJRT_ABI_HOST_ALLOCATOR_EXTENSION_H_
#define TENON_PJRT_ABI_HOST_ALLOCATOR_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_HOST_ALLOCATOR_EXTENSION_VERSION = 0 };

typedef struct PJRT_HostAllocator_GetPreferredAlignment_Args
    PJRT_HostAllocator_GetPreferredAlignment_Args;
typedef struct PJRT_HostAllocator_Allocate_Args PJRT_HostAllocator_Allocate_Args;
typedef struct PJRT_HostAllocator_Free_Args PJRT_HostAllocator_Free_Args;
typedef struct PJRT_HostAllocator_Extension PJRT_HostAllocator_Extension;

struct PJRT_HostAllocator_GetPreferredAlignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t preferred_alignment;  // out
};
PJRT_STRUCT_SIZE(PJRT_HostAllocator_GetPreferredAlignment_Args, preferred_alignment);

struct PJRT_HostAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t size;
  size_t alignment;
  void* ptr;  // out
};
PJRT_STRUCT_SIZE(PJRT_HostAllocator_Allocate_Args, ptr);

struct PJRT_HostAllocator_Free_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  void* ptr;
};
PJRT_STRUCT_SIZE(PJRT_HostAllocator_Free_Args, ptr);

struct PJRT_HostAllocator_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*get_preferred_alignment)(
      PJRT_HostAllocator_GetPreferredAlignment_Args* args);
  PJRT_Error* (*allocate)(PJRT_HostAllocator_Allocate_Args* args);
  PJRT_Error* (*free)(PJRT_HostAllocator_Free_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_HostAllocator_Extension, free);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_HOST_ALLOCATOR_EXTENSION_H_
