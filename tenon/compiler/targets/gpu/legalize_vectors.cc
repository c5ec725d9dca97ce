#include "tenon/compiler/targets/gpu/legalize_vectors.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

// The type, if its lanes must be accessed one by one. Lanes that are no whole bytes are
// packed in memory and left alone.
llvm::FixedVectorType* SplitType(llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector || vector->getScalarType()->isPointerTy()) return nullptr;
  const unsigned lanes = vector->getNumElements(), bits = vector->getScalarSizeInBits();
  if (bits % 8 != 0 || !llvm::isPowerOf2_32(bits)) return nullptr;
  const bool legal = lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16;
  return legal ? nullptr : vector;
}

Value* LaneAddress(llvm::IRBuilder<>& b, llvm::FixedVectorType* type, Value* address,
                   unsigned lane) {
  return b.CreateConstInBoundsGEP1_32(type->getElementType(), address, lane);
}

llvm::Align LaneAlign(llvm::FixedVectorType* type, llvm::Align align, unsigned lane) {
  return llvm::commonAlignment(align, lane * (type->getScalarSizeInBits() / 8));
}

void SplitLoad(llvm::LoadInst& load, llvm::FixedVectorType* type) {
  llvm::IRBuilder<> b(&load);
  Value* result = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value* value = b.CreateAlignedLoad(
        type->getElementType(), LaneAddress(b, type, load.getPointerOperand(), lane),
        LaneAlign(type, load.getAlign(), lane), load.isVolatile());
    result = b.CreateInsertElement(result, value, lane);
  }
  load.replaceAllUsesWith(result);
  load.eraseFromParent();
}

void SplitStore(llvm::StoreInst& store, llvm::FixedVectorType* type) {
  llvm::IRBuilder<> b(&store);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane)
    b.CreateAlignedStore(b.CreateExtractElement(store.getValueOperand(), lane),
                         LaneAddress(b, type, store.getPointerOperand(), lane),
                         LaneAlign(type, store.getAlign(), lane), store.isVolatile());
  store.eraseFromParent();
}

}  // namespace

void SplitVectorAccesses(llvm::Function& function) {
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (auto* type = SplitType(load->getType())) SplitLoad(*load, type);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (auto* type = SplitType(store->getValueOperand()->getType()))
        SplitStore(*store, type);
    }
  }
}

}  // namespace tenon::compiler
