// FloatMath's functions that use the natural logarithm.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/ln2.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {
namespace {

// Mantissas are in [lowest, 2 lowest). This choice gives the shortest polynomials.
constexpr double kLowestMantissa32 = 0x1.555556p-1,
                 kLowestMantissa64 = 0x1.6a09e667f3bcdp-1;

}  // namespace

void FloatMath::SplitExponent(Value* x, double lowest_mantissa, Value** k,
                              Value** mantissa) {
  int bits = is_f64_ ? 52 : 23;
  uint64_t one = is_f64_ ? uint64_t{1023} << 52 : uint64_t{127} << 23;
  Value* lowest = ToBits(Const(lowest_mantissa));
  // The biased exponent of x / lowest. It is never negative, so a logical shift is
  // correct.
  Value* offset = builder_.CreateAdd(ToBits(x), builder_.CreateSub(Int(one), lowest));
  Value* biased = builder_.CreateLShr(offset, Int(bits));
  if (is_f64_) {
    // Converts through the low bits of 2^52 + biased, which is cheaper than converting
    // 64-bit integers.
    Value* as_float = FromBits(builder_.CreateOr(biased, Int(uint64_t{1023 + 52} << 52)));
    *k = Sub(as_float, Const(0x1p52 + 1023));
  } else {
    *k = builder_.CreateSIToFP(builder_.CreateSub(biased, Int(127)), type_);
  }
  Value* mask = Int((uint64_t{1} << bits) - 1);
  *mantissa = FromBits(builder_.CreateAdd(builder_.CreateAnd(offset, mask), lowest));
}

llvm::Value* FloatMath::LogOfParts(Value* k, Value* f) {
  Value* square = Mul(f, f);
  if (!is_f64_) {
    Value* tail = Mul(Mul(f, square), Polynomial(f, kLog32));
    tail = Fma(k, Const(kLn2Lo32), tail);
    tail = Fma(square, Const(-0.5), tail);
    return Fma(k, Const(kLn2Hi32), Add(f, tail));
  }
  // log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + R)), where s = f / (2 + f).
  Value* s = Div(f, Add(f, Const(2)));
  Value* z = Mul(s, s);
  Value* rest = Mul(z, Polynomial(z, kLogAtanh64));
  Value* half_square = Mul(square, Const(0.5));
  Value* tail = Fma(s, Add(half_square, rest), Mul(k, Const(kLn2Lo64)));
  return Fma(k, Const(kLn2Hi64), Sub(f, Sub(half_square, tail)));
}

llvm::Value* FloatMath::LogSpecialCases(Value* x, Value* result) {
  // log(inf) = inf, and log(NaN) = NaN.
  result = Select(Lt(x, Inf()), result, x);
  // A comparison with 0 is right where denormals are flushed, too.
  Value* special = options_.ieee_denormals ? Le(x, Const(0)) : Lt(x, MinNormal());
  Value* below = Select(Lt(x, Const(0)), Nan(), Neg(Inf()));
  return Select(special, below, result);
}

llvm::Value* FloatMath::Log(Value* x) {
  Value* normal = x;
  Value* tiny = nullptr;
  if (options_.ieee_denormals) {
    tiny = Lt(x, MinNormal());
    normal = Select(tiny, Mul(x, Pick(0x1p23, 0x1p52)), x);
  }
  Value *k, *mantissa;
  SplitExponent(normal, is_f64_ ? kLowestMantissa64 : kLowestMantissa32, &k, &mantissa);
  if (tiny) k = Select(tiny, Sub(k, Pick(23, 52)), k);
  return LogSpecialCases(x, LogOfParts(k, Sub(mantissa, Const(1))));
}

llvm::Value* FloatMath::Log1p(Value* x) {
  // 1 + x = u + c exactly, with u = 2^k m. So f = (m - 1) + c 2^-k.
  Pair sum = TwoSum(Const(1), x);
  Value *k, *mantissa;
  SplitExponent(sum.hi, is_f64_ ? kLowestMantissa64 : kLowestMantissa32, &k, &mantissa);
  // 2^-k is the difference of the exponent fields of mantissa and u. If it is below the
  // normal numbers, c no longer matters.
  int bits = is_f64_ ? 52 : 23;
  Value* one = ToBits(Const(1));
  Value* scale_bits =
      builder_.CreateAdd(one, builder_.CreateSub(ToBits(mantissa), ToBits(sum.hi)));
  Value* smallest = Int(uint64_t{1} << bits);
  scale_bits =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, scale_bits, smallest);
  Value* f = Fma(sum.lo, FromBits(scale_bits), Sub(mantissa, Const(1)));
  Value* result = LogOfParts(k, f);
  result = Select(Lt(sum.hi, Inf()), result, x);
  Value* below = Select(Lt(x, Const(-1)), Nan(), Neg(Inf()));
  result = Select(Le(x, Const(-1)), below, result);
  // The result has the sign of x, also for -0.
  return CopySign(result, x);
}

llvm::Value* FloatMath::Asinh(Value* x) {
  Value* a = Abs(x);
  Value* square = Mul(a, a);
  Value* root = Sqrt(Add(square, Const(1)));
  Value* small = Log1p(Add(a, Div(square, Add(root, Const(1)))));
  // log(2 a), for large a whose square would overflow.
  Value* large = Add(Log(a), Const(0x1.62e42fefa39efp-1));
  return CopySign(Select(Gt(a, Pick(0x1p28, 0x1p56)), large, small), x);
}

llvm::Value* FloatMath::Acosh(Value* x) {
  // Near 1 a series, because log1p adds its error to that of its argument.
  Value* t = Sub(x, Const(1));
  Value* is_near = Lt(t, Const(0.25));
  Value* twice = Add(t, t);
  Value* root = Sqrt(Select(is_near, twice, Add(twice, Mul(t, t))));
  Value* near_one = Fma(Mul(root, t), Polynomial(t, kAcosh32, kAcosh64), root);
  Value* large = Add(Log(x), Const(0x1.62e42fefa39efp-1));
  Value* result = Select(Gt(x, Pick(0x1p28, 0x1p56)), large, Log1p(Add(t, root)));
  return Select(Lt(x, Const(1)), Nan(), Select(is_near, near_one, result));
}

llvm::Value* FloatMath::Atanh(Value* x) {
  // 2 a / (1 - a) as 2 a + 2 a (a / (1 - a)), whose error is smaller for small a.
  Value* a = Abs(x);
  Value* twice = Add(a, a);
  Value* ratio = Fma(twice, Div(a, Sub(Const(1), a)), twice);
  Value* result = Mul(Const(0.5), Log1p(ratio));
  return CopySign(Select(Gt(a, Const(1)), Nan(), result), x);
}

}  // namespace tenon::compiler
