// How the addresses of loads and stores in a loop depend on its indices, and which loops
// only copy. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_ACCESS_ANALYSIS_H_
#define TENON_COMPILER_CODEGEN_KERNEL_ACCESS_ANALYSIS_H_

#include <optional>

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// A load or a store in a loop.
struct ViewAccess {
  mlir::MemRefType view;
  mlir::OperandRange indices;
  mlir::Value mask;  // null: there is none

  int64_t ElementSize() const;  // bytes
};
// Visits the loads and stores of a block, nested ones included.
void ForEachAccess(mlir::Block& block, llvm::function_ref<void(const ViewAccess&)> visit);

// Returns by how many elements the address of view[indices] moves when `iv` grows by one.
// The access is in a block, and `iv` is an argument of that block. Returns nullopt if the
// stride is not a constant.
std::optional<int64_t> AccessStride(mlir::MemRefType view, mlir::OperandRange indices,
                                    mlir::BlockArgument iv);

// If `load` is contiguous along the tile's first index and strided along its second, so
// that it lies across the lanes, returns that stride in elements.
std::optional<int64_t> StrideAcrossLanes(ir::LoadOp load, ir::TileOp tile);

// Returns upper - lower if the upper bound is the lower bound plus a constant, else
// nullopt.
std::optional<int64_t> ConstantDistance(ir::MapOp map);

// Returns the trip count of a loop, or of all blocks but the last if it is over a block
// of a larger range, if that is a constant.
std::optional<int64_t> FullBlockTripCount(ir::MapOp map);

// The load and the store of a loop that only copies a contiguous range of at least
// `min_bytes`. The load may have a mask that is the same for all points.
struct CopyLoop {
  ir::LoadOp load;
  ir::StoreOp store;
};
std::optional<CopyLoop> AsCopyLoop(ir::MapOp map, int64_t min_bytes);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_ACCESS_ANALYSIS_H_
