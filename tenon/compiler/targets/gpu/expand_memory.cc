#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"
#include "tenon/compiler/targets/gpu/expand_intrinsics.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

// Up to this many bytes are moved by single loads and stores, without a loop.
constexpr uint64_t kMaxUnrolledBytes = 256;
constexpr uint64_t kMaxUnrolledWords = 32;
constexpr uint64_t kMaxWordBytes = 8;

// The sizes of aligned integers that cover `bytes`; empty if there are too many.
llvm::SmallVector<uint64_t> Words(uint64_t bytes, llvm::Align align) {
  llvm::SmallVector<uint64_t> words;
  uint64_t word = std::min(align.value(), kMaxWordBytes);
  if (bytes > kMaxUnrolledBytes || bytes / word > kMaxUnrolledWords) return words;
  for (; bytes > 0; word /= 2)
    for (; bytes >= word; bytes -= word) words.push_back(word);
  return words;
}

std::optional<uint64_t> ConstantLength(const llvm::MemIntrinsic& call) {
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(call.getLength());
  if (!length) return std::nullopt;
  return length->getZExtValue();
}

// Loads everything before it stores anything, which is right for overlapping memory too.
void Copy(llvm::MemTransferInst& call, llvm::ArrayRef<uint64_t> words,
          llvm::Align align) {
  llvm::IRBuilder<> b(&call);
  llvm::SmallVector<Value*> values;
  uint64_t offset = 0;
  for (uint64_t word : words) {
    Value* from = b.CreateConstGEP1_64(b.getInt8Ty(), call.getRawSource(), offset);
    values.push_back(b.CreateAlignedLoad(b.getIntNTy(8 * word), from,
                                         llvm::commonAlignment(align, offset),
                                         call.isVolatile()));
    offset += word;
  }
  offset = 0;
  for (auto [value, word] : llvm::zip(values, words)) {
    Value* to = b.CreateConstGEP1_64(b.getInt8Ty(), call.getRawDest(), offset);
    b.CreateAlignedStore(value, to, llvm::commonAlignment(align, offset),
                         call.isVolatile());
    offset += word;
  }
}

void Fill(llvm::MemSetInst& call, llvm::ArrayRef<uint64_t> words, llvm::Align align) {
  llvm::IRBuilder<> b(&call);
  uint64_t offset = 0;
  for (uint64_t word : words) {
    llvm::IntegerType* type = b.getIntNTy(8 * word);
    Value* value = b.CreateMul(
        b.CreateZExt(call.getValue(), type),
        llvm::ConstantInt::get(type, llvm::APInt::getSplat(8 * word, llvm::APInt(8, 1))));
    Value* to = b.CreateConstGEP1_64(b.getInt8Ty(), call.getRawDest(), offset);
    b.CreateAlignedStore(value, to, llvm::commonAlignment(align, offset),
                         call.isVolatile());
    offset += word;
  }
}

void ExpandAsLoop(llvm::MemIntrinsic& call, const llvm::TargetTransformInfo& costs) {
  if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(&call)) {
    llvm::expandMemSetAsLoop(set);
  } else if (auto* move = llvm::dyn_cast<llvm::MemMoveInst>(&call)) {
    if (!llvm::expandMemMoveAsLoop(move, costs)) return;
  } else {
    llvm::expandMemCpyAsLoop(llvm::cast<llvm::MemCpyInst>(&call), costs);
  }
  call.eraseFromParent();
}

void Expand(llvm::MemIntrinsic& call, const llvm::TargetTransformInfo& costs) {
  const std::optional<uint64_t> length = ConstantLength(call);
  if (length == 0) {
    call.eraseFromParent();
    return;
  }
  auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call);
  llvm::Align align = call.getDestAlign().valueOrOne();
  if (transfer) align = std::min(align, transfer->getSourceAlign().valueOrOne());
  const auto words = length ? Words(*length, align) : llvm::SmallVector<uint64_t>();
  if (words.empty()) {
    ExpandAsLoop(call, costs);
    return;
  }
  if (transfer)
    Copy(*transfer, words, align);
  else
    Fill(llvm::cast<llvm::MemSetInst>(call), words, align);
  call.eraseFromParent();
}

}  // namespace

void ExpandMemoryIntrinsics(llvm::Function& function,
                            llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<llvm::MemIntrinsic*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
      calls.push_back(call);
  const llvm::TargetTransformInfo& costs =
      analyses.getResult<llvm::TargetIRAnalysis>(function);
  for (llvm::MemIntrinsic* call : calls) Expand(*call, costs);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

}  // namespace tenon::compiler
