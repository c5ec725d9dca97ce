#include "tenon/compiler/codegen/elementwise/float_math.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

namespace tenon::compiler {

FloatMath::FloatMath(llvm::IRBuilderBase& builder, llvm::Type* type,
                     const ElementwiseOptions& options)
    : builder_(builder),
      type_(type),
      is_f64_(type->getScalarType()->isDoubleTy()),
      options_(options) {
  int_type_ = type->getWithNewType(is_f64_ ? builder.getInt64Ty() : builder.getInt32Ty());
}

int FloatMath::lanes() const {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type_);
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

llvm::Value* FloatMath::Const(double value) const {
  return llvm::ConstantFP::get(type_, value);
}

llvm::Value* FloatMath::Int(uint64_t value) const {
  return llvm::ConstantInt::get(int_type_, value, /*IsSigned=*/false,
                                /*ImplicitTrunc=*/true);
}

llvm::Value* FloatMath::Inf() const { return llvm::ConstantFP::getInfinity(type_); }

llvm::Value* FloatMath::Nan() const { return llvm::ConstantFP::getNaN(type_); }

llvm::Value* FloatMath::MinNormal() const { return Pick(0x1p-126, 0x1p-1022); }

llvm::Value* FloatMath::Fma(Value* a, Value* b, Value* c) {
  if (!options_.native_fma) return Add(Mul(a, b), c);
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a, b, c});
}

llvm::Value* FloatMath::ExactFma(Value* a, Value* b, Value* c) {
  if (options_.native_fma) return Fma(a, b, c);
  if (!is_f64_) {
    // The product is exact in f64. The sum is rounded twice, which is accurate enough
    // here.
    llvm::Type* wide = type_->getWithNewType(builder_.getDoubleTy());
    auto widen = [&](Value* v) { return builder_.CreateFPExt(v, wide); };
    return builder_.CreateFPTrunc(Add(Mul(widen(a), widen(b)), widen(c)), type_);
  }
  // Dekker's product: halves of 26 bits have exact products. Operands must not be close
  // to overflow.
  auto split = [&](Value* v) -> Pair {
    Value* scaled = Mul(v, Const(0x1p27 + 1));
    Value* hi = Sub(scaled, Sub(scaled, v));
    return {hi, Sub(v, hi)};
  };
  Pair x = split(a), y = split(b);
  Value* product = Mul(a, b);
  Value* error = Sub(Mul(x.hi, y.hi), product);
  error = Add(error, Mul(x.hi, y.lo));
  error = Add(error, Mul(x.lo, y.hi));
  error = Add(error, Mul(x.lo, y.lo));
  Pair sum = TwoSum(product, c);
  return Add(sum.hi, Add(sum.lo, error));
}

llvm::Value* FloatMath::Abs(Value* a) { return UnaryIntrinsic(llvm::Intrinsic::fabs, a); }

llvm::Value* FloatMath::CopySign(Value* magnitude, Value* sign) {
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

llvm::Value* FloatMath::Sqrt(Value* a) {
  return UnaryIntrinsic(llvm::Intrinsic::sqrt, a);
}

llvm::Value* FloatMath::RoundEven(Value* a) {
  if (options_.native_rounding) return UnaryIntrinsic(llvm::Intrinsic::roundeven, a);
  // Floats from here on have no fraction, and neither have sums with it.
  Value* whole = Pick(0x1p23, 0x1p52);
  Value* magnitude = Abs(a);
  Value* rounded = Sub(Add(magnitude, whole), whole);
  return Select(Lt(magnitude, whole), CopySign(rounded, a), a);
}

llvm::Value* FloatMath::Floor(Value* a) {
  if (options_.native_rounding) return UnaryIntrinsic(llvm::Intrinsic::floor, a);
  Value* rounded = RoundEven(a);
  return Select(Gt(rounded, a), Sub(rounded, Const(1)), rounded);
}

llvm::Value* FloatMath::Ceil(Value* a) {
  if (options_.native_rounding) return UnaryIntrinsic(llvm::Intrinsic::ceil, a);
  return Neg(Floor(Neg(a)));
}

llvm::Value* FloatMath::Trunc(Value* a) {
  if (options_.native_rounding) return UnaryIntrinsic(llvm::Intrinsic::trunc, a);
  return CopySign(Floor(Abs(a)), a);
}

llvm::Value* FloatMath::RoundAwayFromZero(Value* a) {
  // The largest float below one half. Adding one half itself would round 0.49999997 up to
  // 1.
  Value* almost_half = Pick(0x1.fffffep-2, 0x1.fffffffffffffp-2);
  return Trunc(Add(a, CopySign(almost_half, a)));
}

llvm::Value* FloatMath::SignBit(Value* a) {
  return builder_.CreateICmpSLT(ToBits(a), Int(0));
}

namespace {

// Whether `value` is a constant with the same number in every lane, which is neither NaN
// nor zero.
bool IsPlainConstant(llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant) return false;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return number && !number->isNaN() && !number->isZero();
}

}  // namespace

