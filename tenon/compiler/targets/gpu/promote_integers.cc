#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/targets/gpu/legalize_integers.h"

namespace tenon::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

bool IsOdd(const llvm::Type* type) { return IsOddInteger(*type); }

bool Touches(const Instruction& instruction) {
  return IsOdd(instruction.getType()) ||
         llvm::any_of(instruction.operands(),
                      [](const llvm::Use& use) { return IsOdd(use->getType()); });
}

class Promoter {
 public:
  explicit Promoter(llvm::Function& function)
      : function_(function), b_(function.getContext()) {}

  Status Run() {
    llvm::SmallVector<Instruction*> old;
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order)
      for (Instruction& instruction : *block)
        if (Touches(instruction)) old.push_back(&instruction);
    for (Instruction* instruction : old) {
      b_.SetInsertPoint(instruction);
      Value* replacement = Promote(*instruction);
      if (!replacement) {
        // The indices of an address are replaced in place.
        if (llvm::isa<llvm::GetElementPtrInst>(instruction)) continue;
        std::string text;
        llvm::raw_string_ostream(text) << *instruction;
        return Unimplemented(
            "kernel " + function_.getName().str() +
            " uses an integer of a width that devices do not have:" + text);
      }
      done_.push_back(instruction);
      if (IsOdd(instruction->getType()))
        promoted_[instruction] = replacement;
      else if (!instruction->getType()->isVoidTy())
        instruction->replaceAllUsesWith(replacement);
    }
    for (auto [phi, wide] : phis_)
      for (auto [value, block] : llvm::zip(phi->incoming_values(), phi->blocks()))
        wide->addIncoming(Get(value), block);
    for (Instruction* instruction : llvm::reverse(done_)) {
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
    return OkStatus();
  }

 private:
  llvm::IntegerType* Wide(const llvm::Type* type) {
    const unsigned bits = type->getIntegerBitWidth();
    return b_.getIntNTy(std::max(8u, unsigned(llvm::PowerOf2Ceil(bits))));
  }

