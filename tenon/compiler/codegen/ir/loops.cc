#include "tenon/compiler/codegen/ir/loops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tenon::codegen {
namespace {

const llvm::ConstantInt* AsConstant(llvm::Value* value) {
  return llvm::dyn_cast<llvm::ConstantInt>(value);
}

}  // namespace

Status EmitLoop(llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper,
                int64_t step, IrValues& carried, LoopBody body) {
  const llvm::ConstantInt* first = AsConstant(lower);
  const llvm::ConstantInt* last = AsConstant(upper);
  bool constant = first && last;
  if (constant && first->getSExtValue() >= last->getSExtValue()) return OkStatus();
  if (constant && first->getSExtValue() + step >= last->getSExtValue())
    return body(lower, carried);

  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  auto* exit = llvm::BasicBlock::Create(b.getContext(), "exit", function);
  llvm::BasicBlock* before = b.GetInsertBlock();
  if (constant)
    b.CreateBr(loop);
  else
    b.CreateCondBr(b.CreateICmpSLT(lower, upper), loop, exit);

  b.SetInsertPoint(loop);
  llvm::PHINode* iv = b.CreatePHI(b.getInt64Ty(), 2);
  iv->addIncoming(lower, before);
  IrValues initial = carried;
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  for (llvm::Value*& value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  TENON_RETURN_IF_ERROR(body(iv, carried));
  llvm::Value* next = b.CreateNSWAdd(iv, b.getInt64(step));
  llvm::BasicBlock* latch = b.GetInsertBlock();
  b.CreateCondBr(b.CreateICmpSLT(next, upper), loop, exit);
  iv->addIncoming(next, latch);
  for (auto [phi, value] : llvm::zip_equal(phis, carried)) phi->addIncoming(value, latch);

  b.SetInsertPoint(exit);
  if (constant) return OkStatus();
  for (auto [value, start] : llvm::zip_equal(carried, initial)) {
    llvm::PHINode* phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(start, before);
    phi->addIncoming(value, latch);
    value = phi;
  }
  return OkStatus();
}

Status EmitLoop(IrBuilder& b, llvm::Value* lower, llvm::Value* upper, int64_t step,
                llvm::function_ref<Status(llvm::Value* iv)> body) {
  IrValues none;
  return EmitLoop(b, lower, upper, step, none,
                  [&](llvm::Value* iv, IrValues&) { return body(iv); });
}

Values EmitForLoop(
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

Status EmitIfElse(llvm::IRBuilderBase& b, llvm::Value* condition,
                  llvm::function_ref<Status()> then_body,
                  llvm::function_ref<Status()> else_body) {
  if (const llvm::ConstantInt* constant = AsConstant(condition)) {
    if (constant->isOne()) return then_body();
    return else_body ? else_body() : OkStatus();
  }
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* then_block = llvm::BasicBlock::Create(b.getContext(), "then", function);
  auto* else_block =
      else_body ? llvm::BasicBlock::Create(b.getContext(), "else", function) : nullptr;
  auto* end_block = llvm::BasicBlock::Create(b.getContext(), "end", function);
  b.CreateCondBr(condition, then_block, else_block ? else_block : end_block);
  b.SetInsertPoint(then_block);
  TENON_RETURN_IF_ERROR(then_body());
  b.CreateBr(end_block);
  if (else_block) {
    b.SetInsertPoint(else_block);
    TENON_RETURN_IF_ERROR(else_body());
    b.CreateBr(end_block);
  }
  b.SetInsertPoint(end_block);
  return OkStatus();
}

llvm::Value* EmitChoice(llvm::IRBuilderBase& b, llvm::Value* condition,
                        llvm::function_ref<llvm::Value*()> then_value,
                        llvm::function_ref<llvm::Value*()> else_value) {
  llvm::SmallVector<std::pair<llvm::Value*, llvm::BasicBlock*>, 2> choices;
  auto emit = [&](llvm::function_ref<llvm::Value*()> value) {
    llvm::Value* result = value();
    choices.emplace_back(result, b.GetInsertBlock());
    return OkStatus();
  };
  (void)EmitIfElse(  // the status is that of the bodies
      b, condition, [&] { return emit(then_value); }, [&] { return emit(else_value); });
  if (choices.size() == 1) return choices[0].first;  // the condition is constant
  auto* result = b.CreatePHI(choices[0].first->getType(), 2);
  for (auto [value, block] : choices) result->addIncoming(value, block);
  return result;
}

void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition,
            llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto emit = [](llvm::function_ref<void()> body) {
    body();
    return OkStatus();
  };
  // The status is that of the bodies, and these cannot fail.
  auto emit_then = [&] { return emit(then); };
  if (otherwise)
    (void)EmitIfElse(b, condition, emit_then, [&] { return emit(otherwise); });
  else
    (void)EmitIfElse(b, condition, emit_then);
}

Status EmitOutlined(llvm::IRBuilderBase& b, llvm::StringRef name,
                    llvm::ArrayRef<llvm::Value**> inputs,
                    llvm::function_ref<Status()> body) {
  llvm::SmallVector<llvm::Value**> variables;
  IrValues outside;
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Value** input : inputs) {
    if (!*input || llvm::isa<llvm::Constant>(*input)) continue;
    variables.push_back(input);
    outside.push_back(*input);
    types.push_back((*input)->getType());
  }
  llvm::Function* caller = b.GetInsertBlock()->getParent();
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                             llvm::Function::InternalLinkage,
                             name + "." + caller->getName(), caller->getParent());
  function->addFnAttr(llvm::Attribute::NoInline);
  {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
    for (auto [number, variable] : llvm::enumerate(variables))
      *variable = function->getArg(number);
    Status status = body();
    for (auto [number, variable] : llvm::enumerate(variables))
      *variable = outside[number];
    TENON_RETURN_IF_ERROR(status);
    b.CreateRetVoid();
  }
  b.CreateCall(function, outside);
  return OkStatus();
}

