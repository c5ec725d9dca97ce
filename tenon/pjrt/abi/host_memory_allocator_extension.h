// HostMemoryAllocator extension (type 23): memory for host buffers.
#ifndef TENON_PJRT_ABI_HOST_MEMORY_ALLOCATOR_EXTENSION_H_
#define TENON_PJRT_ABI_HOST_MEMORY_ALLOCATOR_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_HOST_MEMORY_ALLOCATOR_EXTENSION_VERSION = 0 };

typedef struct PJRT_HostMemoryAllocator_Allocate_Args
    PJRT_HostMemoryAllocator_Allocate_Args;
typedef struct PJRT_HostMemoryAllocator_Extension PJRT_HostMemoryAllocator_Extension;

struct PJRT_HostMemoryAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t size;
  int numa_node;
  uint8_t* ptr;                           // out
  void (*deleter)(void* ptr, void* arg);  // out
  void* deleter_arg;                      // out
};
PJRT_STRUCT_SIZE(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg);

struct PJRT_HostMemoryAllocator_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*allocate)(PJRT_HostMemoryAllocator_Allocate_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_HostMemoryAllocator_Extension, allocate);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_HOST_MEMORY_ALLOCATOR_EXTENSION_H_
