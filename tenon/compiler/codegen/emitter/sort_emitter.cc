#include "tenon/compiler/codegen/emitter/sort_emitter.h"

namespace tenon::codegen {

StatusOr<StructuredKernel> PlanSort(ir::SortOp op, const TargetTraits&) {
  return UnsupportedOp(*op, "no code is generated for this op");
}

}  // namespace tenon::codegen
