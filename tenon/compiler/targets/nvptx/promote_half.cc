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

// The replacement of an instruction, or null if it stays.
Value* Promote(llvm::IRBuilder<>& b, llvm::Instruction& instruction) {
  if (auto* compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction)) {
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
