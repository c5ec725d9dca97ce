// Triangular systems and factorizations on a device: a group of items computes a matrix,
// or some columns of a system, in the memory of the result. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_LINALG_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_LINALG_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/linalg_plan.h"

namespace tenon::codegen {

// Whether there is a group form.
bool HasGroupForm(const compiler::LinalgSpec& spec);
int ItemsOfLinalg(const compiler::LinalgSpec& spec, const compiler::DeviceTarget& device);
int64_t GroupsOfLinalg(const compiler::LinalgSpec& spec);
// Emits the work of group number `group` (i64), which has these items.
Status EmitGroupLinalg(GroupBody& body, ir::LinalgOp op, const compiler::LinalgSpec& spec,
                       llvm::Value* group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_LINALG_H_