void LeaveUnoptimized(llvm::Function& function) {
  function.addFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::NoInline);
}

bool OnlyCalls(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (llvm::isa<llvm::IntrinsicInst>(instruction)) return false;
      if (instruction.getType()->isFPOrFPVectorTy() ||
          instruction.getType()->isVectorTy())
        return false;
      const bool reads_argument =
          llvm::isa<llvm::LoadInst>(instruction) && &block == &function.getEntryBlock();
      if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::CallInst>(instruction) &&
          !reads_argument)
        return false;
    }
  }
  return true;
}

llvm::Value* EmitEntryAlloca(IrBuilder& b, int64_t bytes) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IrBuilder at_entry(&entry, entry.begin());
  auto* alloca = at_entry.CreateAlloca(llvm::ArrayType::get(at_entry.getInt8Ty(), bytes));
  alloca->setAlignment(llvm::Align(64));
  return alloca;
}

llvm::AllocaInst* EmitEntryAlloca(llvm::IRBuilderBase& b, llvm::Type* type,
                                  uint64_t alignment) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> entry_builder(&entry, entry.begin());
  auto* alloca = entry_builder.CreateAlloca(type);
  alloca->setAlignment(llvm::Align(alignment));
  return alloca;
}

llvm::Value* AddI(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  if (auto* constant = AsConstant(x); constant && constant->isZero()) return y;
  if (auto* constant = AsConstant(y); constant && constant->isZero()) return x;
  return b.CreateNSWAdd(x, y);
}

llvm::Value* AddI(IrBuilder& b, llvm::Value* x, int64_t y) {
  return AddI(b, x, b.getInt64(y));
}

llvm::Value* MulI(IrBuilder& b, llvm::Value* x, int64_t y) {
  if (y == 1) return x;
  if (y == 0) return b.getInt64(0);
  return b.CreateNSWMul(x, b.getInt64(y));
}

llvm::Value* MinI(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
}

llvm::Value* MaxI(IrBuilder& b, llvm::Value* x, llvm::Value* y) {
  return b.CreateSelect(b.CreateICmpSGT(x, y), x, y);
}

bool IsFalse(llvm::Value* condition) {
  auto* constant = AsConstant(condition);
  return constant && constant->isZero();
}

llvm::Value* OffsetPointer(IrBuilder& b, llvm::Value* pointer, llvm::Value* offset,
                           int64_t bytes) {
  if (auto* constant = AsConstant(offset); constant && constant->isZero()) return pointer;
  return b.CreateGEP(b.getInt8Ty(), pointer, MulI(b, offset, bytes));
}

llvm::Value* OffsetPointer(IrBuilder& b, llvm::Value* pointer, int64_t offset,
                           int64_t bytes) {
  return OffsetPointer(b, pointer, b.getInt64(offset), bytes);
}

IrValues Delinearize(IrBuilder& b, llvm::Value* x, llvm::ArrayRef<int64_t> sizes) {
  IrValues digits(sizes.size(), b.getInt64(0));
  // The most significant digit of a size other than 1 needs no remainder.
  size_t first = 0;
  while (first + 1 < sizes.size() && sizes[first] == 1) ++first;
  for (size_t i = sizes.size(); i-- > first;) {
    if (i == first) {
      digits[i] = x;
    } else if (sizes[i] != 1) {
      digits[i] = b.CreateURem(x, b.getInt64(sizes[i]));
      x = b.CreateUDiv(x, b.getInt64(sizes[i]));
    }
  }
  return digits;
}

llvm::Value* Opaque(IrBuilder& b, llvm::Value* value) { return b.CreateFreeze(value); }

}  // namespace tenon::codegen
