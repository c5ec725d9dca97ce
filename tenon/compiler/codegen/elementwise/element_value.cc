#include "tenon/compiler/codegen/elementwise/element_value.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/ErrorHandling.h"

namespace tenon::compiler {

bool IsComplex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}

bool IsSignedInteger(ElementType type) {
  switch (type) {
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kS64:
      return true;
    default:
      return false;
  }
}

bool IsUnsignedInteger(ElementType type) {
  switch (type) {
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return true;
    default:
      return false;
  }
}

bool IsInteger(ElementType type) {
  return IsSignedInteger(type) || IsUnsignedInteger(type);
}

bool IsFloat(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBF16:
    case ElementType::kF32:
    case ElementType::kF64:
      return true;
    default:
      return IsSmallFloat(type);
  }
}

bool IsSmallFloat(ElementType type) {
  switch (type) {
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3B11FNUZ:
    case ElementType::kF8E5M2FNUZ:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E4M3:
    case ElementType::kF8E3M4:
    case ElementType::kF8E8M0FNU:
    case ElementType::kF4E2M1FN:
    case ElementType::kF6E2M3FN:
    case ElementType::kF6E3M2FN:
      return true;
    default:
      return false;
  }
}

ElementType RealType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

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
