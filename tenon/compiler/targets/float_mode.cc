#include "tenon/compiler/targets/float_mode.h"

#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsARM.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace tenon::compiler {
namespace {

// MXCSR: all exceptions masked, round to nearest; results (FTZ) and operands (DAZ).
constexpr uint32_t kX86Ieee = 0x1f80, kX86Flush = kX86Ieee | 0x8000 | 0x0040;
// FPCR, FPSCR: no traps, round to nearest; FZ flushes operands and results.
constexpr uint64_t kArmIeee = 0, kArmFlush = uint64_t{1} << 24;
// The bits of FPSCR that are the mode: FZ and the rounding. The rest, such as the state
// of predicated loops, is left alone.
constexpr uint32_t kFpscrMode = 0x01c00000;
constexpr uint32_t kToNearest = 1;  // as llvm.set.rounding numbers the modes

llvm::Value* Slot(llvm::IRBuilder<>& b) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getInt32Ty());
}

llvm::Value* Get(llvm::IRBuilder<>& b, llvm::Intrinsic::ID intrinsic) {
  return b.CreateIntrinsic(intrinsic, llvm::ArrayRef<llvm::Value*>());
}

llvm::Value* Read(llvm::IRBuilder<>& b, const llvm::Triple& triple) {
  if (triple.isX86()) {
    llvm::Value* slot = Slot(b);
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_stmxcsr, {}, {slot});
    return b.CreateLoad(b.getInt32Ty(), slot);
  }
  if (triple.isAArch64()) return Get(b, llvm::Intrinsic::aarch64_get_fpcr);
  if (triple.isThumb()) return Get(b, llvm::Intrinsic::arm_get_fpscr);
  if (triple.isRISCV()) return Get(b, llvm::Intrinsic::get_rounding);
  return nullptr;
}

void Write(llvm::IRBuilder<>& b, const llvm::Triple& triple, llvm::Value* mode) {
  if (triple.isX86()) {
    llvm::Value* slot = Slot(b);
    b.CreateStore(mode, slot);
    b.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {slot});
  } else if (triple.isAArch64()) {
    b.CreateIntrinsic(llvm::Intrinsic::aarch64_set_fpcr, {}, {mode});
  } else if (triple.isThumb()) {
    b.CreateIntrinsic(llvm::Intrinsic::arm_set_fpscr, {}, {mode});
  } else {
    b.CreateIntrinsic(llvm::Intrinsic::set_rounding, {}, {mode});
  }
}

// Writes `mode` if it is not `current`, because writing costs far more than comparing.
void WriteIfOther(llvm::IRBuilder<>& b, const llvm::Triple& triple, llvm::Value* mode,
                  llvm::Value* current) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* write = llvm::BasicBlock::Create(b.getContext(), "write_mode", function);
  auto* next = llvm::BasicBlock::Create(b.getContext(), "mode_is_set", function);
  b.CreateCondBr(b.CreateICmpNE(mode, current), write, next);
  b.SetInsertPoint(write);
  Write(b, triple, mode);
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

}  // namespace

llvm::Value* EmitEnterFloatMode(llvm::IRBuilder<>& b, const llvm::Triple& triple,
                                bool ieee_denormals) {
  llvm::Value* previous = Read(b, triple);
  if (!previous) return nullptr;
  llvm::Type* type = previous->getType();
  auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
  llvm::Value* mode = constant(ieee_denormals ? kArmIeee : kArmFlush);
  if (triple.isX86()) mode = constant(ieee_denormals ? kX86Ieee : kX86Flush);
  if (triple.isRISCV()) mode = constant(kToNearest);
  if (triple.isThumb())
    mode = b.CreateOr(b.CreateAnd(previous, constant(~kFpscrMode & 0xffffffff)), mode);
  WriteIfOther(b, triple, mode, previous);
  return previous;
}

void EmitLeaveFloatMode(llvm::IRBuilder<>& b, const llvm::Triple& triple,
                        llvm::Value* previous) {
  if (previous) WriteIfOther(b, triple, previous, Read(b, triple));
}

}  // namespace tenon::compiler
