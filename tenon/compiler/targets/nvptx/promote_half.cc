#include "tenon/compiler/targets/nvptx/promote_half.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

bool IsHalf(const Value* value) { return value->getType()->isHalfTy(); }

Value* Wide(llvm::IRBuilder<>& b, Value* value) {
  return b.CreateFPExt(value, b.getFloatTy());
}

// The integer relation of keys that is a predicate of floats which are no NaNs.
llvm::CmpInst::Predicate Relation(llvm::CmpInst::Predicate predicate) {
  using P = llvm::CmpInst::Predicate;
  switch (predicate) {
    case P::FCMP_OEQ:
    case P::FCMP_UEQ:
      return P::ICMP_EQ;
    case P::FCMP_ONE:
    case P::FCMP_UNE:
      return P::ICMP_NE;
    case P::FCMP_OGT:
    case P::FCMP_UGT:
      return P::ICMP_SGT;
    case P::FCMP_OGE:
    case P::FCMP_UGE:
      return P::ICMP_SGE;
    case P::FCMP_OLT:
    case P::FCMP_ULT:
      return P::ICMP_SLT;
    default:
      return P::ICMP_SLE;
  }
}

// Compares two values of bfloat by their bits.
Value* CompareBits(llvm::IRBuilder<>& b, const llvm::FCmpInst& compare) {
  using P = llvm::CmpInst::Predicate;
  Value* is_nan = nullptr;
  Value* keys[2];  // in the order of the values; both zeros have one
  for (unsigned i = 0; i < 2; ++i) {
    Value* bits = b.CreateBitCast(compare.getOperand(i), b.getInt16Ty());
    Value* size = b.CreateAnd(bits, 0x7fff);
    Value* nan = b.CreateICmpUGT(size, b.getInt16(0x7f80));
    is_nan = is_nan ? b.CreateOr(is_nan, nan) : nan;
    keys[i] =
        b.CreateSelect(b.CreateICmpSLT(bits, b.getInt16(0)), b.CreateNeg(size), size);
  }
  const P predicate = compare.getPredicate();
  if (predicate == P::FCMP_UNO) return is_nan;
  if (predicate == P::FCMP_ORD) return b.CreateNot(is_nan);
  if (predicate == P::FCMP_TRUE || predicate == P::FCMP_FALSE)
    return b.getInt1(predicate == P::FCMP_TRUE);
  Value* relation = b.CreateICmp(Relation(predicate), keys[0], keys[1]);
  return llvm::CmpInst::isUnordered(predicate)
             ? b.CreateOr(is_nan, relation)
             : b.CreateAnd(b.CreateNot(is_nan), relation);
}

// The replacement of an instruction, or null if it stays.
Value* Promote(llvm::IRBuilder<>& b, llvm::Instruction& instruction) {
  if (auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction)) {
    if (compare->getOperand(0)->getType()->isBFloatTy()) return CompareBits(b, *compare);
    if (!IsHalf(compare->getOperand(0))) return nullptr;
    return b.CreateFCmp(compare->getPredicate(), Wide(b, compare->getOperand(0)),
                        Wide(b, compare->getOperand(1)));
  }
  if (!IsHalf(&instruction)) return nullptr;
  if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    // f32 has more than twice the bits of half, so that rounding twice changes nothing.
    Value* wide = b.CreateBinOp(op->getOpcode(), Wide(b, op->getOperand(0)),
                                Wide(b, op->getOperand(1)));
    return b.CreateFPTrunc(wide, op->getType());
  }
  if (instruction.getOpcode() == llvm::Instruction::FNeg)
    return b.CreateFPTrunc(b.CreateFNeg(Wide(b, instruction.getOperand(0))),
                           instruction.getType());
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fabs:
      return b.CreateFPTrunc(
          b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, Wide(b, call->getArgOperand(0))),
          call->getType());
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::minimumnum:
    case llvm::Intrinsic::maximumnum: {
      Value* wide =
          b.CreateBinaryIntrinsic(call->getIntrinsicID(), Wide(b, call->getArgOperand(0)),
                                  Wide(b, call->getArgOperand(1)));
      return b.CreateFPTrunc(wide, call->getType());
    }
    default:
      return nullptr;
  }
}

}  // namespace

void PromoteHalf(llvm::Function& function) {
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::IRBuilder<> b(&instruction);
    Value* replacement = Promote(b, instruction);
    if (!replacement) continue;
    instruction.replaceAllUsesWith(replacement);
    instruction.eraseFromParent();
  }
}

}  // namespace tenon::compiler
