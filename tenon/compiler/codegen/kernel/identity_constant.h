// The identity of a combiner as an LLVM constant: the value that the lanes of a reduction
// or scan start from. Used by the thread that owns the type's LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_IDENTITY_CONSTANT_H_
#define TENON_COMPILER_CODEGEN_KERNEL_IDENTITY_CONSTANT_H_

#include <optional>

#include "llvm/IR/Constant.h"
#include "mlir/IR/Block.h"

namespace tenon::codegen {

// Returns compiler::CombinerIdentity as a constant of `type`, the register type of the
// element.
std::optional<llvm::Constant*> IdentityConstant(mlir::Block& combiner, size_t position,
                                                llvm::Type* type);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_IDENTITY_CONSTANT_H_
