#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "tenon/compiler/targets/gpu/expand_intrinsics.h"
#include "tenon/compiler/targets/gpu/legalize_integers.h"

namespace tenon::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kWide = 128, kHalf = 64;

struct Pair {
  Value* low;
  Value* high;
};

bool IsWide(const llvm::Type* type) { return type->isIntegerTy(kWide); }

bool Touches(const Instruction& instruction) {
  return IsWide(instruction.getType()) ||
         llvm::any_of(instruction.operands(),
                      [](const llvm::Use& use) { return IsWide(use->getType()); });
}

class Splitter {
 public:
  explicit Splitter(llvm::Function& function)
      : function_(function), b_(function.getContext()) {}

  void Run() {
    llvm::SmallVector<Instruction*> old;
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order)
      for (Instruction& instruction : *block)
        if (Touches(instruction)) old.push_back(&instruction);
    for (Instruction* instruction : old) {
      b_.SetInsertPoint(instruction);
      if (IsWide(instruction->getType())) {
        std::optional<Pair> pair = Split(*instruction);
        if (!pair) continue;
        pairs_[instruction] = *pair;
      } else if (!Use(*instruction)) {
        continue;
      }
      done_.push_back(instruction);
    }
    for (auto [phi, pair] : phis_)
      for (auto [value, block] : llvm::zip(phi->incoming_values(), phi->blocks())) {
        const Pair incoming = Get(value);
        llvm::cast<llvm::PHINode>(pair.low)->addIncoming(incoming.low, block);
        llvm::cast<llvm::PHINode>(pair.high)->addIncoming(incoming.high, block);
      }
    for (Instruction* instruction : llvm::reverse(done_)) {
      instruction->replaceAllUsesWith(llvm::PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
  }

 private:
  Value* Half(uint64_t value) { return b_.getInt64(value); }

  Pair Get(Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return {Half(constant->getValue().extractBitsAsZExtValue(kHalf, 0)),
              Half(constant->getValue().extractBitsAsZExtValue(kHalf, kHalf))};
    if (auto found = pairs_.find(value); found != pairs_.end()) return found->second;
    return {Half(0), Half(0)};  // undefined
  }

  Pair Choose(Value* condition, Pair x, Pair y) {
    return {b_.CreateSelect(condition, x.low, y.low),
            b_.CreateSelect(condition, x.high, y.high)};
  }

  // Shifts take an amount below 128. Those of the halves must take one below 64.
  Pair Shift(Instruction::BinaryOps op, Pair x, Value* amount) {
    const bool left = op == Instruction::Shl;
    Value* inside = b_.CreateAnd(amount, Half(kHalf - 1));
    Value* rest = b_.CreateXor(inside, Half(kHalf - 1));
    Value* far = b_.CreateICmpUGE(amount, Half(kHalf));
    if (left) {
      Value* low = b_.CreateShl(x.low, inside);
      Value* high = b_.CreateOr(b_.CreateShl(x.high, inside),
                                b_.CreateLShr(b_.CreateLShr(x.low, 1), rest));
      return Choose(far, {Half(0), low}, {low, high});
    }
    Value* high = b_.CreateBinOp(op, x.high, inside);
    Value* low = b_.CreateOr(b_.CreateLShr(x.low, inside),
                             b_.CreateShl(b_.CreateShl(x.high, 1), rest));
    Value* filled = op == Instruction::AShr ? b_.CreateAShr(x.high, kHalf - 1) : Half(0);
    return Choose(far, {high, filled}, {low, high});
  }

  std::optional<Pair> Binary(llvm::BinaryOperator& op) {
    const Pair x = Get(op.getOperand(0)), y = Get(op.getOperand(1));
    switch (op.getOpcode()) {
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
        return Pair{b_.CreateBinOp(op.getOpcode(), x.low, y.low),
                    b_.CreateBinOp(op.getOpcode(), x.high, y.high)};
      case Instruction::Add: {
        Value* low = b_.CreateAdd(x.low, y.low);
        Value* carry = b_.CreateZExt(b_.CreateICmpULT(low, x.low), b_.getInt64Ty());
        return Pair{low, b_.CreateAdd(b_.CreateAdd(x.high, y.high), carry)};
      }
      case Instruction::Sub: {
        Value* borrow = b_.CreateZExt(b_.CreateICmpULT(x.low, y.low), b_.getInt64Ty());
        return Pair{b_.CreateSub(x.low, y.low),
                    b_.CreateSub(b_.CreateSub(x.high, y.high), borrow)};
      }
      case Instruction::Mul: {
        Value* cross =
            b_.CreateAdd(b_.CreateMul(x.low, y.high), b_.CreateMul(x.high, y.low));
        Value* high = MultiplyHigh(b_, x.low, y.low, /*is_signed=*/false);
        return Pair{b_.CreateMul(x.low, y.low), b_.CreateAdd(high, cross)};
      }
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr:
        return Shift(op.getOpcode(), x, y.low);
      default:
        return std::nullopt;
    }
  }

  std::optional<Pair> Extend(llvm::CastInst& cast) {
    Value* x = cast.getOperand(0);
    if (!x->getType()->isIntegerTy()) return std::nullopt;
    if (llvm::isa<llvm::ZExtInst>(cast))
      return Pair{b_.CreateZExt(x, b_.getInt64Ty()), Half(0)};
    if (!llvm::isa<llvm::SExtInst>(cast)) return std::nullopt;
    Value* low = b_.CreateSExt(x, b_.getInt64Ty());
    return Pair{low, b_.CreateAShr(low, kHalf - 1)};
  }

  Value* HighAddress(Value* address) {
    return b_.CreateConstGEP1_32(b_.getInt64Ty(), address, 1);
  }

  // For instructions with a wide result; nullopt if it stays.
  std::optional<Pair> Split(Instruction& instruction) {
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return Binary(*op);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return Extend(*cast);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return Choose(select->getCondition(), Get(select->getTrueValue()),
                    Get(select->getFalseValue()));
    if (llvm::isa<llvm::FreezeInst>(instruction)) {
      const Pair x = Get(instruction.getOperand(0));
      return Pair{b_.CreateFreeze(x.low), b_.CreateFreeze(x.high)};
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      const Pair pair{b_.CreatePHI(b_.getInt64Ty(), phi->getNumIncomingValues()),
                      b_.CreatePHI(b_.getInt64Ty(), phi->getNumIncomingValues())};
      phis_.emplace_back(phi, pair);
      return pair;
    }
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load) return std::nullopt;
    const llvm::Align align = load->getAlign();
    return Pair{
        b_.CreateAlignedLoad(b_.getInt64Ty(), load->getPointerOperand(), align),
        b_.CreateAlignedLoad(b_.getInt64Ty(), HighAddress(load->getPointerOperand()),
                             llvm::commonAlignment(align, kHalf / 8))};
  }

