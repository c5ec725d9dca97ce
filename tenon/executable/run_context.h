// The interface between compiled code and the runtime.
//
// Compiled code is position-independent. Outside of itself it calls only memcpy, memmove
// and memset, whose addresses the loader fills in. It reaches everything else through the
// RunContext. Plain C layout, because the code generator addresses the fields by offset.
// Fields are only ever appended; struct_size tells which fields a runtime has.
#ifndef TENON_EXECUTABLE_RUN_CONTEXT_H_
#define TENON_EXECUTABLE_RUN_CONTEXT_H_

#include <cstddef>
#include <cstdint>

namespace tenon {

struct RunContext;

// One argument or result. Dense and row-major unless the executable has another layout.
struct RunBuffer {
  void* data;           // 64-byte aligned; null only if the buffer has no bytes
  const int64_t* dims;  // sizes, for programs with dynamic shapes; otherwise null
};

// The body of a parallel loop: executes chunk number `chunk`. Chunks may run in any order
// and on any thread, so a chunk's work must depend only on its number.
using ParallelBody = void (*)(RunContext* context, void* env, int64_t chunk);

// Combines a tile of `a` with a tile of `b` by the reducer of a collective. A tile has
// ImageCollective::tile_elements elements; it is 64-byte aligned, and `result` overlaps
// neither operand.
using Combiner = void (*)(RunContext* context, const void* a, const void* b,
                          void* result);

// What an entry point returns when the run waits in a collective. No StatusCode is
// negative.
inline constexpr int32_t kSuspended = -1;

struct RuntimeTable {
  uint64_t struct_size;
  // Runs `body` for chunks 0 .. num_chunks-1 on the compute team, and returns when all
  // are done. If it is called from within a chunk, it runs the chunks serially.
  void (*parallel_for)(RunContext* context, ParallelBody body, void* env,
                       int64_t num_chunks);
  // Calls FFI call site `site` of the executable (see ExecutableInfo::ffi_calls) with the
  // given buffers. Returns 0, or the status code of the error. The context keeps the
  // error's message.
  int32_t (*call_ffi)(RunContext* context, int64_t site, const RunBuffer* args,
                      const RunBuffer* results);
  // Records an error. The entry point then returns its code. `message` has `size` bytes
  // and need not end in NUL.
  void (*set_error)(RunContext* context, int32_t code, const char* message, int64_t size);
  // Notes that the run has come to collective `site` (see ExecutableInfo::collectives).
  // The entry point then returns kSuspended. When the collective has read the inputs of
  // all members of the group and written all outputs, the runtime calls the entry point
  // again with the same arguments, and it continues behind the collective. `combiner` is
  // null unless the collective reduces. The arrays need not outlive the call.
  void (*arrive)(RunContext* context, int64_t site, const RunBuffer* inputs,
                 const RunBuffer* outputs, Combiner combiner);

  // The rest is for programs whose kernels run on a device (kLauncherCode). Arguments,
  // results, arena and constants are addresses of the device, which only these functions
  // understand; code may add offsets to them. Operations run in the order of the calls.
  // Each function returns 0, or the status code of an error, which the context keeps; the
  // entry point then returns that code. Null for programs without a device.

  // Starts kernel `kernel` of the device code: `num_groups` work groups of the size that
  // DeviceKernel has. `arguments` has one word per argument of the kernel, an address or
  // a scalar in the low bytes, and need not outlive the call.
  int32_t (*launch)(RunContext* context, int64_t kernel, const uint64_t* arguments,
                    int64_t num_groups) = nullptr;
  // Copies `bytes` bytes on the device. The ranges do not overlap, or are equal.
  int32_t (*copy)(RunContext* context, void* to, const void* from,
                  int64_t bytes) = nullptr;
  // Copies up to 16 bytes to the host, after all operations before it. Waits.
  int32_t (*read)(RunContext* context, const void* from, void* to_host,
                  int64_t bytes) = nullptr;
  // Copies up to 16 bytes to the device. `from_host` need not outlive the call.
  int32_t (*write)(RunContext* context, void* to, const void* from_host,
                   int64_t bytes) = nullptr;
};

// Memory for an operand of products in the layout that their loops read. It outlives the
// run, and belongs to the argument that is the operand.
struct PackedOperand {
  void* data;         // 64-byte aligned; null: runs pack the operand for themselves
  int64_t is_packed;  // whether `data` holds the operand. Compiled code sets it to 1 when
                      // it has packed the whole operand there
};

struct RunContext {
  uint64_t struct_size;
  const RuntimeTable* table;
  const uint8_t* constants;  // the constants of the code object, 64-byte aligned
  void* execution;           // the runtime's own state; opaque to compiled code
  int64_t run_id;
  int32_t device_id;
  int32_t replica_id;
  int32_t partition_id;
  int32_t num_threads;  // of the compute team, including the caller
  // Null unless the run is traced. Compiled code calls it before each kernel with the
  // kernel's index in CodeObject::kernels, and with -1 before a loop without kernels.
  void (*trace_kernel)(RunContext* context, int64_t kernel);
  // Only for launchers with collectives: memory of the host for the state of the run,
  // CodeObject::arena_bytes bytes. Otherwise null.
  void* frame = nullptr;
  // One per CodeObject::packed_operands. Null for code without any.
  PackedOperand* packed_operands = nullptr;
};

// Where the addresses of shared segments are in the state of a run.
inline constexpr uint64_t kSegmentAddressesOffset = 8;

// A compiled program. Returns 0, the StatusCode of a failure, or kSuspended. A program
// with collectives keeps its state in the arena: the first 8 bytes are 0 for a run that
// begins, and nobody else writes there. The addresses of its shared segments
// (CodeObject::shared_segments) follow. A launcher, whose arena is on the device, keeps
// its state in RunContext::frame in the same way, and has no shared segments. `arena` has
// CodeObject::arena_bytes bytes, 64-byte aligned. A result that aliases an argument holds
// the argument's value on entry, and compiled code reads that argument only through the
// result.
using EntryPoint = int32_t (*)(RunContext* context, const RunBuffer* args,
                               const RunBuffer* results, void* arena);

static_assert(offsetof(RunContext, table) == 8);
static_assert(offsetof(RunContext, constants) == 16);
static_assert(offsetof(RunContext, run_id) == 32);
static_assert(offsetof(RunContext, num_threads) == 52);
static_assert(offsetof(RunContext, trace_kernel) == 56);
static_assert(offsetof(RunContext, frame) == 64);
static_assert(offsetof(RunContext, packed_operands) == 72);
static_assert(offsetof(RuntimeTable, parallel_for) == 8);
static_assert(offsetof(RuntimeTable, call_ffi) == 16);
static_assert(offsetof(RuntimeTable, set_error) == 24);
static_assert(offsetof(RuntimeTable, arrive) == 32);
static_assert(offsetof(RuntimeTable, launch) == 40);
static_assert(offsetof(RuntimeTable, copy) == 48);
static_assert(offsetof(RuntimeTable, read) == 56);
static_assert(offsetof(RuntimeTable, write) == 64);
static_assert(sizeof(RunBuffer) == 16);
static_assert(sizeof(PackedOperand) == 16);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_RUN_CONTEXT_H_
