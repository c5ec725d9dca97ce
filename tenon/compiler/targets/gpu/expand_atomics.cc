#include "tenon/compiler/targets/gpu/expand_atomics.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace tenon::compiler {
namespace {

using llvm::AtomicRMWInst;
using llvm::Value;

constexpr unsigned kMinBits = 32;  // the smallest integer with atomic operations

bool IsNative(const AtomicRMWInst& atomic) {
  const llvm::Type* type = atomic.getType();
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64)) return false;
  switch (atomic.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
      return true;
    default:
      return false;
  }
}

// Where a value of up to 32 bits lies: its word and its place there.
class Place {
 public:
  Place(llvm::IRBuilder<>& b, Value* address, llvm::Type* type)
      : type_(type), bits_(type->getScalarSizeInBits()) {
    word_type_ = b.getIntNTy(std::max(bits_, kMinBits));
    word_ = address;
    if (bits_ >= kMinBits) return;
    // The lowest bits of the address are those of the byte in the word.
    Value* number = b.CreatePtrToInt(address, b.getInt64Ty());
    Value* byte = b.CreateAnd(number, 3);
    word_ = b.CreateGEP(b.getInt8Ty(), address, b.CreateNeg(byte));
    shift_ = b.CreateTrunc(b.CreateShl(byte, 3), word_type_);
    mask_ = b.CreateShl(
        llvm::ConstantInt::get(word_type_, llvm::APInt::getLowBitsSet(kMinBits, bits_)),
        shift_);
  }

  llvm::Type* word_type() const { return word_type_; }
  Value* word() const { return word_; }

  Value* Extract(llvm::IRBuilder<>& b, Value* word) const {
    if (shift_) word = b.CreateTrunc(b.CreateLShr(word, shift_), b.getIntNTy(bits_));
    return b.CreateBitCast(word, type_);
  }

  // `word` with the value replaced.
  Value* Insert(llvm::IRBuilder<>& b, Value* word, Value* value) const {
    value = b.CreateBitCast(value, b.getIntNTy(bits_));
    if (!shift_) return value;
    Value* moved = b.CreateShl(b.CreateZExt(value, word_type_), shift_);
    return b.CreateOr(b.CreateAnd(word, b.CreateNot(mask_)), moved);
  }

 private:
  llvm::Type* type_;
  unsigned bits_;
  llvm::Type* word_type_;
  Value* word_;
  Value* shift_ = nullptr;
  Value* mask_ = nullptr;
};

void ExpandAsLoop(AtomicRMWInst& atomic) {
  llvm::BasicBlock* before = atomic.getParent();
  llvm::Function& function = *before->getParent();
  llvm::BasicBlock* after = llvm::SplitBlock(before, &atomic);
  auto* loop =
      llvm::BasicBlock::Create(function.getContext(), "atomic", &function, after);
  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> b(before);
  const Place place(b, atomic.getPointerOperand(), atomic.getType());
  const llvm::Align align(place.word_type()->getScalarSizeInBits() / 8);
  Value* first = b.CreateAlignedLoad(place.word_type(), place.word(), align);
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  llvm::PHINode* old = b.CreatePHI(place.word_type(), 2);
  Value* value = llvm::buildAtomicRMWValue(atomic.getOperation(), b,
                                           place.Extract(b, old), atomic.getValOperand());
  llvm::AtomicCmpXchgInst* exchange = b.CreateAtomicCmpXchg(
      place.word(), old, place.Insert(b, old, value), align, atomic.getOrdering(),
      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(atomic.getOrdering()),
      atomic.getSyncScopeID());
  old->addIncoming(first, before);
  old->addIncoming(b.CreateExtractValue(exchange, 0), loop);
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), after, loop);

  b.SetInsertPoint(&atomic);
  atomic.replaceAllUsesWith(place.Extract(b, old));
  atomic.eraseFromParent();
}

llvm::AtomicOrdering AtLeastMonotonic(llvm::AtomicOrdering ordering) {
  return ordering == llvm::AtomicOrdering::Unordered ? llvm::AtomicOrdering::Monotonic
                                                     : ordering;
}

// Atomic loads and stores, as operations that keep or exchange the value.
void ExpandAccess(llvm::Instruction& instruction) {
  llvm::IRBuilder<> b(&instruction);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      load && load->isAtomic()) {
    llvm::Type* type = b.getIntNTy(load->getType()->getScalarSizeInBits());
    Value* bits = b.CreateAtomicRMW(
        AtomicRMWInst::Or, load->getPointerOperand(), llvm::ConstantInt::get(type, 0),
        load->getAlign(), AtLeastMonotonic(load->getOrdering()), load->getSyncScopeID());
    load->replaceAllUsesWith(b.CreateBitCast(bits, load->getType()));
    load->eraseFromParent();
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
             store && store->isAtomic()) {
    Value* value = store->getValueOperand();
    value = b.CreateBitCast(value, b.getIntNTy(value->getType()->getScalarSizeInBits()));
    b.CreateAtomicRMW(AtomicRMWInst::Xchg, store->getPointerOperand(), value,
                      store->getAlign(), AtLeastMonotonic(store->getOrdering()),
                      store->getSyncScopeID());
    store->eraseFromParent();
  }
}

}  // namespace

void LimitAtomicScopes(llvm::Function& function) {
  const llvm::SyncScope::ID device =
      function.getContext().getOrInsertSyncScopeID("device");
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::getAtomicSyncScopeID(&instruction) == llvm::SyncScope::System)
      llvm::setAtomicSyncScopeID(&instruction, device);
}

void ExpandAtomics(llvm::Function& function) {
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(function)))
    ExpandAccess(instruction);
  llvm::SmallVector<AtomicRMWInst*> others;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* atomic = llvm::dyn_cast<AtomicRMWInst>(&instruction);
        atomic && !IsNative(*atomic))
      others.push_back(atomic);
  for (AtomicRMWInst* atomic : others) ExpandAsLoop(*atomic);
}

}  // namespace tenon::compiler
