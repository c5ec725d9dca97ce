// Sorts whose comparator is a known order: they sort by integer keys.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_ORDERED_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_ORDERED_SORT_EMITTER_H_

#include "tenon/compiler/codegen/emitter/sort_records.h"
#include "tenon/compiler/codegen/emitter/structured_emitter.h"

namespace tenon::codegen {

// Gives `kernel` the phases of `plan`, a sort by rank, network or radix.
void BindOrderedSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
                     StructuredKernel& kernel);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_ORDERED_SORT_EMITTER_H_
