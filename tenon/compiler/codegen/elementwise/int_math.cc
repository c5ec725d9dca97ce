#include "tenon/compiler/codegen/elementwise/int_math.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tenon::compiler {
namespace {

// Returns the number in every lane of `value` if it is a splat constant, else null.
const llvm::APInt* SplatConstant(llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant) return nullptr;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  return number ? &number->getValue() : nullptr;
}

bool IsSafeConstantDivisor(llvm::Value* value) {
  const llvm::APInt* number = SplatConstant(value);
  return number && !number->isZero() && !number->isAllOnes();
}

}  // namespace

llvm::Value* IntMath::Const(uint64_t value) const {
  return llvm::ConstantInt::get(type_, value, /*IsSigned=*/false, /*ImplicitTrunc=*/true);
}

llvm::Value* IntMath::MinValue() const {
  return llvm::ConstantInt::get(type_, llvm::APInt::getSignedMinValue(bits()));
}

llvm::Value* IntMath::PlainDivide(Value* a, Value* b) {
  bool is_vector = type_->isVectorTy();
  if (!is_vector || bits() > 32 || IsSafeConstantDivisor(b))
    return is_signed_ ? builder_.CreateSDiv(a, b) : builder_.CreateUDiv(a, b);
  // There are no vector instructions for integer division. A float with at least as many
  // bits gives the right quotient after truncation: it never rounds up to an integer
  // above the true quotient.
  llvm::Type* scalar = bits() <= 16 ? builder_.getFloatTy() : builder_.getDoubleTy();
  llvm::Type* type = type_->getWithNewType(scalar);
  if (is_signed_) {
    Value* quotient = builder_.CreateFDiv(builder_.CreateSIToFP(a, type),
                                          builder_.CreateSIToFP(b, type));
    return builder_.CreateFPToSI(quotient, type_);
  }
  Value* quotient =
      builder_.CreateFDiv(builder_.CreateUIToFP(a, type), builder_.CreateUIToFP(b, type));
  return builder_.CreateFPToUI(quotient, type_);
}

llvm::Value* IntMath::SafeDivisor(Value* a, Value* b) {
  Value* unsafe = builder_.CreateICmpEQ(b, Const(0));
  if (is_signed_) {
    Value* overflow = builder_.CreateAnd(builder_.CreateICmpEQ(a, MinValue()),
                                         builder_.CreateICmpEQ(b, Const(~uint64_t{0})));
    unsafe = builder_.CreateOr(unsafe, overflow);
  }
  // MIN / 1 and MIN rem 1 are the results that MIN / -1 and MIN rem -1 are defined to
  // have.
  return builder_.CreateSelect(unsafe, Const(1), b);
}

llvm::Value* IntMath::Divide(Value* a, Value* b) {
  if (IsSafeConstantDivisor(b)) return PlainDivide(a, b);
  Value* quotient = PlainDivide(a, SafeDivisor(a, b));
  return builder_.CreateSelect(builder_.CreateICmpEQ(b, Const(0)), Const(~uint64_t{0}),
                               quotient);
}

llvm::Value* IntMath::Remainder(Value* a, Value* b) {
  if (IsSafeConstantDivisor(b) || !type_->isVectorTy() || bits() > 32) {
    Value* divisor = IsSafeConstantDivisor(b) ? b : SafeDivisor(a, b);
    Value* rest =
        is_signed_ ? builder_.CreateSRem(a, divisor) : builder_.CreateURem(a, divisor);
    if (divisor == b) return rest;
    return builder_.CreateSelect(builder_.CreateICmpEQ(b, Const(0)), a, rest);
  }
  Value* divisor = SafeDivisor(a, b);
  Value* rest =
      builder_.CreateSub(a, builder_.CreateMul(PlainDivide(a, divisor), divisor));
  return builder_.CreateSelect(builder_.CreateICmpEQ(b, Const(0)), a, rest);
}

llvm::Value* IntMath::ConstantPower(Value* base, uint64_t exponent) {
  Value* result = nullptr;
  for (Value* square = base; exponent; exponent >>= 1) {
    if (exponent & 1) result = result ? builder_.CreateMul(result, square) : square;
    if (exponent > 1) square = builder_.CreateMul(square, square);
  }
  return result ? result : Const(1);
}

