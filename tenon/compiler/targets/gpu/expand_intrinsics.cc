#include "tenon/compiler/targets/gpu/expand_intrinsics.h"

#include "llvm/IR/InstIterator.h"
#include "tenon/compiler/targets/gpu/legalize_integers.h"

namespace tenon::compiler {
namespace {

using llvm::Intrinsic::ID;

// Hints and assumptions, which code is right without.
bool IsHint(ID id) {
  switch (id) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::var_annotation:
      return true;
    default:
      return false;
  }
}

// Intrinsics whose result is their first operand.
bool IsCopy(ID id) {
  switch (id) {
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::arithmetic_fence:
    case llvm::Intrinsic::ssa_copy:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::annotation:
    case llvm::Intrinsic::ptr_annotation:
      return true;
    default:
      return false;
  }
}

// A pair of a result and an overflow bit is used through its two fields.
void ReplaceOverflow(llvm::WithOverflowInst& call, llvm::Value* result,
                     llvm::Value* overflow, llvm::IRBuilder<>& b) {
  for (llvm::User* user : llvm::make_early_inc_range(call.users())) {
    auto* field = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (!field) continue;
    field->replaceAllUsesWith(field->getIndices()[0] == 0 ? result : overflow);
    field->eraseFromParent();
  }
  if (!call.use_empty()) {
    llvm::Value* pair =
        b.CreateInsertValue(llvm::PoisonValue::get(call.getType()), result, 0);
    call.replaceAllUsesWith(b.CreateInsertValue(pair, overflow, 1));
  }
  call.eraseFromParent();
}

void ExpandOverflow(llvm::IRBuilder<>& b, llvm::WithOverflowInst& call) {
  llvm::Value* x = call.getLHS();
  llvm::Value* y = call.getRHS();
  llvm::Value* zero = llvm::ConstantInt::get(x->getType(), 0);
  llvm::Value* result = b.CreateBinOp(call.getBinaryOp(), x, y);
  llvm::Value* overflow;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::uadd_with_overflow:
      overflow = b.CreateICmpULT(result, x);
      break;
    case llvm::Intrinsic::usub_with_overflow:
      overflow = b.CreateICmpULT(x, y);
      break;
    case llvm::Intrinsic::sadd_with_overflow:
      overflow = b.CreateXor(b.CreateICmpSLT(result, x), b.CreateICmpSLT(y, zero));
      break;
    case llvm::Intrinsic::ssub_with_overflow:
      overflow = b.CreateXor(b.CreateICmpSLT(result, x), b.CreateICmpSGT(y, zero));
      break;
    default: {
      llvm::Value* expected =
          call.isSigned()
              ? b.CreateAShr(result, result->getType()->getScalarSizeInBits() - 1)
              : zero;
      overflow = b.CreateICmpNE(MultiplyHigh(b, x, y, call.isSigned()), expected);
    }
  }
  ReplaceOverflow(call, result, overflow, b);
}

// Returns whether the call is gone.
bool Expand(llvm::IntrinsicInst& call, const DeviceRules& rules) {
  const ID id = call.getIntrinsicID();
  if (IsHint(id)) {
    if (!call.use_empty())
      call.replaceAllUsesWith(llvm::PoisonValue::get(call.getType()));
    call.eraseFromParent();
    return true;
  }
  if (IsCopy(id)) {
    call.replaceAllUsesWith(call.getArgOperand(0));
    call.eraseFromParent();
    return true;
  }
  llvm::IRBuilder<> b(&call);
  if (auto* overflow = llvm::dyn_cast<llvm::WithOverflowInst>(&call)) {
    ExpandOverflow(b, *overflow);
    return true;
  }
  if (call.arg_empty()) return false;
  const llvm::Type& type = *call.getArgOperand(0)->getType();
  if (!IsOddInteger(type) && rules.has_intrinsic(id, type)) return false;
  llvm::Value* result = ExpandIntegerIntrinsic(b, call);
  if (!result) result = ExpandFloatIntrinsic(b, call);
  if (!result) return false;
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return true;
}

}  // namespace

void ExpandIntrinsics(llvm::Function& function, const DeviceRules& rules) {
  // Expansions may contain other intrinsics.
  for (bool changed = true; changed;) {
    changed = false;
    llvm::SmallVector<llvm::IntrinsicInst*> calls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        calls.push_back(call);
    for (llvm::IntrinsicInst* call : calls) changed |= Expand(*call, rules);
  }
}

void RemoveFreeze(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(&instruction);
      if (!freeze) continue;
      llvm::Value* value = freeze->getOperand(0);
      if (llvm::isa<llvm::UndefValue>(value))
        value = llvm::Constant::getNullValue(value->getType());
      freeze->replaceAllUsesWith(value);
      freeze->eraseFromParent();
    }
  }
}

}  // namespace tenon::compiler
