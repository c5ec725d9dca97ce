/* Runs programs that tenon-compile has compiled, from .tenon files, without a compiler.
 *
 *   tenon_program *program;
 *   tenon_error error;
 *   if (tenon_program_open("model.tenon", NULL, &program, &error)) puts(error.message);
 *   const void *inputs[] = {x};
 *   void *outputs[] = {y};
 *   if (tenon_program_run(program, NULL, inputs, outputs, NULL, &error))
 *     puts(error.message);
 *   tenon_program_close(program);
 *
 * Link with -ltenon_runtime, or with the static library and -lpthread; nothing else is
 * needed. C99 and C++.
 *
 * A program computes on dense arrays in memory that the caller owns. Sizes are in bytes
 * unless said otherwise. Elements are in the byte order of the machine; those of less
 * than 8 bits take one byte each, and predicates are the bytes 0 and 1.
 *
 * Functions that can fail return 0, or a code of enum tenon_code, and then describe the
 * failure in *error if it is not NULL. Nothing is printed, and no C++ exception passes
 * through this interface. Programs and teams may be used by any number of threads at a
 * time; opening, closing and destroying an object is up to one thread.
 * docs/runtime.md is the guide. */
#ifndef TENON_RUNTIME_H_
#define TENON_RUNTIME_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a declaration here is added. None is changed or removed. */
#define TENON_RUNTIME_VERSION 2

#if defined(TENON_RUNTIME_BUILD)
#define TENON_API __attribute__((visibility("default")))
#else
#define TENON_API
#endif

/* As in PJRT_Error_Code. */
enum tenon_code {
  TENON_OK = 0,
  TENON_INVALID_ARGUMENT = 3,
  TENON_NOT_FOUND = 5,           /* there is no such file */
  TENON_RESOURCE_EXHAUSTED = 8,  /* no memory or thread left */
  TENON_FAILED_PRECONDITION = 9, /* another format, ABI or processor */
  TENON_UNIMPLEMENTED = 12,      /* a kind of program that needs the PJRT plugin */
  TENON_INTERNAL = 13,
  TENON_DATA_LOSS = 15 /* damaged or truncated */
};

typedef struct tenon_error {
  int32_t code;      /* enum tenon_code, or another code of PJRT from the program */
  char message[508]; /* ends in NUL; longer messages are cut */
} tenon_error;

/* Types of elements, as in PJRT_Buffer_Type. */
typedef enum tenon_type {
  TENON_PRED = 1,
  TENON_S8 = 2,
  TENON_S16 = 3,
  TENON_S32 = 4,
  TENON_S64 = 5,
  TENON_U8 = 6,
  TENON_U16 = 7,
  TENON_U32 = 8,
  TENON_U64 = 9,
  TENON_F16 = 10,
  TENON_F32 = 11,
  TENON_F64 = 12,
  TENON_BF16 = 13,
  TENON_C64 = 14,
  TENON_C128 = 15,
  TENON_F8E5M2 = 16,
  TENON_F8E4M3FN = 17,
  TENON_F8E4M3B11FNUZ = 18,
  TENON_F8E5M2FNUZ = 19,
  TENON_F8E4M3FNUZ = 20,
  TENON_S4 = 21,
  TENON_U4 = 22,
  TENON_TOKEN = 23,
  TENON_S2 = 24,
  TENON_U2 = 25,
  TENON_F8E4M3 = 26,
  TENON_F8E3M4 = 27,
  TENON_F8E8M0FNU = 28,
  TENON_F4E2M1FN = 29,
  TENON_F6E2M3FN = 32,
  TENON_F6E3M2FN = 33
} tenon_type;

/* An input or output of a program. */
typedef struct tenon_tensor {
  const char* name; /* as the framework calls it; may be "" */
  tenon_type type;
  int32_t rank;                  /* number of dimensions */
  const int64_t* dims;           /* number of elements along each dimension */
  const int64_t* minor_to_major; /* the layout: dimensions by increasing stride.
                                    rank - 1, ..., 0 is C's order */
  size_t bytes;                  /* of the dense array */
  /* Of an output: the input whose memory it may use, or -1. If inputs[alias] and the
     output are the same pointer, the input is updated in place; otherwise the input is
     copied first. */
  int32_t alias;
  /* Of an input or a weight: its number among the parameters of the program, which are
     inputs and weights together. 0 for outputs. */
  int32_t parameter;
} tenon_tensor;

