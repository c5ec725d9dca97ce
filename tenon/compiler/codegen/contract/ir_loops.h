// Bottom-tested loops and address arithmetic in LLVM IR for the kernels of this folder.
// No state.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_IR_LOOPS_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_IR_LOOPS_H_

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"

namespace tenon::codegen {

using IrBuilder = llvm::IRBuilder<>;
using IrValues = llvm::SmallVector<llvm::Value*, 8>;
using LoopBody = llvm::function_ref<Status(llvm::Value* iv, IrValues& carried)>;

// Runs body for iv = lower, lower+step, ... while iv < upper. `carried` holds the initial
// values at the call, the current ones at the body's entry, the next ones at its exit and
// the last ones afterwards. Bounds are i64; a loop of constant bounds with one iteration
// makes no blocks.
Status EmitLoop(llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper,
                int64_t step, IrValues& carried, LoopBody body);
// Without carried values.
Status EmitLoop(IrBuilder& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
                llvm::function_ref<Status(llvm::Value* iv)> body);
// Runs the one or the other. A constant condition makes no branch.
Status EmitIfElse(llvm::IRBuilderBase& b, llvm::Value* condition,
                  llvm::function_ref<Status()> then_body,
                  llvm::function_ref<Status()> else_body = {});

// Emits `body` as a function of its own, called here: what its registers hold is then
// independent of the code around it (constants of fused results would be hoisted over
// the loops of the sums, and occupy registers there). `inputs`: the values from outside
// that the body uses; while it is emitted they are the function's arguments.
Status EmitOutlined(IrBuilder& b, llvm::StringRef name,
                    llvm::ArrayRef<llvm::Value**> inputs,
                    llvm::function_ref<Status()> body);

// An alloca of `bytes` bytes, 64-byte aligned, in the entry block.
llvm::Value* EntryAlloca(IrBuilder& b, int64_t bytes);

// i64 arithmetic that leaves out what constants make needless.
llvm::Value* AddI(IrBuilder& b, llvm::Value* x, llvm::Value* y);
llvm::Value* AddI(IrBuilder& b, llvm::Value* x, int64_t y);
llvm::Value* MulI(IrBuilder& b, llvm::Value* x, int64_t y);
llvm::Value* MinI(IrBuilder& b, llvm::Value* x, llvm::Value* y);
// pointer + offset elements of `bytes` bytes.
llvm::Value* OffsetPointer(IrBuilder& b, llvm::Value* pointer, llvm::Value* offset,
                           int64_t bytes);
llvm::Value* OffsetPointer(IrBuilder& b, llvm::Value* pointer, int64_t offset,
                           int64_t bytes);
// The same value, whose making LLVM does not look through. Loop strength reduction takes
// time in proportion to what it sees of addresses in outer loops, and gains nothing
// there.
llvm::Value* Opaque(IrBuilder& b, llvm::Value* value);
// Mixed-radix digits of x, most significant first; x is less than the product of the
// sizes.
IrValues Digits(IrBuilder& b, llvm::Value* x, llvm::ArrayRef<int64_t> sizes);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_IR_LOOPS_H_
