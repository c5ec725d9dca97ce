#include "tenon/compiler/codegen/contract/contract.h"

#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

Status EmitContractPhase(llvm::IRBuilder<>& b, const ContractSpec& spec,
                         const KernelPlan& plan, int phase,
                         const ContractPointers& pointers, llvm::Value* chunk,
                         const ContractHooks& hooks) {
  if (spec.has_store != !!hooks.store || spec.has_load_lhs != !!hooks.load_lhs ||
      spec.has_load_rhs != !!hooks.load_rhs)
    return Internal("hooks of a matrix product differ from those of its plan");
  return EmitPhase(b, plan, phase, pointers, chunk, hooks);
}

Status EmitConvPhase(llvm::IRBuilder<>& b, const ConvSpec& spec, const KernelPlan& plan,
                     int phase, const ContractPointers& pointers, llvm::Value* chunk,
                     const ContractHooks& hooks) {
  if (spec.has_store != !!hooks.store || spec.has_load_lhs != !!hooks.load_lhs ||
      spec.has_load_rhs != !!hooks.load_rhs)
    return Internal("hooks of a convolution differ from those of its plan");
  return EmitPhase(b, plan, phase, pointers, chunk, hooks);
}

}  // namespace tenon::codegen
