// The iterations of a map, divided among the items that share a point. Where all accesses
// are contiguous and aligned, an item computes several consecutive iterations at a time,
// with one load or store of up to 16 bytes for each view. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_MAP_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_MAP_H_

#include "tenon/compiler/codegen/grid/group_body.h"

namespace tenon::codegen {

// The number of points of `block` that an item may compute at a time, by the types of the
// elements and the ops: a power of two.
int PointLanes(mlir::Block& block);
// The same, by the accesses, which must be contiguous along the lanes and aligned to
// their size. `set_indices` sets the arguments of the block to the indices of so many
// lanes, with `number` for what changes from iteration to iteration; it returns false if
// that cannot be.
int ContiguousLanes(PointEmitter& points, mlir::Block& block,
                    llvm::function_ref<bool(llvm::Value* number, int lanes)> set_indices);

Status EmitGroupMap(GroupBody& body, ir::MapOp map);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_MAP_H_
