// Sorts of a row by all threads: each record is moved to the bucket of its highest key
// bits, then the buckets are sorted.
#ifndef TENON_COMPILER_CODEGEN_SORT_SPLIT_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_SORT_SPLIT_SORT_EMITTER_H_

#include "tenon/compiler/codegen/sort/record_sort.h"

namespace tenon::codegen {

// Emits a phase of a sort of kind kSplit.
Status EmitSplitSortPhase(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points,
                          const PhaseArguments& arguments);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_SPLIT_SORT_EMITTER_H_
