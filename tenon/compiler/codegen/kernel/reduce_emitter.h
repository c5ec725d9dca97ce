// Reductions: tenon.reduce. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_REDUCE_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_REDUCE_EMITTER_H_

#include "tenon/compiler/codegen/kernel/body_emitter.h"

namespace tenon::codegen {

Status EmitReduce(BodyEmitter& body, ir::ReduceOp reduce);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_REDUCE_EMITTER_H_
