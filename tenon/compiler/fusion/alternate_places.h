// Loops that make arrays anew in every round.
#ifndef TENON_COMPILER_FUSION_ALTERNATE_PLACES_H_
#define TENON_COMPILER_FUSION_ALTERNATE_PLACES_H_

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

// Where a round of `loop`, whose body is fused, reads a carried array while it makes the
// next one, two rounds become one: from one place to another, and back. With one round
// the array would be copied back.
void AlternatePlaces(stablehlo::WhileOp loop);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_ALTERNATE_PLACES_H_
