#include "tenon/compiler/codegen/emitter/loops.h"

#include "llvm/IR/Function.h"
#include "tenon/compiler/codegen/contract/ir_loops.h"

namespace tenon::codegen {

Values EmitLoop(
    llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
    llvm::ArrayRef<llvm::Value*> inits,
    llvm::function_ref<Values(llvm::Value*, llvm::ArrayRef<llvm::Value*>)> body) {
  IrValues carried(inits);
  // The status is that of the body, and this body cannot fail.
  (void)EmitLoop(b, lower, upper, step, carried, [&](llvm::Value* iv, IrValues& values) {
    values = body(iv, values);
    return OkStatus();
  });
  return Values(carried.begin(), carried.end());
}

Values EmitWhile(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> inits,
                 llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> condition,
                 llvm::function_ref<Values(llvm::ArrayRef<llvm::Value*>)> body) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = b.getContext();
  auto* header = llvm::BasicBlock::Create(context, "while", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* exit = llvm::BasicBlock::Create(context, "exit", function);
  llvm::BasicBlock* before = b.GetInsertBlock();
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::SmallVector<llvm::PHINode*, 4> phis;
  Values carried;
  for (llvm::Value* init : inits) {
    auto* phi = b.CreatePHI(init->getType(), 2);
    phi->addIncoming(init, before);
    phis.push_back(phi);
    carried.push_back(phi);
  }
  b.CreateCondBr(condition(carried), loop, exit);
  b.SetInsertPoint(loop);
  Values next = body(carried);
  llvm::BasicBlock* latch = b.GetInsertBlock();
  b.CreateBr(header);
  for (auto [phi, value] : llvm::zip_equal(phis, next)) phi->addIncoming(value, latch);
  b.SetInsertPoint(exit);
  return carried;
}

void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition,
            llvm::function_ref<void()> then) {
  // The status is that of the body, and this body cannot fail.
  (void)EmitIfElse(b, condition, [&] {
    then();
    return OkStatus();
  });
}

llvm::AllocaInst* EmitEntryAlloca(llvm::IRBuilderBase& b, llvm::Type* type,
                                  uint64_t alignment) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> entry_builder(&entry, entry.begin());
  auto* alloca = entry_builder.CreateAlloca(type);
  alloca->setAlignment(llvm::Align(alignment));
  return alloca;
}

}  // namespace tenon::codegen
