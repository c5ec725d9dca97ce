// Sorts whose order is known: by keys that are integers.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_ORDERED_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_ORDERED_SORT_EMITTER_H_

#include "tenon/compiler/codegen/emitter/sort_records.h"
#include "tenon/compiler/codegen/emitter/structured_emitter.h"

namespace tenon::codegen {

RecordFormat ChooseRecordFormat(ir::SortOp op, const SortOrder& order);

// For rows of at least one and fewer than 2^31 elements.
StructuredKernel PlanOrderedSort(ir::SortOp op, const SortOrder& order,
                                 const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_ORDERED_SORT_EMITTER_H_
