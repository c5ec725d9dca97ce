// Prefix sums and the like: tenon.scan. No state.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_SCAN_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_SCAN_EMITTER_H_

#include "tenon/compiler/codegen/kernel/body_emitter.h"

namespace tenon::codegen {

Status EmitScan(BodyEmitter& body, ir::ScanOp scan);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_SCAN_EMITTER_H_
