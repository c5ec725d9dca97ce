// Double buffering of arrays that a loop carries.
#ifndef TENON_COMPILER_FUSION_DOUBLE_BUFFERING_H_
#define TENON_COMPILER_FUSION_DOUBLE_BUFFERING_H_

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// If the fused body of `loop` reads a carried array while it computes the array's next
// value, unrolls the loop by two: the first half writes to a second buffer, the other
// half writes back. Without this, each iteration would copy the array back.
void DoubleBuffer(stablehlo::WhileOp loop);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_DOUBLE_BUFFERING_H_
