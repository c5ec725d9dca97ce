// Sorts that need only the first few elements of each row: one pass that keeps the
// candidates.
#ifndef TENON_COMPILER_CODEGEN_SORT_TOP_K_EMITTER_H_
#define TENON_COMPILER_CODEGEN_SORT_TOP_K_EMITTER_H_

#include "tenon/compiler/codegen/point/structured_kernel.h"
#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {

// Gives `kernel` the phases of `plan`, a sort of kind kTopK.
void BindTopK(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
              StructuredKernel& kernel);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_TOP_K_EMITTER_H_
