// Loops over independent points become one kernel.
#ifndef TENON_COMPILER_FUSION_FUSE_ROUNDS_H_
#define TENON_COMPILER_FUSION_FUSE_ROUNDS_H_

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// Replaces `loop` by a fusion that holds it, if its rounds can be done point by point.
// Returns whether it did.
bool FuseRounds(stablehlo::WhileOp loop);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_FUSE_ROUNDS_H_
