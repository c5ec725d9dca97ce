// What compiled code sees of the runtime: the only contract between the two.
//
// Compiled code is position-independent and refers to nothing but memcpy, memmove and
// memset (filled in by the loader); everything else it reaches through the RunContext.
// Fields are only ever appended; struct_size says how far a runtime goes. Plain C layout:
// the code generator addresses these fields by offset.
#ifndef TENON_EXECUTABLE_RUN_CONTEXT_H_
#define TENON_EXECUTABLE_RUN_CONTEXT_H_

#include <cstddef>
#include <cstdint>

namespace tenon {

struct RunContext;

// One argument or result. Dense row-major unless the executable says otherwise.
struct RunBuffer {
  void* data;           // never null unless the buffer has no bytes; 64-byte aligned
  const int64_t* dims;  // sizes, for programs with dynamic shapes; else null
};

// The body of a parallel loop: does chunk number `chunk`. Chunks may run in any order and
// on any thread, so the work of a chunk must depend on its number alone.
using ParallelBody = void (*)(RunContext* context, void* env, int64_t chunk);

struct RuntimeTable {
  uint64_t struct_size;
  // Runs body for chunks 0 .. num_chunks-1 on the compute team; returns when all are
  // done. Called from within a chunk it runs the chunks one after another.
  void (*parallel_for)(RunContext* context, ParallelBody body, void* env,
                       int64_t num_chunks);
  // Calls FFI call site `site` of the executable (see ExecutableInfo::ffi_calls) on the
  // given buffers. Returns 0, or the status code of the failure (its message is kept in
  // the context).
  int32_t (*call_ffi)(RunContext* context, int64_t site, const RunBuffer* args,
                      const RunBuffer* results);
  // Records an error; the entry point then returns its code. message need not end in NUL.
  void (*set_error)(RunContext* context, int32_t code, const char* message, int64_t size);
};

struct RunContext {
  uint64_t struct_size;
  const RuntimeTable* table;
  const uint8_t* constants;  // those of the code object, 64-byte aligned
  void* execution;           // the runtime's own state; opaque to compiled code
  int64_t run_id;
  int32_t device_id;
  int32_t replica_id;
  int32_t partition_id;
  int32_t num_threads;  // of the compute team, the caller included
  // Null unless the run is traced. Called before each kernel with its number in
  // CodeObject::kernels, and with -1 before a loop without kernels.
  void (*mark_kernel)(RunContext* context, int64_t kernel);
};

// A compiled program. Returns 0, or the StatusCode of a failure. `arena` has
// CodeObject::arena_bytes bytes, 64-byte aligned. A result aliased to an argument
// arrives holding the argument's value, and compiled code reads that argument through the
// result only.
using EntryPoint = int32_t (*)(RunContext* context, const RunBuffer* args,
                               const RunBuffer* results, void* arena);

static_assert(offsetof(RunContext, table) == 8);
static_assert(offsetof(RunContext, constants) == 16);
static_assert(offsetof(RunContext, run_id) == 32);
static_assert(offsetof(RunContext, num_threads) == 52);
static_assert(offsetof(RunContext, mark_kernel) == 56);
static_assert(offsetof(RuntimeTable, parallel_for) == 8);
static_assert(offsetof(RuntimeTable, call_ffi) == 16);
static_assert(offsetof(RuntimeTable, set_error) == 24);
static_assert(sizeof(RunBuffer) == 16);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_RUN_CONTEXT_H_
