// Control flow in LLVM IR: bottom-tested loops with carried values, and ifs. No state.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_LOOPS_H_
#define TENON_COMPILER_CODEGEN_EMITTER_LOOPS_H_

#include <functional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

using Values = llvm::SmallVector<llvm::Value*, 4>;

// Runs body(iv, carried) for iv = lower, lower+step, ... while iv < upper. Returns the
// last carried values, or `inits` if the trip count is 0. `body` returns the next carried
// values and may create blocks. Afterwards the builder stands behind the loop. Bounds are
// i64, step > 0.
Values EmitLoop(
    llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
    llvm::ArrayRef<llvm::Value*> inits,
    llvm::function_ref<Values(llvm::Value* iv, llvm::ArrayRef<llvm::Value*>)> body);

// Emits while (condition(carried)) carried = body(carried). Returns the last carried
// values.
Values EmitWhile(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> inits,
                 llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value*>)> body);

// Runs `then` if `condition` (i1) is true. A constant condition emits no branch.
void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition,
            llvm::function_ref<void()> then);

// Emits an alloca in the entry block of the current function.
llvm::AllocaInst* EmitEntryAlloca(llvm::IRBuilderBase& b, llvm::Type* type,
                                  uint64_t alignment);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_LOOPS_H_
