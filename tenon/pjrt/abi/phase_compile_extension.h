// PhaseCompile extension (type 9): runs the compiler phase by phase on serialized
// programs.
#ifndef TENON_PJRT_ABI_PHASE_COMPILE_EXTENSION_H_
#define TENON_PJRT_ABI_PHASE_COMPILE_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_PHASE_COMPILE_EXTENSION_VERSION = 1 };

typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;
typedef struct PJRT_PhaseCompile_Get_Compiler_Args PJRT_PhaseCompile_Get_Compiler_Args;
typedef struct PJRT_PhaseCompile_Destroy_Compiler_Args
    PJRT_PhaseCompile_Destroy_Compiler_Args;
typedef struct PJRT_PhaseCompile_Run_Phase_Args PJRT_PhaseCompile_Run_Phase_Args;
typedef struct PJRT_PhaseCompile_Get_PhaseNames_Args
    PJRT_PhaseCompile_Get_PhaseNames_Args;
typedef struct PJRT_PhaseCompile_C_Buffers_Destroy_Args
    PJRT_PhaseCompile_C_Buffers_Destroy_Args;
typedef struct PJRT_PhaseCompile_Extension PJRT_PhaseCompile_Extension;

struct PJRT_PhaseCompile_Get_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;  // out
};
PJRT_STRUCT_SIZE(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler);

struct PJRT_PhaseCompile_Destroy_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
};
PJRT_STRUCT_SIZE(PJRT_PhaseCompile_Destroy_Compiler_Args, phase_compiler);

struct PJRT_PhaseCompile_Run_Phase_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
  const char** input_programs;
  const size_t* input_programs_sizes;
  size_t num_input_programs;
  const char** phases_to_run;
  const size_t* phases_to_run_sizes;
  size_t num_phases_to_run;
  const char* compile_options;
  size_t compile_options_size;
  PJRT_TopologyDescription* topology;
  const char** output_programs;         // out
  const size_t* output_programs_sizes;  // out
  size_t num_output_programs;           // out
};
PJRT_STRUCT_SIZE(PJRT_PhaseCompile_Run_Phase_Args, num_output_programs);

struct PJRT_PhaseCompile_Get_PhaseNames_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
  const char** phase_names;         // out
  const size_t* phase_names_sizes;  // out
  size_t num_phase_names;           // out
};
PJRT_STRUCT_SIZE(PJRT_PhaseCompile_Get_PhaseNames_Args, num_phase_names);

struct PJRT_PhaseCompile_C_Buffers_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char** char_buffers;
  const size_t* char_buffer_sizes;
  size_t num_char_buffers;
};
PJRT_STRUCT_SIZE(PJRT_PhaseCompile_C_Buffers_Destroy_Args, num_char_buffers);

struct PJRT_PhaseCompile_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*phase_compile_get_compiler)(PJRT_PhaseCompile_Get_Compiler_Args* args);
  void (*phase_compile_destroy_compiler)(PJRT_PhaseCompile_Destroy_Compiler_Args* args);
  PJRT_Error* (*phase_compile_run_phases)(PJRT_PhaseCompile_Run_Phase_Args* args);
  PJRT_Error* (*phase_compile_get_phase_names)(
      PJRT_PhaseCompile_Get_PhaseNames_Args* args);
  void (*phase_compile_c_buffers_destroy)(PJRT_PhaseCompile_C_Buffers_Destroy_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_PhaseCompile_Extension, phase_compile_c_buffers_destroy);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_PHASE_COMPILE_EXTENSION_H_