  Value* Compare(llvm::ICmpInst& compare) {
    const Pair x = Get(compare.getOperand(0)), y = Get(compare.getOperand(1));
    const llvm::CmpInst::Predicate predicate = compare.getPredicate();
    if (compare.isEquality()) {
      Value* different =
          b_.CreateOr(b_.CreateXor(x.low, y.low), b_.CreateXor(x.high, y.high));
      return b_.CreateICmp(predicate, different, Half(0));
    }
    Value* low =
        b_.CreateICmp(llvm::ICmpInst::getUnsignedPredicate(predicate), x.low, y.low);
    Value* high =
        b_.CreateICmp(llvm::ICmpInst::getStrictPredicate(predicate), x.high, y.high);
    return b_.CreateSelect(b_.CreateICmpEQ(x.high, y.high), low, high);
  }

  // For instructions with wide operands only. Returns whether it is replaced.
  bool Use(Instruction& instruction) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const Pair x = Get(store->getValueOperand());
      const llvm::Align align = store->getAlign();
      b_.CreateAlignedStore(x.low, store->getPointerOperand(), align);
      b_.CreateAlignedStore(x.high, HighAddress(store->getPointerOperand()),
                            llvm::commonAlignment(align, kHalf / 8));
      return true;
    }
    Value* result = nullptr;
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
      result = Compare(*compare);
    else if (llvm::isa<llvm::TruncInst>(instruction))
      result = b_.CreateTrunc(Get(instruction.getOperand(0)).low, instruction.getType());
    if (!result) return false;
    instruction.replaceAllUsesWith(result);
    return true;
  }

  llvm::Function& function_;
  llvm::IRBuilder<> b_;
  llvm::DenseMap<Value*, Pair> pairs_;
  llvm::SmallVector<std::pair<llvm::PHINode*, Pair>> phis_;
  llvm::SmallVector<Instruction*> done_;
};

}  // namespace

void SplitWideIntegers(llvm::Function& function) { Splitter(function).Run(); }

}  // namespace tenon::compiler
