// Squares of elements transposed in registers, and which loads of a tenon.tile are read
// that way. No state.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_TRANSPOSE_TILE_H_
#define TENON_COMPILER_CODEGEN_EMITTER_TRANSPOSE_TILE_H_

#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// Element c of vector r becomes element r of vector c. `rows` is a power of two of
// vectors, of as many elements each; an element is `unit` lanes.
void TransposeSquare(llvm::IRBuilderBase& b, llvm::MutableArrayRef<llvm::Value*> rows,
                     int unit);

// Elements from one value of the tile's second index to the next, if `load` lies across
// the lanes: contiguous along the first index, strided along the second.
std::optional<int64_t> StrideAcrossLanes(ir::LoadOp load, ir::TileOp tile);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_TRANSPOSE_TILE_H_
