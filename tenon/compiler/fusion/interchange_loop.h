// Loop interchange: turns loops over independent points into kernels.
#ifndef TENON_COMPILER_FUSION_INTERCHANGE_LOOP_H_
#define TENON_COMPILER_FUSION_INTERCHANGE_LOOP_H_

#include "tenon/compiler/analysis/host_scalars.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// If the points of `loop` are independent, replaces it by a fusion that contains it. Its
// kernel runs all iterations of a point before the next point. Returns whether it did.
// `hosts`: the scalars that the host computes.
bool InterchangeLoop(stablehlo::WhileOp loop, const HostScalars& hosts);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_INTERCHANGE_LOOP_H_