  // The promoted value, with upper bits 0.
  Value* Get(Value* value) {
    if (!IsOdd(value->getType())) return value;
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const unsigned bits = Wide(value->getType())->getBitWidth();
      return llvm::ConstantInt::get(Wide(value->getType()),
                                    constant->getValue().zext(bits));
    }
    if (auto found = promoted_.find(value); found != promoted_.end())
      return found->second;
    // undefined values, and those of code that cannot be reached
    return llvm::ConstantInt::get(Wide(value->getType()), 0);
  }

  Value* Mask(Value* wide, const llvm::Type* type) {
    const unsigned bits = wide->getType()->getIntegerBitWidth();
    return b_.CreateAnd(wide,
                        llvm::APInt::getLowBitsSet(bits, type->getIntegerBitWidth()));
  }

  // With the sign in the upper bits.
  Value* GetSigned(Value* value) {
    if (!IsOdd(value->getType())) return value;
    Value* wide = Get(value);
    const unsigned unused =
        wide->getType()->getIntegerBitWidth() - value->getType()->getIntegerBitWidth();
    return b_.CreateAShr(b_.CreateShl(wide, unused), unused);
  }

  // Memory holds whole bytes, the lowest first; a part of three bytes is no integer.
  Value* Load(llvm::LoadInst& load) {
    const unsigned bytes = llvm::divideCeil(load.getType()->getIntegerBitWidth(), 8);
    llvm::IntegerType* wide = Wide(load.getType());
    Value* result = llvm::ConstantInt::get(wide, 0);
    for (unsigned i = 0; i < bytes; ++i) {
      Value* address = b_.CreateConstGEP1_32(b_.getInt8Ty(), load.getPointerOperand(), i);
      Value* byte = b_.CreateAlignedLoad(b_.getInt8Ty(), address,
                                         llvm::commonAlignment(load.getAlign(), i),
                                         load.isVolatile());
      result = b_.CreateOr(result, b_.CreateShl(b_.CreateZExt(byte, wide), 8 * i));
    }
    return Mask(result, load.getType());
  }

  Value* Store(llvm::StoreInst& store) {
    Value* value = Get(store.getValueOperand());
    const unsigned bytes =
        llvm::divideCeil(store.getValueOperand()->getType()->getIntegerBitWidth(), 8);
    Value* last = nullptr;
    for (unsigned i = 0; i < bytes; ++i) {
      Value* address =
          b_.CreateConstGEP1_32(b_.getInt8Ty(), store.getPointerOperand(), i);
      last = b_.CreateAlignedStore(
          b_.CreateTrunc(b_.CreateLShr(value, 8 * i), b_.getInt8Ty()), address,
          llvm::commonAlignment(store.getAlign(), i), store.isVolatile());
    }
    return last;
  }

  Value* Cast(llvm::CastInst& cast) {
    Value* x = cast.getOperand(0);
    llvm::Type* type = IsOdd(cast.getType()) ? Wide(cast.getType()) : cast.getType();
    Value* result;
    switch (cast.getOpcode()) {
      case Instruction::Trunc:
      case Instruction::ZExt:
        result = b_.CreateZExtOrTrunc(Get(x), type);
        break;
      case Instruction::SExt:
        result = x->getType()->isIntegerTy(1) ? b_.CreateSExt(x, type)
                                              : b_.CreateSExtOrTrunc(GetSigned(x), type);
        break;
      case Instruction::SIToFP:
        result = b_.CreateSIToFP(GetSigned(x), type);
        break;
      case Instruction::BitCast:
        return nullptr;
      default:  // values out of range are undefined in conversions to integers
        result = b_.CreateCast(cast.getOpcode(), Get(x), type);
    }
    return IsOdd(cast.getType()) ? Mask(result, cast.getType()) : result;
  }

  Value* Binary(llvm::BinaryOperator& op) {
    Value *x = op.getOperand(0), *y = op.getOperand(1);
    switch (op.getOpcode()) {
      case Instruction::SDiv:
      case Instruction::SRem:
        return Mask(b_.CreateBinOp(op.getOpcode(), GetSigned(x), GetSigned(y)),
                    op.getType());
      case Instruction::AShr:
        return Mask(b_.CreateAShr(GetSigned(x), Get(y)), op.getType());
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::Shl:
        return Mask(b_.CreateBinOp(op.getOpcode(), Get(x), Get(y)), op.getType());
      default:
        return b_.CreateBinOp(op.getOpcode(), Get(x), Get(y));
    }
  }

  Value* Promote(Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return Load(*load);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return Store(*store);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return Cast(*cast);
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return Binary(*op);
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      Value *x = compare->getOperand(0), *y = compare->getOperand(1);
      return compare->isSigned()
                 ? b_.CreateICmp(compare->getPredicate(), GetSigned(x), GetSigned(y))
                 : b_.CreateICmp(compare->getPredicate(), Get(x), Get(y));
    }
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return b_.CreateSelect(select->getCondition(), Get(select->getTrueValue()),
                             Get(select->getFalseValue()));
    if (llvm::isa<llvm::FreezeInst>(instruction))
      return b_.CreateFreeze(Get(instruction.getOperand(0)));
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      llvm::PHINode* wide =
          b_.CreatePHI(Wide(phi->getType()), phi->getNumIncomingValues());
      phis_.emplace_back(phi, wide);
      return wide;
    }
    if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
      for (llvm::Use& use : instruction.operands())
        if (IsOdd(use->getType())) use.set(GetSigned(use));
      return nullptr;
    }
    return nullptr;
  }

  llvm::Function& function_;
  llvm::IRBuilder<> b_;
  llvm::DenseMap<Value*, Value*> promoted_;
  llvm::SmallVector<std::pair<llvm::PHINode*, llvm::PHINode*>> phis_;
  llvm::SmallVector<Instruction*> done_;
};

}  // namespace

bool IsOddInteger(const llvm::Type& type) {
  auto* integer = llvm::dyn_cast<llvm::IntegerType>(&type);
  if (!integer) return false;
  const unsigned bits = integer->getBitWidth();
  return bits != 1 && (bits < 8 || !llvm::isPowerOf2_32(bits)) && bits <= 128;
}

Status PromoteIntegers(llvm::Function& function) { return Promoter(function).Run(); }

}  // namespace tenon::compiler
