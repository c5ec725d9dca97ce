#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "tenon/compiler/targets/gpu/legalize_integers.h"

namespace tenon::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

bool IsMask(const llvm::Type* type) {
  return llvm::isa<llvm::FixedVectorType>(type) && type->isIntOrIntVectorTy(1);
}

// Bit i of the integer is lane i: all targets are little-endian.
Value* PackMask(llvm::IRBuilder<>& b, Value* mask, llvm::Type* type) {
  const unsigned lanes =
      llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  Value* bits = llvm::ConstantInt::get(type, 0);
  for (unsigned i = 0; i < lanes; ++i) {
    Value* bit = b.CreateZExt(b.CreateExtractElement(mask, i), type);
    bits = b.CreateOr(bits, b.CreateShl(bit, i));
  }
  return bits;
}

Value* UnpackMask(llvm::IRBuilder<>& b, Value* bits, llvm::Type* type) {
  Value* mask = llvm::PoisonValue::get(type);
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  for (unsigned i = 0; i < lanes; ++i)
    mask = b.CreateInsertElement(mask,
                                 b.CreateTrunc(b.CreateLShr(bits, i), b.getInt1Ty()), i);
  return mask;
}

// `predicate` of two booleans, as logic. As signed numbers, true is -1.
Value* CompareBooleans(llvm::IRBuilder<>& b, llvm::CmpInst::Predicate predicate, Value* x,
                       Value* y) {
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return b.CreateNot(b.CreateXor(x, y));
    case llvm::CmpInst::ICMP_NE:
      return b.CreateXor(x, y);
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_SGT:
      return b.CreateAnd(b.CreateNot(x), y);
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_SLT:
      return b.CreateAnd(x, b.CreateNot(y));
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_SGE:
      return b.CreateOr(b.CreateNot(x), y);
    default:
      return b.CreateOr(x, b.CreateNot(y));
  }
}

// Null if the instruction stays.
Value* LegalizeBoolean(llvm::IRBuilder<>& b, Instruction& instruction) {
  if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    return compare->getOperand(0)->getType()->isIntegerTy(1)
               ? CompareBooleans(b, compare->getPredicate(), compare->getOperand(0),
                                 compare->getOperand(1))
               : nullptr;
  if (!instruction.getType()->isIntegerTy(1)) return nullptr;
  switch (instruction.getOpcode()) {
    case Instruction::Load: {
      auto& load = llvm::cast<llvm::LoadInst>(instruction);
      Value* byte = b.CreateAlignedLoad(b.getInt8Ty(), load.getPointerOperand(),
                                        load.getAlign(), load.isVolatile());
      return b.CreateTrunc(byte, b.getInt1Ty());
    }
    case Instruction::Add:
    case Instruction::Sub:
      return b.CreateXor(instruction.getOperand(0), instruction.getOperand(1));
    case Instruction::Mul:
      return b.CreateAnd(instruction.getOperand(0), instruction.getOperand(1));
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
    case Instruction::SDiv:
      return instruction.getOperand(0);  // by 0, or by 1
    case Instruction::URem:
    case Instruction::SRem:
      return b.getFalse();
    default:
      return nullptr;
  }
}

}  // namespace

void ExpandMaskCasts(llvm::Function& function) {
  for (Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
    if (!cast) continue;
    llvm::IRBuilder<> b(cast);
    if (IsMask(cast->getSrcTy()) && cast->getDestTy()->isIntegerTy())
      cast->replaceAllUsesWith(PackMask(b, cast->getOperand(0), cast->getDestTy()));
    else if (IsMask(cast->getDestTy()) && cast->getSrcTy()->isIntegerTy())
      cast->replaceAllUsesWith(UnpackMask(b, cast->getOperand(0), cast->getDestTy()));
    else
      continue;
    cast->eraseFromParent();
  }
}

void LegalizeBooleans(llvm::Function& function) {
  for (Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::IRBuilder<> b(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store && store->getValueOperand()->getType()->isIntegerTy(1)) {
      b.CreateAlignedStore(b.CreateZExt(store->getValueOperand(), b.getInt8Ty()),
                           store->getPointerOperand(), store->getAlign(),
                           store->isVolatile());
      store->eraseFromParent();
    } else if (Value* value = LegalizeBoolean(b, instruction)) {
      instruction.replaceAllUsesWith(value);
      instruction.eraseFromParent();
    }
  }
}

}  // namespace tenon::compiler
