// How the addresses of loads and stores in a loop depend on its indices, and loops that
// are copies. No state.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_ACCESS_ANALYSIS_H_
#define TENON_COMPILER_CODEGEN_EMITTER_ACCESS_ANALYSIS_H_

#include <optional>

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// By how many elements the access view[indices], in a block, moves when `iv`, an argument
// of that block, grows by one; nothing if that depends.
std::optional<int64_t> AccessStride(mlir::MemRefType view, mlir::OperandRange indices,
                                    mlir::BlockArgument iv);

// Elements from one value of the tile's second index to the next, if `load` lies across
// the lanes: contiguous along the first index, strided along the second.
std::optional<int64_t> StrideAcrossLanes(ir::LoadOp load, ir::TileOp tile);

// Iterations of a loop whose bounds are that far apart; nothing if it is not known.
std::optional<int64_t> ConstantDistance(ir::MapOp map);

// The load and the store of a loop that does nothing but copy a long stretch of elements.
struct CopyLoop {
  ir::LoadOp load;
  ir::StoreOp store;
};
std::optional<CopyLoop> AsCopyLoop(ir::MapOp map);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_ACCESS_ANALYSIS_H_
