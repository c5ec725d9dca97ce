#include "tenon/compiler/codegen/emitter/loops.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

namespace tenon::codegen {

Values EmitLoop(
    llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
    llvm::ArrayRef<llvm::Value*> inits,
    llvm::function_ref<Values(llvm::Value*, llvm::ArrayRef<llvm::Value*>)> body) {
  auto* const_lower = llvm::dyn_cast<llvm::ConstantInt>(lower);
  auto* const_upper = llvm::dyn_cast<llvm::ConstantInt>(upper);
  bool constant = const_lower && const_upper;
  if (constant && const_lower->getSExtValue() >= const_upper->getSExtValue())
    return Values(inits);
  // A single iteration needs no loop.
  if (constant && const_lower->getSExtValue() + step >= const_upper->getSExtValue())
    return body(lower, inits);

  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = b.getContext();
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* exit = llvm::BasicBlock::Create(context, "exit", function);
  llvm::BasicBlock* before = b.GetInsertBlock();
  if (constant)
    b.CreateBr(loop);
  else
    b.CreateCondBr(b.CreateICmpSLT(lower, upper), loop, exit);

  b.SetInsertPoint(loop);
  auto* iv = b.CreatePHI(b.getInt64Ty(), 2, "i");
  iv->addIncoming(lower, before);
  llvm::SmallVector<llvm::PHINode*, 4> carried;
  for (llvm::Value* init : inits) {
    auto* phi = b.CreatePHI(init->getType(), 2);
    phi->addIncoming(init, before);
    carried.push_back(phi);
  }
  Values next = body(iv, Values(carried.begin(), carried.end()));
  llvm::Value* next_iv = b.CreateNSWAdd(iv, b.getInt64(step));
  llvm::BasicBlock* latch = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(next_iv, upper), loop, exit);
  iv->addIncoming(next_iv, latch);
  for (auto [phi, value] : llvm::zip_equal(carried, next)) phi->addIncoming(value, latch);

  b.SetInsertPoint(exit);
  if (constant) return next;
  Values results;
  for (auto [init, value] : llvm::zip_equal(inits, next)) {
    auto* phi = b.CreatePHI(init->getType(), 2);
    phi->addIncoming(init, before);
    phi->addIncoming(value, latch);
    results.push_back(phi);
  }
  return results;
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
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    if (constant->isOne()) then();
    return;
  }
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* then_block = llvm::BasicBlock::Create(b.getContext(), "then", function);
  auto* end_block = llvm::BasicBlock::Create(b.getContext(), "end", function);
  b.CreateCondBr(condition, then_block, end_block);
  b.SetInsertPoint(then_block);
  then();
  b.CreateBr(end_block);
  b.SetInsertPoint(end_block);
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
