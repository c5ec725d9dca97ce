// The first elements of sorted rows, if they are few: groups go through their rows once
// and keep candidates in local memory. Bits and order are those of the sort. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_TOP_K_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_TOP_K_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_sort_plan.h"

namespace tenon::codegen {

// Emits the work of group number `group` (i64): the first elements of a part of a row, if
// `is_merge` is false, or of the row, from those of its parts. `body` has the plan's
// items.
Status EmitTopK(GroupBody& body, ir::SortOp op, const compiler::GroupTopKPlan& plan,
                llvm::Value* group, bool is_merge);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_TOP_K_H_
