#include "tenon/compiler/targets/nvptx/approximations.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

// Calls the intrinsic of scalars for each lane.
Value* Call(llvm::IRBuilderBase& b, llvm::Intrinsic::ID id,
            llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<Value*> operands) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  if (!type) return b.CreateIntrinsic(id, types, operands);
  Value* result = llvm::PoisonValue::get(type);
  for (uint64_t i = 0; i < type->getNumElements(); ++i) {
    llvm::SmallVector<Value*> lane;
    for (Value* operand : operands) lane.push_back(b.CreateExtractElement(operand, i));
    result = b.CreateInsertElement(result, b.CreateIntrinsic(id, types, lane), i);
  }
  return result;
}

Value* Exp2(llvm::IRBuilderBase& b, Value* x) {
  return Call(b, llvm::Intrinsic::nvvm_ex2_approx_ftz, {b.getFloatTy()}, {x});
}

Value* Reciprocal(llvm::IRBuilderBase& b, Value* x) {
  return Call(b, llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {x});
}

Value* Divide(llvm::IRBuilderBase& b, Value* x, Value* y) {
  return Call(b, llvm::Intrinsic::nvvm_div_full_ftz, {}, {x, y});
}

Value* FmaDown(llvm::IRBuilderBase& b, Value* x, Value* y, Value* z) {
  return Call(b, llvm::Intrinsic::nvvm_fma_rm_ftz_f, {}, {x, y, z});
}

}  // namespace

const Approximations& NvptxApproximations() {
  static constexpr Approximations kApproximations = {Exp2, Reciprocal, Divide, FmaDown};
  return kApproximations;
}

}  // namespace tenon::compiler
