// Stable sorts of rows on a device, by any comparator. What is sorted are the positions
// of elements: groups sort blocks of them by a network in local memory, then passes over
// all items merge the blocks of a row. The last pass moves the elements. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_SORT_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_SORT_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_sort_plan.h"

namespace tenon::codegen {

using compiler::GroupSortPlan;

// The items of a group that sorts a block.
int ItemsOfBlock(const GroupSortPlan& plan, const compiler::DeviceTarget& device);
// Emits the work of group number `group` (i64): the rows or the block of a row that it
// sorts. `body` has the items of a block.
Status EmitSortBlock(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan,
                     llvm::Value* group);
// Emits merge pass number `pass` (i64, from 0) for element number `element` (i64) of all
// rows. The last pass stores the results.
Status EmitMergePass(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan,
                     llvm::Value* pass, bool is_last, llvm::Value* element);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_SORT_H_
