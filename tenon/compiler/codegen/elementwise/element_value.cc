#include "tenon/compiler/codegen/elementwise/element_value.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/ErrorHandling.h"

namespace tenon::compiler {

llvm::Type* ElementLlvmType(llvm::LLVMContext& context, ElementType type) {
  switch (RealType(type)) {
    case ElementType::kInvalid:
    case ElementType::kToken:
      return nullptr;
    case ElementType::kF32:
      return llvm::Type::getFloatTy(context);
    case ElementType::kF64:
      return llvm::Type::getDoubleTy(context);
    default:
      return IsSmallFloat(type) ? llvm::Type::getInt8Ty(context)
                                : llvm::Type::getIntNTy(context, ElementBits(type));
  }
}

llvm::Type* ElementMemoryType(llvm::LLVMContext& context, ElementType type) {
  llvm::Type* value = ElementLlvmType(context, type);
  if (value && value->isIntegerTy() && value->getIntegerBitWidth() < 8)
    return llvm::Type::getInt8Ty(context);
  return value;
}

llvm::Value* LoadedToValue(llvm::IRBuilderBase& builder, ElementType type,
                           llvm::Value* loaded) {
  if (type == ElementType::kPred) return builder.CreateIsNotNull(loaded);
  llvm::Type* value = ElementLlvmType(builder.getContext(), type);
  return value->isIntegerTy()
             ? builder.CreateTrunc(loaded, loaded->getType()->getWithNewType(value))
             : loaded;
}

llvm::Value* ValueToStored(llvm::IRBuilderBase& builder, ElementType type,
                           llvm::Value* value) {
  llvm::Type* memory = ElementMemoryType(builder.getContext(), type);
  if (!memory->isIntegerTy()) return value;
  llvm::Type* stored = value->getType()->getWithNewType(memory);
  return IsSignedInteger(type) ? builder.CreateSExt(value, stored)
                               : builder.CreateZExt(value, stored);
}

const llvm::fltSemantics& FloatSemantics(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return llvm::APFloat::IEEEhalf();
    case ElementType::kBF16:
      return llvm::APFloat::BFloat();
    case ElementType::kF32:
      return llvm::APFloat::IEEEsingle();
    case ElementType::kF64:
      return llvm::APFloat::IEEEdouble();
    default:
      llvm_unreachable("not a float of 16 bits or more");
  }
}

llvm::Constant* FloatConstant(llvm::LLVMContext& context, ElementType type,
                              const llvm::APFloat& value) {
  llvm::Type* part = ElementLlvmType(context, type);
  if (part->isIntegerTy()) return llvm::ConstantInt::get(part, value.bitcastToAPInt());
  return llvm::ConstantFP::get(part, value);
}

}  // namespace tenon::compiler
