// Which loads of a tenon.tile are read as squares, transposed in registers. No state.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_TRANSPOSE_TILE_H_
#define TENON_COMPILER_CODEGEN_EMITTER_TRANSPOSE_TILE_H_

#include <optional>

#include "tenon/compiler/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// Elements from one value of the tile's second index to the next, if `load` lies across
// the lanes: contiguous along the first index, strided along the second.
std::optional<int64_t> StrideAcrossLanes(ir::LoadOp load, ir::TileOp tile);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_TRANSPOSE_TILE_H_