typedef struct tenon_signature {
  const char* name; /* of the program */
  size_t num_inputs;
  const tenon_tensor* inputs;
  size_t num_outputs;
  const tenon_tensor* outputs;
  /* Parameters of the program whose values come with it. They are not among inputs. */
  size_t num_weights;
  const tenon_tensor* weights;
} tenon_signature;

typedef struct tenon_program tenon_program; /* immutable */
typedef struct tenon_team tenon_team;       /* threads that compute */

enum tenon_open_flags {
  /* Compares the checksums of constants and weights too, which reads all of them, and so
     finds weights that are not those of the compilation. The rest of the file is always
     checked. */
  TENON_OPEN_CHECK_CONSTANTS = 1,
  /* Runs accept inputs and outputs of any alignment: those that are not aligned to 64
     bytes are copied. Otherwise they are refused. */
  TENON_OPEN_COPY_UNALIGNED = 2
};

typedef struct tenon_open_options {
  size_t struct_size; /* sizeof(tenon_open_options) */
  uint32_t flags;     /* of enum tenon_open_flags */
  /* The safetensors file with the weights, for programs whose weights are not inside.
     NULL: the file that the program names, relative to the program's own folder. */
  const char* weights;
} tenon_open_options;

/* Opens a file. Code, constants and weights are mapped, not read: processes that have the
 * file open share them. Do not change files meanwhile; replace them by renaming. Of
 * several code sections, the one that uses most of this processor's features is taken.
 * options may be NULL.
 *
 * Weights in a safetensors file are found by name; their types and shapes must be those
 * of the program. Those that are not aligned to 64 bytes in the file are copied.
 *
 * What can be wrong is looked for in this order: no file of Tenon, truncated, another
 * format, another ABI, damaged, a kind of program that this library does not run, no code
 * for this architecture and its features, the file of weights and its content. */
TENON_API int tenon_program_open(const char* path, const tenon_open_options* options,
                                 tenon_program** program, tenon_error* error);

/* The same for a file in memory, for example an array in the executable. The bytes must
 * stay until the program is closed, and their address must be a multiple of 64. */
TENON_API int tenon_program_open_memory(const void* bytes, size_t size,
                                        const tenon_open_options* options,
                                        tenon_program** program, tenon_error* error);

/* What program takes and gives. Valid until the program is closed. */
TENON_API const tenon_signature* tenon_program_signature(const tenon_program* program);

/* The memory that a run needs besides inputs and outputs. */
TENON_API size_t tenon_program_arena_bytes(const tenon_program* program);

/* The name of the target of the chosen code, as tenon-compile --cpu takes it. */
TENON_API const char* tenon_program_target(const tenon_program* program);

/* Text that whoever compiled the program put into the file, for example how JAX's trees
 * of arguments map to inputs; "" if there is none. UTF-8. */
TENON_API const char* tenon_program_note(const tenon_program* program);

/* Runs the program on this thread and those of team, which may be NULL, and returns when
 * it has finished. inputs and outputs have the addresses of the arrays, in the order of
 * the signature, aligned to 64 bytes; that of an array without elements may be NULL.
 * Outputs may overlap neither each other nor inputs, except as tenon_tensor.alias allows.
 *
 * arena has tenon_program_arena_bytes bytes, aligned to 64, for one run at a time; its
 * content does not matter. If it is NULL, the program takes memory of its own and keeps
 * it for later runs. With an arena, runs allocate nothing, unless inputs, weights and
 * outputs are more than 256, or unaligned arrays are copied.
 *
 * Results do not depend on the number of threads. The code is the program's: run only
 * files that you trust. */
TENON_API int tenon_program_run(const tenon_program* program, tenon_team* team,
                                const void* const* inputs, void* const* outputs,
                                void* arena, tenon_error* error);

/* Does nothing if program is NULL. No run may be in progress. */
TENON_API void tenon_program_close(tenon_program* program);

/* Starts num_threads - 1 threads, which compute together with the one that calls
 * tenon_program_run; 0 means one for each processor that this process may use. */
TENON_API int tenon_team_create(int num_threads, tenon_team** team, tenon_error* error);

/* Calls body(context, i) once for each i from 0 to count - 1, in any order and on any
 * threads, and returns when all calls have returned. */
typedef void (*tenon_parallel_for)(void* user, void (*body)(void* context, int64_t i),
                                   void* context, int64_t count);

/* A team whose threads are the caller's own pool, of num_threads threads. */
TENON_API int tenon_team_from_callback(tenon_parallel_for parallel_for, void* user,
                                       int num_threads, tenon_team** team,
                                       tenon_error* error);

/* Does nothing if team is NULL. No run may use it. */
TENON_API void tenon_team_destroy(tenon_team* team);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_H_ */
