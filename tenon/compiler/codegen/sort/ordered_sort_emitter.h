// Sorts whose comparator is a known order: they sort by integer keys.
#ifndef TENON_COMPILER_CODEGEN_SORT_ORDERED_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_SORT_ORDERED_SORT_EMITTER_H_

#include "tenon/compiler/codegen/point/structured_kernel.h"
#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {

// Gives `kernel` the phases of `plan`, a sort by rank, network or radix.
void BindOrderedSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
                     StructuredKernel& kernel);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_ORDERED_SORT_EMITTER_H_
