// Loops over points: tenon.map. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_MAP_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_MAP_EMITTER_H_

#include "tenon/compiler/codegen/kernel/body_emitter.h"

namespace tenon::codegen {

Status EmitMap(BodyEmitter& body, ir::MapOp map);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_MAP_EMITTER_H_
