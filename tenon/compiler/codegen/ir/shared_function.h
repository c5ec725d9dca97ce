// Functions that kernels of different programs share (shared_names.h).
#ifndef TENON_COMPILER_CODEGEN_IR_SHARED_FUNCTION_H_
#define TENON_COMPILER_CODEGEN_IR_SHARED_FUNCTION_H_

#include "tenon/compiler/codegen/ir/loops.h"

namespace tenon::codegen {

// Calls the shared function `name` (without the prefix). If the module has none yet,
// `body` emits it; its code may depend only on the name, the types and the target.
Status CallShared(llvm::IRBuilderBase& b, llvm::StringRef name,
                  llvm::ArrayRef<llvm::Value*> arguments,
                  llvm::function_ref<Status(IrValues& parameters)> body);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_IR_SHARED_FUNCTION_H_
