#include "tenon/compiler/codegen/kernel/identity_constant.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/codegen/elementwise/element_value.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

std::optional<llvm::Constant*> IdentityConstant(mlir::Block& combiner, size_t position,
                                                llvm::Type* type) {
  auto value = compiler::CombinerIdentity(combiner, position);
  if (!value) return std::nullopt;
  mlir::Type element = value->getElementType();
  if (llvm::isa<mlir::FloatType>(element))
    return compiler::FloatConstant(type->getContext(), ir::ElementTypeOf(element),
                                   value->getSplatValue<llvm::APFloat>());
  return llvm::ConstantInt::get(type, value->getSplatValue<llvm::APInt>());
}

}  // namespace tenon::codegen
