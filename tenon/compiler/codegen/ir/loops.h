// Control flow and address arithmetic in LLVM IR: bottom-tested loops with carried
// values, ifs, outlined functions. No state.
#ifndef TENON_COMPILER_CODEGEN_IR_LOOPS_H_
#define TENON_COMPILER_CODEGEN_IR_LOOPS_H_

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"

namespace tenon::codegen {

using IrBuilder = llvm::IRBuilder<>;
using IrValues = llvm::SmallVector<llvm::Value*, 8>;
using Values = llvm::SmallVector<llvm::Value*, 4>;
using LoopBody = llvm::function_ref<Status(llvm::Value* iv, IrValues& carried)>;

// Emits a loop over iv = lower, lower + step, ... while iv < upper. `carried` holds the
// initial values at the call, the current values when the body starts, the next values
// when the body returns, and the final values afterwards. Bounds are i64. A loop with
// constant bounds and one iteration creates no blocks.
Status EmitLoop(llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper,
                int64_t step, IrValues& carried, LoopBody body);
// Without carried values.
Status EmitLoop(IrBuilder& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
                llvm::function_ref<Status(llvm::Value* iv)> body);
// The same for a body that cannot fail, in the form of scf.for: body(iv, carried) returns
// the next carried values, and EmitForLoop returns the final ones, or `inits` if the trip
// count is 0.
Values EmitForLoop(
    llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
    llvm::ArrayRef<llvm::Value*> inits,
    llvm::function_ref<Values(llvm::Value* iv, llvm::ArrayRef<llvm::Value*>)> body);

// Emits while (condition(carried)) carried = body(carried). Returns the last carried
// values.
Values EmitWhile(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> inits,
                 llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value*>)> body);

// Emits one body for each outcome of the condition. A constant condition creates no
// branch.
Status EmitIfElse(llvm::IRBuilderBase& b, llvm::Value* condition,
                  llvm::function_ref<Status()> then_body,
                  llvm::function_ref<Status()> else_body = {});
// Emits one of two values, each with the code that computes it.
llvm::Value* EmitChoice(llvm::IRBuilderBase& b, llvm::Value* condition,
                        llvm::function_ref<llvm::Value*()> then_value,
                        llvm::function_ref<llvm::Value*()> else_value);
// Emits `then`, which runs if `condition` (i1) is true, and `otherwise`. They cannot
// fail.
void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition,
            llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise = {});

// Emits `body` as a separate function and a call of it. Register allocation in the
// function is then independent of the code around it: LLVM would otherwise hoist the
// constants of fused results over the loops of the sums, where they occupy registers.
// `inputs` are the values from outside that the body uses; while the body is emitted they
// are the function's arguments.
Status EmitOutlined(llvm::IRBuilderBase& b, llvm::StringRef name,
                    llvm::ArrayRef<llvm::Value**> inputs,
                    llvm::function_ref<Status()> body);

// LLVM is to generate the function fast, with hardly any optimization: little time is
// spent in it, beside the functions that it calls.
void LeaveUnoptimized(llvm::Function& function);
// An attribute of unoptimized functions whose registers LLVM is to allocate with care.
inline constexpr llvm::StringLiteral kAllocatesRegisters = "tenon-allocates-registers";
// Whether the function is nothing but address arithmetic, branches and calls, and reads
// nothing after its entry block.
bool OnlyCalls(const llvm::Function& function);

// An alloca of `bytes` bytes, 64-byte aligned, in the entry block.
llvm::Value* EmitEntryAlloca(IrBuilder& b, int64_t bytes);
// An alloca of `type` in the entry block.
llvm::AllocaInst* EmitEntryAlloca(llvm::IRBuilderBase& b, llvm::Type* type,
                                  uint64_t alignment);

// i64 arithmetic that folds constants 0 and 1.
llvm::Value* AddI(IrBuilder& b, llvm::Value* x, llvm::Value* y);
llvm::Value* AddI(IrBuilder& b, llvm::Value* x, int64_t y);
llvm::Value* MulI(IrBuilder& b, llvm::Value* x, int64_t y);
llvm::Value* MinI(IrBuilder& b, llvm::Value* x, llvm::Value* y);
llvm::Value* MaxI(IrBuilder& b, llvm::Value* x, llvm::Value* y);
// Whether a condition (i1) is the constant false.
bool IsFalse(llvm::Value* condition);
// pointer + offset elements of `bytes` bytes.
llvm::Value* OffsetPointer(IrBuilder& b, llvm::Value* pointer, llvm::Value* offset,
                           int64_t bytes);
llvm::Value* OffsetPointer(IrBuilder& b, llvm::Value* pointer, int64_t offset,
                           int64_t bytes);
// The same value, but LLVM does not see how it was computed. Loop strength reduction
// takes time in proportion to the addresses that it sees in outer loops, and gains
// nothing there.
llvm::Value* Opaque(IrBuilder& b, llvm::Value* value);
// Delinearizes x: its mixed-radix digits, most significant first. x must be less than the
// product of the sizes.
IrValues Delinearize(IrBuilder& b, llvm::Value* x, llvm::ArrayRef<int64_t> sizes);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_IR_LOOPS_H_
