// The names of functions that kernels of different programs share.
#ifndef TENON_COMPILER_CODEGEN_IR_SHARED_NAMES_H_
#define TENON_COMPILER_CODEGEN_IR_SHARED_NAMES_H_

#include "llvm/ADT/StringRef.h"

namespace tenon::codegen {

// The code of a local function whose name begins so depends only on the name and the
// target. It is generated once, and not with each kernel (pipeline/shared_code.h).
inline constexpr llvm::StringLiteral kSharedPrefix = "shared.";

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_IR_SHARED_NAMES_H_
