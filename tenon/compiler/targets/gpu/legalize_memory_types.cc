#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "tenon/compiler/targets/gpu/legalize_integers.h"

namespace tenon::compiler {
namespace {

// LLVM gives an integer of any width the size and alignment of the next power of two.
llvm::Type* MemoryType(llvm::Type* type, unsigned max_bits) {
  llvm::LLVMContext& context = type->getContext();
  if (auto* integer = llvm::dyn_cast<llvm::IntegerType>(type)) {
    const unsigned bits =
        std::max(8u, unsigned(llvm::PowerOf2Ceil(integer->getBitWidth())));
    if (bits > max_bits && bits <= 128)
      return llvm::ArrayType::get(llvm::Type::getInt64Ty(context), bits / 64);
    return llvm::Type::getIntNTy(context, bits);
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return llvm::ArrayType::get(MemoryType(array->getElementType(), max_bits),
                                array->getNumElements());
  auto* record = llvm::dyn_cast<llvm::StructType>(type);
  if (!record) return type;
  llvm::SmallVector<llvm::Type*> fields;
  for (llvm::Type* field : record->elements())
    fields.push_back(MemoryType(field, max_bits));
  return llvm::StructType::get(context, fields, record->isPacked());
}

}  // namespace

void LegalizeMemoryTypes(llvm::Function& function, unsigned max_bits) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      alloca->setAllocatedType(MemoryType(alloca->getAllocatedType(), max_bits));
    } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      address->setSourceElementType(
          MemoryType(address->getSourceElementType(), max_bits));
      address->setResultElementType(
          MemoryType(address->getResultElementType(), max_bits));
    }
  }
}

}  // namespace tenon::compiler
