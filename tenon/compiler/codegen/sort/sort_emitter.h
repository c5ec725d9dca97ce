// Stable sorts of rows by any comparator, as phases of a kernel: blocks are sorted in
// parallel, then merged in parallel.
#ifndef TENON_COMPILER_CODEGEN_SORT_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_SORT_SORT_EMITTER_H_

#include "tenon/compiler/codegen/ir/plan_names.h"
#include "tenon/compiler/codegen/point/structured_kernel.h"

namespace tenon::codegen {

// Gives `kernel` the phases of `plan`. Rows are along the last dimension of the views
// ([outer, inner, row], any strides). If the comparator is not a strict weak order, the
// result is meaningless, but no access is out of bounds.
void BindSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
              StructuredKernel& kernel);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_SORT_EMITTER_H_
