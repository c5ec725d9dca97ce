// Loops over several short rows at once: after how many registers their indices repeat.
// Unrolling a loop by that number makes the offsets of all lanes constants. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_ROW_PERIODS_H_
#define TENON_COMPILER_CODEGEN_KERNEL_ROW_PERIODS_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// Returns by how many registers of `width` lanes a loop should be unrolled so that, in
// each of them, the remainders of the loop's index by row lengths are constants. The
// loop's index starts at a multiple of `multiple` (0: at 0). Returns nullopt if no access
// of the loop gains by that, or the code would be too long.
std::optional<int> RegistersPerPeriod(ir::MapOp map, int width, int64_t multiple);

// The number of loads and stores in the loop that access, in its first `count`
// iterations, neither one element nor neighbouring ones. They are emitted lane by lane.
int64_t CountScatteredAccesses(ir::MapOp map, int64_t count);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_ROW_PERIODS_H_
