// Triton extension (type 7): compiles a Triton module for an architecture.
#ifndef TENON_PJRT_ABI_TRITON_EXTENSION_H_
#define TENON_PJRT_ABI_TRITON_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_TRITON_EXTENSION_VERSION = 2 };

typedef struct PJRT_Triton_Compile_Args PJRT_Triton_Compile_Args;
typedef struct PJRT_Triton_Extension PJRT_Triton_Extension;

struct PJRT_Triton_Compile_Args {
  size_t struct_size;
  const char* module;
  size_t module_size;
  const char* arch_name;
  size_t arch_name_size;
  int num_warps;
  int num_ctas;
  int num_stages;
  const char* out_asm;     // out
  size_t out_asm_size;     // out
  int64_t out_smem_bytes;  // out
  const char* out_path;    // out
  size_t out_path_size;    // out
};
PJRT_STRUCT_SIZE(PJRT_Triton_Compile_Args, out_path_size);

struct PJRT_Triton_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*compile)(PJRT_Triton_Compile_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Triton_Extension, compile);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_TRITON_EXTENSION_H_
