#include <limits>

#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/targets/gpu/expand_intrinsics.h"

namespace tenon::compiler {
namespace {

using llvm::ConstantFP;
using llvm::ConstantInt;
using llvm::Value;

llvm::IntegerType* IntegerLike(llvm::IRBuilder<>& b, const Value* x) {
  return b.getIntNTy(x->getType()->getScalarSizeInBits());
}

Value* ToBits(llvm::IRBuilder<>& b, Value* x) {
  return b.CreateBitCast(x, IntegerLike(b, x));
}

llvm::APInt SignMask(const Value* x) {
  return llvm::APInt::getSignMask(x->getType()->getScalarSizeInBits());
}

Value* Fabs(llvm::IRBuilder<>& b, Value* x) {
  Value* bits =
      b.CreateAnd(ToBits(b, x), ConstantInt::get(IntegerLike(b, x), ~SignMask(x)));
  return b.CreateBitCast(bits, x->getType());
}

Value* CopySign(llvm::IRBuilder<>& b, Value* x, Value* sign) {
  Value* mask = ConstantInt::get(IntegerLike(b, x), SignMask(x));
  Value* rest = ConstantInt::get(IntegerLike(b, x), ~SignMask(x));
  Value* bits =
      b.CreateOr(b.CreateAnd(ToBits(b, x), rest), b.CreateAnd(ToBits(b, sign), mask));
  return b.CreateBitCast(bits, x->getType());
}

// The smaller or larger of two numbers, where -0 is smaller than +0. If both compare
// equal then they differ in their signs at most, so `or` finds -0 and `and` finds +0.
Value* OrderedMinMax(llvm::IRBuilder<>& b, Value* x, Value* y, bool min) {
  Value *x_bits = ToBits(b, x), *y_bits = ToBits(b, y);
  Value* equal = b.CreateBitCast(
      min ? b.CreateOr(x_bits, y_bits) : b.CreateAnd(x_bits, y_bits), x->getType());
  Value* first = min ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y);
  Value* different = b.CreateSelect(first, x, y);
  return b.CreateSelect(b.CreateFCmpOEQ(x, y), equal, different);
}

Value* MinMax(llvm::IRBuilder<>& b, Value* x, Value* y, bool min, bool keep_nan) {
  Value* result = OrderedMinMax(b, x, y, min);
  if (keep_nan) return b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), result);
  result = b.CreateSelect(b.CreateFCmpUNO(x, x), y, result);
  return b.CreateSelect(b.CreateFCmpUNO(y, y), x, result);
}

// Conversion to an integer that stays at its limits; NaN becomes 0.
Value* ConvertSaturated(llvm::IRBuilder<>& b, Value* x, llvm::Type* type,
                        bool is_signed) {
  const unsigned bits = type->getScalarSizeInBits();
  const auto low =
      is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const auto high =
      is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  // Both bounds rounded towards zero are exact conversions back.
  const llvm::fltSemantics& semantics = x->getType()->getFltSemantics();
  llvm::APFloat low_float(semantics), high_float(semantics);
  low_float.convertFromAPInt(low, is_signed, llvm::APFloat::rmTowardZero);
  high_float.convertFromAPInt(high, is_signed, llvm::APFloat::rmTowardZero);
  Value* result = is_signed ? b.CreateFPToSI(x, type) : b.CreateFPToUI(x, type);
  result = b.CreateSelect(b.CreateFCmpOGT(x, ConstantFP::get(x->getType(), high_float)),
                          ConstantInt::get(type, high), result);
  // Values below 0 that round to it are in range, but 0 is right for them too.
  result = b.CreateSelect(b.CreateFCmpOLT(x, ConstantFP::get(x->getType(), low_float)),
                          ConstantInt::get(type, low), result);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), ConstantInt::get(type, 0), result);
}

struct FloatBits {
  explicit FloatBits(llvm::Type* type)
      : mantissa(type->getFPMantissaWidth() - 1),
        width(type->getScalarSizeInBits()),
        infinity(llvm::APFloat::getInf(type->getFltSemantics()).bitcastToAPInt()) {}
  unsigned mantissa, width;
  llvm::APInt infinity;
};

