// Functions that LLVM's code generation calls, for objects that may not need a library.
// They have the names that it calls, as local symbols.
#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/object/interface_code.h"

namespace tenon::compiler {
namespace {

using Builder = llvm::IRBuilder<>;
constexpr int64_t kBlock = 16;  // bytes of a vector that every target has, or can split

class MemoryFunction {
 public:
  // `value`: the type of the second argument.
  MemoryFunction(llvm::Module& module, const char* name, llvm::Type* value)
      : b_(module.getContext()),
        size_type_(module.getDataLayout().getIntPtrType(module.getContext())) {
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(b_.getPtrTy(), {b_.getPtrTy(), value, size_type_}, false),
        llvm::Function::InternalLinkage, name, module);
    function_->addFnAttr(llvm::Attribute::NoInline);
    b_.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function_));
    size_ = b_.CreateZExt(function_->getArg(2), b_.getInt64Ty());
    blocks_ = b_.CreateAnd(size_, b_.getInt64(static_cast<uint64_t>(-kBlock)));
  }

  Builder& builder() { return b_; }
  llvm::Value* target() { return function_->getArg(0); }
  llvm::Value* source() { return function_->getArg(1); }
  void Return() { b_.CreateRet(target()); }

  // Copies from the first byte to the last, in blocks and then in bytes.
  void CopyUp() {
    Loop(b_.getInt64(0), blocks_, kBlock, [&](llvm::Value* at) { Move(at, Block()); });
    Loop(blocks_, size_, 1, [&](llvm::Value* at) { Move(at, b_.getInt8Ty()); });
  }
  // Copies from the last byte to the first.
  void CopyDown() {
    auto down = [&](llvm::Value* end, llvm::Value* count, int64_t step,
                    llvm::Type* unit) {
      Loop(b_.getInt64(0), count, step, [&](llvm::Value* done) {
        Move(b_.CreateSub(b_.CreateSub(end, done), b_.getInt64(step)), unit);
      });
    };
    down(size_, b_.CreateSub(size_, blocks_), 1, b_.getInt8Ty());
    down(blocks_, blocks_, kBlock, Block());
  }
  void Fill() {
    llvm::Value* byte = b_.CreateTrunc(source(), b_.getInt8Ty());
    llvm::Value* block = b_.CreateVectorSplat(kBlock, byte);
    Loop(b_.getInt64(0), blocks_, kBlock, [&](llvm::Value* at) { Store(block, at); });
    Loop(blocks_, size_, 1, [&](llvm::Value* at) { Store(byte, at); });
  }

 private:
  llvm::Type* Block() { return llvm::FixedVectorType::get(b_.getInt8Ty(), kBlock); }
  llvm::Value* At(llvm::Value* base, llvm::Value* offset) {
    return b_.CreateGEP(b_.getInt8Ty(), base, offset);
  }
  void Store(llvm::Value* value, llvm::Value* at) {
    b_.CreateAlignedStore(value, At(target(), at), llvm::Align(1));
  }
  void Move(llvm::Value* at, llvm::Type* unit) {
    Store(b_.CreateAlignedLoad(unit, At(source(), at), llvm::Align(1)), at);
  }
  void Loop(llvm::Value* lower, llvm::Value* upper, int64_t step,
            llvm::function_ref<void(llvm::Value*)> body) {
    codegen::EmitForLoop(b_, lower, upper, step, {},
                         [&](llvm::Value* at, llvm::ArrayRef<llvm::Value*>) {
                           body(at);
                           return codegen::Values{};
                         });
  }

  Builder b_;
  llvm::Type* size_type_;
  llvm::Function* function_;
  llvm::Value *size_, *blocks_;
};

}  // namespace

void DefineMemoryFunctions(llvm::Module& module) {
  llvm::Type* pointer = llvm::PointerType::get(module.getContext(), 0);
  MemoryFunction copy(module, "memcpy", pointer);
  copy.CopyUp();
  copy.Return();
  MemoryFunction move(module, "memmove", pointer);
  Builder& b = move.builder();
  (void)codegen::EmitIfElse(
      b, b.CreateICmpULT(move.source(), move.target()),
      [&] {
        move.CopyDown();
        return OkStatus();
      },
      [&] {
        move.CopyUp();
        return OkStatus();
      });
  move.Return();
  MemoryFunction fill(module, "memset", llvm::Type::getInt32Ty(module.getContext()));
  fill.Fill();
  fill.Return();
}

bool MultipliesWideIntegers(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function)
      for (const llvm::Instruction& instruction : block)
        if (instruction.getOpcode() == llvm::Instruction::Mul &&
            instruction.getType()->getScalarSizeInBits() > 64)
          return true;
  return false;
}

void DefineWideMultiply(llvm::Module& module) {
  Builder b(module.getContext());
  llvm::Type* half = b.getInt64Ty();
  // The product goes to the first argument; factors are in halves, the low one first.
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), half, half, half, half},
                              false),
      llvm::Function::InternalLinkage, "__multi3", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  llvm::Value *x = function->getArg(1), *y = function->getArg(3);
  llvm::Value* mask = b.getInt64(0xffffffff);
  auto low = [&](llvm::Value* value) { return b.CreateAnd(value, mask); };
  auto high = [&](llvm::Value* value) { return b.CreateLShr(value, 32); };
  llvm::Value* first = b.CreateMul(low(x), low(y));
  llvm::Value* second = b.CreateAdd(b.CreateMul(high(x), low(y)), high(first));
  llvm::Value* third = b.CreateAdd(b.CreateMul(low(x), high(y)), low(second));
  llvm::Value* top =
      b.CreateAdd(b.CreateMul(high(x), high(y)), b.CreateAdd(high(second), high(third)));
  top = b.CreateAdd(top, b.CreateMul(x, function->getArg(4)));
  top = b.CreateAdd(top, b.CreateMul(y, function->getArg(2)));
  b.CreateStore(b.CreateMul(x, y), function->getArg(0));
  b.CreateStore(top, b.CreateConstInBoundsGEP1_64(half, function->getArg(0), 1));
  b.CreateRetVoid();
}

}  // namespace tenon::compiler
