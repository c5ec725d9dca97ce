// Emits matrix products and convolutions from their plans. Used by the thread that owns
// the builder's LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_H_

#include "tenon/compiler/codegen/contract/contract_hooks.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

// Emits the work of one chunk (an i64 Value) of phase `phase` at the builder's insertion
// point. Afterwards the builder is at the end of a block without terminator. Returns
// UNIMPLEMENTED for element types that cannot be converted.
Status EmitContractPhase(llvm::IRBuilder<>& b, const ContractSpec& spec,
                         const KernelPlan& plan, int phase,
                         const ContractPointers& pointers, llvm::Value* chunk,
                         const ContractHooks& hooks = {});

// The same for a convolution.
Status EmitConvPhase(llvm::IRBuilder<>& b, const ConvSpec& spec, const KernelPlan& plan,
                     int phase, const ContractPointers& pointers, llvm::Value* chunk,
                     const ContractHooks& hooks = {});

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_H_