// Whether x belongs to one of the classes in `mask`, from its bits.
Value* IsClass(llvm::IRBuilder<>& b, Value* x, unsigned mask) {
  const FloatBits format(x->getType());
  llvm::IntegerType* type = IntegerLike(b, x);
  auto constant = [&](const llvm::APInt& value) { return ConstantInt::get(type, value); };
  Value* bits = ToBits(b, x);
  Value* magnitude = b.CreateAnd(bits, constant(~SignMask(x)));
  Value* negative = b.CreateIsNeg(bits);
  Value* infinity = constant(format.infinity);
  Value* quiet = constant(format.infinity |
                          llvm::APInt::getOneBitSet(format.width, format.mantissa - 1));
  Value* min_normal = constant(llvm::APInt::getOneBitSet(format.width, format.mantissa));
  Value* result = b.getFalse();
  auto add = [&](unsigned test, Value* condition) {
    if (mask & test) result = b.CreateOr(result, condition);
  };
  auto add_signed = [&](unsigned negative_test, unsigned positive_test,
                        Value* condition) {
    add(negative_test, b.CreateAnd(negative, condition));
    add(positive_test, b.CreateAnd(b.CreateNot(negative), condition));
  };
  add(llvm::fcSNan, b.CreateAnd(b.CreateICmpUGT(magnitude, infinity),
                                b.CreateICmpULT(magnitude, quiet)));
  add(llvm::fcQNan, b.CreateICmpUGE(magnitude, quiet));
  add_signed(llvm::fcNegInf, llvm::fcPosInf, b.CreateICmpEQ(magnitude, infinity));
  add_signed(llvm::fcNegNormal, llvm::fcPosNormal,
             b.CreateAnd(b.CreateICmpUGE(magnitude, min_normal),
                         b.CreateICmpULT(magnitude, infinity)));
  add_signed(llvm::fcNegSubnormal, llvm::fcPosSubnormal,
             b.CreateAnd(b.CreateICmpNE(magnitude, ConstantInt::get(type, 0)),
                         b.CreateICmpULT(magnitude, min_normal)));
  add_signed(llvm::fcNegZero, llvm::fcPosZero,
             b.CreateICmpEQ(magnitude, ConstantInt::get(type, 0)));
  return result;
}

// x * 2^exponent. A factor holds one exponent's range, so that it takes up to three.
// All but the last product are exact: the first two of a small result keep it normal.
Value* LoadExponent(llvm::IRBuilder<>& b, Value* x, Value* exponent) {
  llvm::Type* type = x->getType();
  if (type->getScalarSizeInBits() < 32) {  // exact in f32, whose range is much larger
    Value* wide = b.CreateFPExt(x, b.getFloatTy());
    return b.CreateFPTrunc(LoadExponent(b, wide, exponent), type);
  }
  const FloatBits format(type);
  const int bias = llvm::APFloat::semanticsMaxExponent(type->getFltSemantics());
  const int precision = format.mantissa + 1;
  // Down in steps that leave all bits of a number that was normal before.
  const int up = bias, down = (bias - 1) - precision;
  exponent = b.CreateSExtOrTrunc(exponent, b.getInt32Ty());
  auto power = [&](int n) {
    return ConstantFP::get(type, llvm::scalbn(llvm::APFloat(type->getFltSemantics(), 1),
                                              n, llvm::APFloat::rmNearestTiesToEven));
  };
  for (int step = 0; step < 2; ++step) {
    Value* large = b.CreateICmpSGT(exponent, b.getInt32(up));
    Value* small = b.CreateICmpSLT(exponent, b.getInt32(-(bias - 1)));
    x = b.CreateSelect(large, b.CreateFMul(x, power(up)),
                       b.CreateSelect(small, b.CreateFMul(x, power(-down)), x));
    exponent = b.CreateSelect(
        large, b.CreateSub(exponent, b.getInt32(up)),
        b.CreateSelect(small, b.CreateAdd(exponent, b.getInt32(down)), exponent));
  }
  exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, exponent, b.getInt32(up));
  exponent =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, exponent, b.getInt32(-(bias - 1)));
  Value* bits =
      b.CreateSExtOrTrunc(b.CreateAdd(exponent, b.getInt32(bias)), IntegerLike(b, x));
  return b.CreateFMul(x, b.CreateBitCast(b.CreateShl(bits, format.mantissa), type));
}

}  // namespace

Value* ExpandFloatIntrinsic(llvm::IRBuilder<>& b, llvm::IntrinsicInst& call) {
  Value* x = call.getArgOperand(0);
  if (!x->getType()->isFloatingPointTy()) return nullptr;
  Value* y = call.arg_size() > 1 ? call.getArgOperand(1) : nullptr;
  b.setFastMathFlags(llvm::isa<llvm::FPMathOperator>(call) ? call.getFastMathFlags()
                                                           : llvm::FastMathFlags());
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::fabs:
      return Fabs(b, x);
    case llvm::Intrinsic::copysign:
      return CopySign(b, x, y);
    case llvm::Intrinsic::minimum:
      return MinMax(b, x, y, /*min=*/true, /*keep_nan=*/true);
    case llvm::Intrinsic::maximum:
      return MinMax(b, x, y, /*min=*/false, /*keep_nan=*/true);
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::minimumnum:
      return MinMax(b, x, y, /*min=*/true, /*keep_nan=*/false);
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::maximumnum:
      return MinMax(b, x, y, /*min=*/false, /*keep_nan=*/false);
    case llvm::Intrinsic::fptosi_sat:
      return ConvertSaturated(b, x, call.getType(), /*is_signed=*/true);
    case llvm::Intrinsic::fptoui_sat:
      return ConvertSaturated(b, x, call.getType(), /*is_signed=*/false);
    case llvm::Intrinsic::is_fpclass:
      return IsClass(b, x, llvm::cast<ConstantInt>(y)->getZExtValue());
    case llvm::Intrinsic::ldexp:
      return LoadExponent(b, x, y);
    case llvm::Intrinsic::fmuladd:
      return b.CreateFAdd(b.CreateFMul(x, y), call.getArgOperand(2));
    case llvm::Intrinsic::canonicalize:
      return b.CreateFMul(x, ConstantFP::get(x->getType(), 1.0));
    default:
      return nullptr;
  }
}

}  // namespace tenon::compiler
