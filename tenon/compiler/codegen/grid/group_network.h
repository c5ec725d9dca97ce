// Stable sorts of short rows on a device, for comparators whose order is that of 32-bit
// keys: a bitonic network over records of 64 bits. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_NETWORK_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_NETWORK_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_sort_plan.h"

namespace tenon::codegen {

// Emits the work of group number `group` (i64), which sorts some rows. `body` has the
// plan's items.
Status EmitNetworkSort(GroupBody& body, ir::SortOp op,
                       const compiler::GroupNetworkPlan& plan, llvm::Value* group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_NETWORK_H_
