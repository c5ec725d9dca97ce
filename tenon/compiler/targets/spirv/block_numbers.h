// A defect of LLVM 22's SPIR-V back end: it keeps the ids of basic blocks of the modules
// that it has written.
#ifndef TENON_COMPILER_TARGETS_SPIRV_BLOCK_NUMBERS_H_
#define TENON_COMPILER_TARGETS_SPIRV_BLOCK_NUMBERS_H_

#include "tenon/base/status.h"

namespace tenon::compiler {

// Makes the back end forget the basic blocks of all modules. Call it before each module,
// under the lock that the back end is used under. INTERNAL if the back end is not as this
// function expects it.
Status ForgetBlockNumbers();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_SPIRV_BLOCK_NUMBERS_H_
