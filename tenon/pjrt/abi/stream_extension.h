// Stream extension (type 3): raw streams of devices, for exchange with other libraries.
#ifndef TENON_PJRT_ABI_STREAM_EXTENSION_H_
#define TENON_PJRT_ABI_STREAM_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_STREAM_EXTENSION_VERSION = 0 };

typedef struct PJRT_Get_Stream_For_External_Ready_Events_Args
    PJRT_Get_Stream_For_External_Ready_Events_Args;
typedef struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args
    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args;
typedef struct PJRT_Stream_Extension PJRT_Stream_Extension;

struct PJRT_Get_Stream_For_External_Ready_Events_Args {
  size_t struct_size;
  PJRT_Device* device;
  intptr_t stream;  // out
};
PJRT_STRUCT_SIZE(PJRT_Get_Stream_For_External_Ready_Events_Args, stream);

struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args {
  size_t struct_size;
  intptr_t stream;
  PJRT_Buffer* buffer;
};
PJRT_STRUCT_SIZE(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer);

struct PJRT_Stream_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*get_stream)(PJRT_Get_Stream_For_External_Ready_Events_Args* args);
  PJRT_Error* (*wait_stream)(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Stream_Extension, wait_stream);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_STREAM_EXTENSION_H_
