// Replaces calls of LLVM's intrinsics by instructions with the same results.
#ifndef TENON_COMPILER_TARGETS_GPU_EXPAND_INTRINSICS_H_
#define TENON_COMPILER_TARGETS_GPU_EXPAND_INTRINSICS_H_

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "tenon/compiler/targets/gpu/legalize.h"

namespace tenon::compiler {

// Expands memcpy, memmove and memset.
void ExpandMemoryIntrinsics(llvm::Function& function,
                            llvm::FunctionAnalysisManager& analyses);

// Expands the other ones that the target lacks. Calls that have no expansion stay.
void ExpandIntrinsics(llvm::Function& function, const DeviceRules& rules);

// Replaces each `freeze` by its operand, and by 0 if that is undefined.
void RemoveFreeze(llvm::Module& module);

// The expansions, for scalars. Null if there is none for this intrinsic.
llvm::Value* ExpandIntegerIntrinsic(llvm::IRBuilder<>& b, llvm::IntrinsicInst& call);
llvm::Value* ExpandFloatIntrinsic(llvm::IRBuilder<>& b, llvm::IntrinsicInst& call);

// The upper half of the product of two integers of equal width.
llvm::Value* MultiplyHigh(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y,
                          bool is_signed);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_EXPAND_INTRINSICS_H_
