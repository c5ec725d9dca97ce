// Blocks that are read along one index and stored along the other: tenon.tile. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_TILE_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_TILE_EMITTER_H_

#include "tenon/compiler/codegen/kernel/body_emitter.h"

namespace tenon::codegen {

Status EmitTile(BodyEmitter& body, ir::TileOp tile);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_TILE_EMITTER_H_
