#include "tenon/compiler/targets/nvptx/bf16.h"

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

constexpr uint32_t kSigns = 0x80008000, kUpper = 0xffff0000;

int Lanes(const Value* value) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

// The words of an even number of elements: the first one of two is the lower half.
Value* Words(llvm::IRBuilderBase& b, Value* bits) {
  return b.CreateBitCast(
      bits,
      llvm::FixedVectorType::get(b.getInt32Ty(), static_cast<unsigned>(Lanes(bits)) / 2));
}

// A vector of i16 from words, which `word` makes.
Value* FromWords(llvm::IRBuilderBase& b, int lanes,
                 llvm::function_ref<Value*(uint64_t)> word) {
  Value* words = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(b.getInt32Ty(), static_cast<unsigned>(lanes) / 2));
  for (uint64_t i = 0; i < static_cast<uint64_t>(lanes) / 2; ++i)
    words = b.CreateInsertElement(words, word(i), i);
  return b.CreateBitCast(
      words, llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(lanes)));
}

// Applies `pair` to words of two elements. A single element, and the last one of an odd
// number, is the lower half of a word.
Value* Map(llvm::IRBuilderBase& b, Value* x, Value* y,
           llvm::function_ref<Value*(Value*, Value*)> pair) {
  const int lanes = Lanes(x);
  if (!x->getType()->isVectorTy()) {
    auto word = [&](Value* bits) {
      return bits ? b.CreateZExt(bits, b.getInt32Ty()) : nullptr;
    };
    return b.CreateTrunc(pair(word(x), word(y)), b.getInt16Ty());
  }
  if (lanes % 2 == 0) {
    Value *xs = Words(b, x), *ys = y ? Words(b, y) : nullptr;
    return FromWords(b, lanes, [&](uint64_t i) {
      return pair(b.CreateExtractElement(xs, i),
                  ys ? b.CreateExtractElement(ys, i) : nullptr);
    });
  }
  Value* result = llvm::PoisonValue::get(x->getType());
  for (uint64_t i = 0; i < static_cast<uint64_t>(lanes); ++i)
    result = b.CreateInsertElement(result,
                                   Map(b, b.CreateExtractElement(x, i),
                                       y ? b.CreateExtractElement(y, i) : nullptr, pair),
                                   i);
  return result;
}

// An instruction on words. LLVM would split or widen operations on vectors of bfloat.
Value* Instruction(llvm::IRBuilderBase& b, llvm::StringRef name,
                   llvm::ArrayRef<Value*> operands) {
  std::string text = name.str() + " $0", constraints = "=r";
  for (size_t i = 0; i < operands.size(); ++i) {
    text += ", $" + std::to_string(i + 1);
    constraints += ",r";
  }
  const llvm::SmallVector<llvm::Type*> types(operands.size(), b.getInt32Ty());
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), types, false);
  llvm::CallInst* call = b.CreateCall(
      type, llvm::InlineAsm::get(type, text + ";", constraints, /*hasSideEffects=*/false),
      operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

Value* ComputePair(llvm::IRBuilderBase& b, Bf16Op op, Value* x, Value* y) {
  auto fma = [&](Value* factor, uint32_t bits, Value* term) {
    return Instruction(b, "fma.rn.bf16x2", {factor, b.getInt32(bits), term});
  };
  constexpr uint32_t kOnes = 0x3f803f80;
  switch (op) {
    // sm_80 has multiply-adds alone. Products with 1 and sums with -0 are exact: the
    // result is rounded once, and -0 + -0 is -0, while +0 + -0 is +0. ptxas makes
    // additions and multiplications of them where there are such instructions.
    case Bf16Op::kAdd:
      return fma(x, kOnes, y);
    case Bf16Op::kSubtract:
      return fma(y, kOnes | kSigns, x);
    case Bf16Op::kMultiply:
      return Instruction(b, "fma.rn.bf16x2", {x, y, b.getInt32(kSigns)});
    case Bf16Op::kMaximum:
      return Instruction(b, "max.NaN.bf16x2", {x, y});
    case Bf16Op::kMinimum:
      return Instruction(b, "min.NaN.bf16x2", {x, y});
    case Bf16Op::kNegate:
      return b.CreateXor(x, kSigns);
    case Bf16Op::kAbs:
      return b.CreateAnd(x, ~kSigns);
  }
  llvm_unreachable("all operations return");
}

Value* Compute(llvm::IRBuilderBase& b, Bf16Op op, Value* x, Value* y) {
  return Map(b, x, y, [&](Value* i, Value* j) { return ComputePair(b, op, i, j); });
}

// The conversion of one element is an instruction of a quarter of the rate of this one.
Value* NarrowPair(llvm::IRBuilderBase& b, Value* lower, Value* upper) {
  return b.CreateBitCast(
      b.CreateIntrinsic(llvm::Intrinsic::nvvm_ff2bf16x2_rn, {}, {upper, lower}),
      b.getInt32Ty());
}

Value* Narrow(llvm::IRBuilderBase& b, Value* x) {
  const int lanes = Lanes(x);
  if (!x->getType()->isVectorTy())
    return b.CreateTrunc(NarrowPair(b, x, llvm::ConstantFP::get(x->getType(), 0)),
                         b.getInt16Ty());
  if (lanes % 2 == 0)
    return FromWords(b, lanes, [&](uint64_t i) {
      return NarrowPair(b, b.CreateExtractElement(x, 2 * i),
                        b.CreateExtractElement(x, 2 * i + 1));
    });
  Value* result = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(lanes)));
  for (uint64_t i = 0; i < static_cast<uint64_t>(lanes); ++i)
    result = b.CreateInsertElement(result, Narrow(b, b.CreateExtractElement(x, i)), i);
  return result;
}

Value* Widen(llvm::IRBuilderBase& b, Value* bits) {
  const int lanes = Lanes(bits);
  if (Value* scalar = lanes > 1 ? llvm::getSplatValue(bits) : nullptr)
    return b.CreateVectorSplat(static_cast<unsigned>(lanes), Widen(b, scalar));
  llvm::Type* integer = bits->getType()->getWithNewType(b.getInt32Ty());
  llvm::Type* type = bits->getType()->getWithNewType(b.getFloatTy());
  if (lanes % 2 != 0)
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, integer), 16), type);
  // One instruction for each half of a word.
  Value* words = Words(b, bits);
  llvm::SmallVector<int> order;
  for (int i = 0; i < lanes / 2; ++i) order.append({i, lanes / 2 + i});
  return b.CreateBitCast(
      b.CreateShuffleVector(b.CreateShl(words, 16), b.CreateAnd(words, kUpper), order),
      type);
}

}  // namespace

const Bf16Instructions& NvptxBf16Instructions() {
  static constexpr Bf16Instructions kInstructions = {Compute, Narrow, Widen};
  return kInstructions;
}

}  // namespace tenon::compiler
