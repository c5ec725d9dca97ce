// Loops over several short rows at once: what of their indices repeats, so that it is
// constant in each register of lanes. No state.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_LANE_PHASES_H_
#define TENON_COMPILER_CODEGEN_EMITTER_LANE_PHASES_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// How many registers of `width` lanes a loop had better compute one after another, so
// that in each of them the remainders of the loop's index by the lengths of rows are
// constants, if the index begins at a multiple of `multiple` (0: at 0). Nothing if no
// access of the loop gains by that, or the code would be too long.
std::optional<int> RegistersPerPeriod(ir::MapOp map, int width, int64_t multiple);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_LANE_PHASES_H_
