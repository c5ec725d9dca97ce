// Stable radix sorts of long rows on a device, for comparators whose order is that of
// 32-bit keys. Each pass sorts by 8 bits: groups count the digits of their tiles, then
// counts are added up, then groups sort their tiles in local memory and store the records
// in order. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_RADIX_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_RADIX_H_

#include "tenon/compiler/analysis/sort_order.h"
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_sort_plan.h"

namespace tenon::codegen {

// A pass: the first one reads the inputs, the last one writes the outputs.
struct RadixPass {
  llvm::Value* number = nullptr;  // i64
  bool is_first = false, is_last = false;
};

// Each emits the work of group number `group` (i64) of such a phase; `body` has the
// plan's items.
Status EmitDigitCounts(GroupBody& body, ir::SortOp op,
                       const compiler::GroupRadixPlan& plan, const RadixPass& pass,
                       llvm::Value* group);
Status EmitCountSums(GroupBody& body, ir::SortOp op, const compiler::GroupRadixPlan& plan,
                     llvm::Value* group);
Status EmitDigitMoves(GroupBody& body, ir::SortOp op,
                      const compiler::GroupRadixPlan& plan, const RadixPass& pass,
                      llvm::Value* group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_RADIX_H_