// `Lt(a, b) ? a : b` is one instruction on common targets. It returns b if an operand is
// NaN or both are equal.
llvm::Value* FloatMath::Minimum(Value* a, Value* b) {
  if (options_.native_extrema && !is_f64_)
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, a, b);
  if (IsPlainConstant(a)) return Select(Lt(a, b), a, b);
  if (IsPlainConstant(b)) return Select(Lt(b, a), b, a);
  // The results of both orders are equal unless an operand is NaN or both are zeros. The
  // bitwise OR is NaN in the first case, and -0 in the second if either is -0.
  Value* ab = ToBits(Select(Lt(a, b), a, b));
  Value* ba = ToBits(Select(Lt(b, a), b, a));
  return FromBits(builder_.CreateOr(ab, ba));
}

llvm::Value* FloatMath::Maximum(Value* a, Value* b) {
  if (options_.native_extrema && !is_f64_)
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, a, b);
  if (IsPlainConstant(a)) return Select(Gt(a, b), a, b);
  if (IsPlainConstant(b)) return Select(Gt(b, a), b, a);
  auto is_positive_zero = [](Value* v) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(v);
    return constant && constant->isNullValue();
  };
  // Adding +0 turns -0 into +0 and changes nothing else.
  if (is_positive_zero(b)) return Add(Select(Gt(b, a), b, a), b);
  if (is_positive_zero(a)) return Add(Select(Gt(a, b), a, b), a);
  Value* ab = ToBits(Select(Gt(a, b), a, b));
  Value* ba = ToBits(Select(Gt(b, a), b, a));
  Value* larger = FromBits(builder_.CreateAnd(ab, ba));
  return Select(Unordered(a, b), Add(a, b), larger);
}

llvm::Value* FloatMath::Sign(Value* a) {
  // For a zero, a NaN, or a denormal that counts as zero, a + a has the right value and
  // sign.
  return Select(Gt(Abs(a), Const(0)), CopySign(Const(1), a), Add(a, a));
}

void FloatMath::ReplaceOnRarePath(
    Value* condition, llvm::MutableArrayRef<Value*> values,
    llvm::function_ref<void(llvm::MutableArrayRef<Value*>)> compute) {
  Value* any = lanes() > 1 ? builder_.CreateOrReduce(condition) : condition;
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  auto* cold = llvm::BasicBlock::Create(context, "rare", before->getParent());
  auto* join = llvm::BasicBlock::Create(context, "common", before->getParent());
  builder_.CreateCondBr(any, cold, join,
                        llvm::MDBuilder(context).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(cold);
  llvm::SmallVector<Value*, 4> replaced(values.begin(), values.end());
  compute(replaced);
  for (size_t i = 0; i < values.size(); ++i)
    replaced[i] = Select(condition, replaced[i], values[i]);
  cold = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  for (size_t i = 0; i < values.size(); ++i) {
    llvm::PHINode* phi = builder_.CreatePHI(values[i]->getType(), 2);
    phi->addIncoming(values[i], before);
    phi->addIncoming(replaced[i], cold);
    values[i] = phi;
  }
}

FloatMath::Pair FloatMath::TwoSum(Value* a, Value* b) {
  Value* sum = Add(a, b);
  Value* b_part = Sub(sum, a);
  Value* a_part = Sub(sum, b_part);
  return {sum, Add(Sub(a, a_part), Sub(b, b_part))};
}

FloatMath::Pair FloatMath::FastTwoSum(Value* a, Value* b) {
  Value* sum = Add(a, b);
  return {sum, Sub(b, Sub(sum, a))};
}

FloatMath::Pair FloatMath::TwoProduct(Value* a, Value* b) {
  Value* product = Mul(a, b);
  return {product, ExactFma(a, b, Neg(product))};
}

llvm::Value* FloatMath::Polynomial(Value* x, std::span<const double> coefficients) {
  // Horner's rule for the coefficients from `last` down to `first`. `sum` is the value of
  // the terms above `last`.
  auto horner = [&](Value* variable, Value* sum, size_t last, size_t first, size_t step) {
    for (size_t k = last + step; k > first; k -= step) {
      Value* coefficient = Const(coefficients[k - step]);
      sum = sum ? Fma(sum, variable, coefficient) : coefficient;
    }
    return sum;
  };
  // Horner's rule has the fewest instructions and, in its last steps, the smallest error.
  // For long polynomials the high terms are split into two chains, which shortens the
  // dependence chain.
  constexpr size_t kLowTerms = 4;
  size_t last = coefficients.size() - 1;
  if (last < 2 * kLowTerms) return horner(x, nullptr, last, 0, 1);
  Value* square = Mul(x, x);
  Value* same = horner(square, nullptr, last, kLowTerms + (last - kLowTerms) % 2, 2);
  Value* other =
      horner(square, nullptr, last - 1, kLowTerms + (last - 1 - kLowTerms) % 2, 2);
  bool last_is_even = (last - kLowTerms) % 2 == 0;
  Value* high = Fma(last_is_even ? other : same, x, last_is_even ? same : other);
  return horner(x, high, kLowTerms - 1, 0, 1);
}

}  // namespace tenon::compiler
