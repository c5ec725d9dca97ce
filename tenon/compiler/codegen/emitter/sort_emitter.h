// Stable sorting of rows by any comparator, as phases of a kernel: blocks are sorted in
// parallel, then merged in parallel.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_SORT_EMITTER_H_

#include "tenon/compiler/codegen/emitter/structured_emitter.h"
#include "tenon/compiler/plan/sort_plan.h"

namespace tenon::codegen {

// Gives `kernel` the phases of `plan`. Rows are those of the views' last dimension
// ([outer, inner, row], any strides). With a comparator that is no strict weak order the
// result means nothing, but no access is out of bounds.
void BindSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
              StructuredKernel& kernel);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_SORT_EMITTER_H_
