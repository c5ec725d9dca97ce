// Stable sorting of rows by any comparator, as phases of a kernel.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_SORT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_SORT_EMITTER_H_

#include "tenon/compiler/codegen/emitter/structured_emitter.h"

namespace tenon::codegen {

// Rows are those of the views' last dimension ([outer, inner, row], any strides). A
// comparator that is no strict weak order gives some permutation, and never an access out
// of bounds.
StatusOr<StructuredKernel> PlanSort(ir::SortOp op, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_SORT_EMITTER_H_
