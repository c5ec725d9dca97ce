// The value a reduction or scan may start from, in registers. Used by the thread that
// owns the type's LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_IDENTITY_CONSTANT_H_
#define TENON_COMPILER_CODEGEN_EMITTER_IDENTITY_CONSTANT_H_

#include <optional>

#include "llvm/IR/Constant.h"
#include "mlir/IR/Block.h"

namespace tenon::codegen {

// compiler::CombinerIdentity as a constant of `type`, the element in registers.
std::optional<llvm::Constant*> IdentityConstant(mlir::Block& combiner, size_t position,
                                                llvm::Type* type);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_IDENTITY_CONSTANT_H_
