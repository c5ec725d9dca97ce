// Where a program with collectives keeps its scalars while it is suspended.
//
// A run that comes to a collective returns from its entry point and later continues on
// any thread. Arrays live in memory anyway. Scalars that are used behind a collective are
// stored in the frame, which is the beginning of the arena. Pure functions.
#ifndef TENON_COMPILER_ANALYSIS_PROGRAM_FRAME_H_
#define TENON_COMPILER_ANALYSIS_PROGRAM_FRAME_H_

#include "llvm/ADT/DenseMap.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// Programs with at least this many calls become several functions: LLVM's compile time
// grows faster than linearly with the size of a function.
inline constexpr int kMaxCallsOfPart = 256;
// The number of launches, copies, custom calls and collectives in `op` and its regions.
int CountCalls(mlir::Operation& op);

// Whether `op` is a collective, or has one in its regions.
bool Suspends(mlir::Operation& op);

struct ProgramFrame {
  // The bytes of the frame, a multiple of 64; 0 for programs without collectives. The
  // first 8 hold the state: 0 for a run that begins, or the number of the collective. The
  // addresses of shared segments follow, then scalars.
  int64_t bytes = 0;
  // Offsets of scalars. The imaginary part of a complex one is 8 bytes behind the real
  // part. The carried values of a loop that suspends share their place with its results.
  llvm::DenseMap<mlir::Value, int64_t> offsets;
  llvm::DenseMap<mlir::Operation*, int32_t> states;  // of collectives, from 1
};

// Where the frame has the address of shared segment number `segment`.
constexpr int64_t SegmentAddress(int64_t segment) { return 8 + 8 * segment; }

ProgramFrame LayOutFrame(ir::ProgramOp program);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_PROGRAM_FRAME_H_