llvm::Value* IntMath::Power(Value* base, Value* exponent) {
  const llvm::APInt* constant = SplatConstant(exponent);
  if (constant && (!is_signed_ || constant->isNonNegative()))
    return ConstantPower(base, constant->getZExtValue());

  Value* negative = nullptr;
  Value* count = exponent;
  if (is_signed_) {
    negative = builder_.CreateICmpSLT(exponent, Const(0));
    count = builder_.CreateSelect(negative, Const(0), exponent);
  }
  // Squares and multiplies while any lane has bits left in its exponent.
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(context, "power", before->getParent());
  auto* end = llvm::BasicBlock::Create(context, "power_end", before->getParent());
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  auto carried = [&](Value* initial) {
    llvm::PHINode* phi = builder_.CreatePHI(type_, 2);
    phi->addIncoming(initial, before);
    return phi;
  };
  llvm::PHINode* result = carried(Const(1));
  llvm::PHINode* square = carried(base);
  llvm::PHINode* rest = carried(count);
  Value* odd = builder_.CreateICmpNE(builder_.CreateAnd(rest, Const(1)), Const(0));
  Value* next_result =
      builder_.CreateSelect(odd, builder_.CreateMul(result, square), result);
  Value* next_square = builder_.CreateMul(square, square);
  Value* next_rest = builder_.CreateLShr(rest, Const(1));
  result->addIncoming(next_result, loop);
  square->addIncoming(next_square, loop);
  rest->addIncoming(next_rest, loop);
  Value* more = builder_.CreateIsNotNull(next_rest);
  if (type_->isVectorTy()) more = builder_.CreateOrReduce(more);
  builder_.CreateCondBr(more, loop, end);
  builder_.SetInsertPoint(end);
  if (!negative) return next_result;
  Value* minus_one = Const(~uint64_t{0});
  Value* exponent_odd =
      builder_.CreateICmpNE(builder_.CreateAnd(exponent, Const(1)), Const(0));
  Value* of_minus_one = builder_.CreateSelect(exponent_odd, minus_one, Const(1));
  Value* inverse =
      builder_.CreateSelect(builder_.CreateICmpEQ(base, Const(1)), Const(1),
                            builder_.CreateSelect(builder_.CreateICmpEQ(base, minus_one),
                                                  of_minus_one, Const(0)));
  return builder_.CreateSelect(negative, inverse, next_result);
}

llvm::Value* IntMath::Minimum(Value* a, Value* b) {
  return builder_.CreateBinaryIntrinsic(
      is_signed_ ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
}

llvm::Value* IntMath::Maximum(Value* a, Value* b) {
  return builder_.CreateBinaryIntrinsic(
      is_signed_ ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
}

llvm::Value* IntMath::Abs(Value* a) {
  if (!is_signed_) return a;
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, builder_.getFalse());
}

llvm::Value* IntMath::Sign(Value* a) {
  Value* one = builder_.CreateZExt(builder_.CreateICmpNE(a, Const(0)), type_);
  if (!is_signed_) return one;
  return builder_.CreateOr(builder_.CreateAShr(a, Const(bits() - 1)), one);
}

llvm::Value* IntMath::ShiftLeft(Value* a, Value* amount) {
  Value* inside = builder_.CreateICmpULT(amount, Const(bits()));
  return builder_.CreateSelect(inside, builder_.CreateShl(a, amount), Const(0));
}

llvm::Value* IntMath::ShiftRightLogical(Value* a, Value* amount) {
  Value* inside = builder_.CreateICmpULT(amount, Const(bits()));
  return builder_.CreateSelect(inside, builder_.CreateLShr(a, amount), Const(0));
}

llvm::Value* IntMath::ShiftRightArithmetic(Value* a, Value* amount) {
  Value* last =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, Const(bits() - 1));
  return builder_.CreateAShr(a, last);
}

llvm::Value* IntMath::CountLeadingZeros(Value* a) {
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, builder_.getFalse());
}

llvm::Value* IntMath::PopulationCount(Value* a) {
  return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a);
}

}  // namespace tenon::compiler
