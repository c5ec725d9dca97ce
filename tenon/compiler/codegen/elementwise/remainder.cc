// FloatMath's remainder.
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

llvm::Value* FloatMath::Remainder(Value* a, Value* b) {
  // r = x - trunc(x / y) y is exact while the quotient has fewer bits than a float. For
  // larger quotients, a loop first reduces x by multiples of y times a power of two, 20
  // (f64: 48) bits in each iteration.
  int bits = is_f64_ ? 52 : 23;
  int step = is_f64_ ? 48 : 20;
  Value* limit = Pick(0x1p22, 0x1p51);
  Value* x = Abs(a);
  Value* y = Abs(b);
  auto reduce = [&](Value* dividend, Value* divisor) {
    Value* quotient = Trunc(Div(dividend, divisor));
    Value *scale = Const(1), *back = Const(1);
    auto scale_if = [&](Value* condition, double by) {
      scale = Select(condition, Const(by), scale);
      back = Select(condition, Const(1 / by), back);
    };
    // ExactFma on targets without FMA cannot handle the largest numbers.
    const bool scales_large = is_f64_ && !options_.native_fma;
    if (scales_large) scale_if(Gt(divisor, Const(0x1p900)), 0x1p-100);
    // A difference may be below the normal numbers although the remainder is not.
    if (!options_.ieee_denormals) scale_if(Lt(divisor, Pick(0x1p-80, 0x1p-900)), 0x1p64);
    Value* by = Mul(divisor, scale);
    Value* rest = ExactFma(Neg(quotient), by, Mul(dividend, scale));
    // The quotient may have been rounded up to an integer.
    rest = Mul(Select(Lt(rest, Const(0)), Add(rest, by), rest), back);
    return scales_large ? Select(Lt(dividend, divisor), dividend, rest) : rest;
  };
  Value* defined = builder_.CreateAnd(Lt(x, Inf()), Gt(y, Const(0)));
  auto is_large = [&](Value* dividend) {
    return builder_.CreateAnd(Ge(Div(dividend, y), limit), defined);
  };
  auto any = [&](Value* lanes_large) {
    return lanes() > 1 ? builder_.CreateOrReduce(lanes_large) : lanes_large;
  };

  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(context, "large_quotient", function);
  auto* end = llvm::BasicBlock::Create(context, "remainder", function);
  llvm::MDBuilder metadata(context);
  Value* large = is_large(x);
  builder_.CreateCondBr(any(large), loop, end, metadata.createUnlikelyBranchWeights());

  builder_.SetInsertPoint(loop);
  llvm::PHINode* dividend = builder_.CreatePHI(type_, 2);
  llvm::PHINode* active = builder_.CreatePHI(large->getType(), 2);
  dividend->addIncoming(x, before);
  active->addIncoming(large, before);
  // y with its exponent set to `step` below the dividend's. A denormal y is scaled to a
  // normal number first.
  Value* normal = y;
  if (options_.ieee_denormals)
    normal = Select(Lt(y, MinNormal()), Mul(y, Pick(0x1p23, 0x1p52)), y);
  Value* exponent = builder_.CreateLShr(ToBits(dividend), Int(bits));
  exponent = builder_.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, builder_.CreateSub(exponent, Int(step)), Int(1));
  Value* mantissa = builder_.CreateAnd(ToBits(normal), Int((uint64_t{1} << bits) - 1));
  Value* multiple =
      FromBits(builder_.CreateOr(mantissa, builder_.CreateShl(exponent, Int(bits))));
  Value* next = Select(active, reduce(dividend, multiple), dividend);
  Value* next_large = is_large(next);
  dividend->addIncoming(next, loop);
  active->addIncoming(next_large, loop);
  builder_.CreateCondBr(any(next_large), loop, end);

  builder_.SetInsertPoint(end);
  llvm::PHINode* reduced = builder_.CreatePHI(type_, 2);
  reduced->addIncoming(x, before);
  reduced->addIncoming(next, loop);
  // The remainder by infinity is the dividend. 0 / 0 and similar quotients give NaN
  // without a special case.
  Value* whole = x;
  if (!options_.ieee_denormals) whole = Select(Lt(x, MinNormal()), Const(0), x);
  Value* rest = Select(Eq(y, Inf()), whole, reduce(reduced, y));
  rest = Select(Lt(x, Inf()), rest, Nan());
  rest = Select(Unordered(y, y), y, rest);
  return CopySign(rest, a);
}

}  // namespace tenon::compiler
