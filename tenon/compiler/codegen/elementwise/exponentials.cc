// FloatMath's functions that use e^x.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/half_exp.h"
#include "tenon/compiler/math/ln2.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {
namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;
// Adding this constant rounds to an integer, which is then in the low bits of the sum.
constexpr double kShifter32 = 0x1.8p23, kShifter64 = 0x1.8p52;
// ln of the largest finite number and of the smallest normal number.
constexpr double kMaxExp32 = 0x1.62e42ep+6, kMaxExp64 = 0x1.62e42fefa39efp+9;
constexpr double kMinExp32 = -0x1.5d58ap+6, kMinExp64 = -0x1.6232bdd7abcd2p+9;

}  // namespace

void FloatMath::ReduceByLn2(Value* x, Value** shifted, Value** n, Value** r) {
  Value* shifter = Pick(kShifter32, kShifter64);
  *shifted = Fma(x, Const(kLog2E), shifter);
  *n = Sub(*shifted, shifter);
  Value* rest = Fma(*n, Pick(-kLn2Hi32, -kLn2Hi64), x);
  *r = Fma(*n, Pick(-kLn2Lo32, -kLn2Lo64), rest);
}

llvm::Value* FloatMath::ExpInRange(Value* x, Value* tail) {
  Value *shifted, *n, *r;
  ReduceByLn2(x, &shifted, &n, &r);
  if (tail) r = Add(r, tail);
  Value* q = Polynomial(r, kExp32, kExp64);
  Value* power = is_f64_ ? Add(Fma(Mul(r, r), q, r), Const(1))
                         : Fma(Fma(q, r, Const(1)), r, Const(1));
  // Multiplies by 2^n by adding n to the exponent.
  int bits = is_f64_ ? 52 : 23;
  Value* n_bits = builder_.CreateShl(ToBits(shifted), Int(bits));
  Value* pattern = builder_.CreateAdd(ToBits(power), n_bits);
  if (!tail) return FromBits(pattern);
  // The tail may increase the result beyond the overflow threshold: computes half of the
  // result and doubles it.
  Value* half = FromBits(builder_.CreateSub(pattern, Int(uint64_t{1} << bits)));
  return Select(Gt(x, Const(0)), Add(half, half), FromBits(pattern));
}

llvm::Value* FloatMath::ExpWithTail(Value* x, Value* tail) {
  if (options_.ieee_denormals) {
    // Uses two factors, so that a result below the smallest normal number is rounded
    // once.
    Value* high = Pick(89, 710);
    Value* low = Pick(-104, -746);
    Value* clamped = Select(Gt(x, high), high, x);
    clamped = Select(Lt(clamped, low), low, clamped);
    Value *shifted, *n, *r;
    ReduceByLn2(clamped, &shifted, &n, &r);
    if (tail) r = Add(r, Select(Eq(clamped, x), tail, Const(0)));
    Value* power = Add(Fma(Mul(r, r), Polynomial(r, kExp32, kExp64), r), Const(1));
    Value* exponent =
        builder_.CreateSub(ToBits(shifted), ToBits(Pick(kShifter32, kShifter64)));
    Value* half = builder_.CreateAShr(exponent, Int(1));
    auto scale = [&](Value* e) {
      Value* biased = builder_.CreateAdd(e, Int(is_f64_ ? 1023 : 127));
      return FromBits(builder_.CreateShl(biased, Int(is_f64_ ? 52 : 23)));
    };
    return Mul(Mul(power, scale(half)), scale(builder_.CreateSub(exponent, half)));
  }
  Value* result = ExpInRange(x, tail);
  // Above the limit: infinity, or the NaN of the operand.
  result = Select(Le(x, Pick(kMaxExp32, kMaxExp64)), result, Add(x, Inf()));
  return Select(Lt(x, Pick(kMinExp32, kMinExp64)), Const(0), result);
}

llvm::Value* FloatMath::Exp(Value* x) { return ExpWithTail(x, nullptr); }

llvm::Value* FloatMath::Expm1(Value* x) {
  // Clamped to the range outside of which the result is -1 or infinity anyway.
  Value* low = Pick(-18, -40);
  Value* high = Pick(89, 710);
  Value* clamped = Select(Lt(x, low), low, x);
  clamped = Select(Gt(clamped, high), high, clamped);
  Value *shifted, *n, *r;
  ReduceByLn2(clamped, &shifted, &n, &r);
  Value* q = Mul(Mul(r, r), Polynomial(r, kExp32, kExp64));
  // Computes half of 2^n (r + q) + 2^n - 1 and doubles it: 2^n may overflow although the
  // result does not.
  int bits = is_f64_ ? 52 : 23;
  uint64_t bias = is_f64_ ? 1022 : 126;
  Value* half_scale = FromBits(builder_.CreateAdd(
      builder_.CreateShl(ToBits(shifted), Int(bits)), Int(bias << bits)));
  Value* half = Fma(half_scale, r, Sub(half_scale, Const(0.5)));
  half = Fma(half_scale, q, half);
  // Half of the smallest numbers would underflow, and -0 must stay -0.
  return Select(Lt(Abs(x), Pick(0x1p-30, 0x1p-60)), x, Add(half, half));
}

llvm::Value* FloatMath::Logistic(Value* x) {
  if (options_.reciprocal && !is_f64_ && !options_.ieee_denormals) {
    // One Newton step. The residue 1 - r (1 + e) has one rounding error, of the size of
    // r. The rounding of 1 + e does not matter, because it only affects the estimate.
    Value* y = Neg(x);
    y = Select(Gt(y, Const(-kMinExp32)), Const(-kMinExp32), y);
    y = Select(Lt(y, Const(-80)), Const(-80), y);
    Value* e = ExpInRange(y, nullptr);
    Value* r = options_.reciprocal(builder_, Add(e, Const(1)));
    Value* residue = Fma(Neg(r), e, Sub(Const(1), r));
    // Below the limit: zero, or the NaN of the operand.
    return Select(Ge(x, Const(kMinExp32)), Fma(r, residue, r),
                  Select(Lt(x, Const(0)), Const(0), x));
  }
  // 1 / (1 + e^-x), corrected for the rounding error of the sum.
  Pair sum = TwoSum(Const(1), Exp(Neg(x)));
  Value* error = Select(Lt(sum.hi, Inf()), sum.lo, Const(0));
  Value* quotient = Div(Const(1), sum.hi);
  return Fma(Neg(Mul(quotient, error)), quotient, quotient);
}

llvm::Value* FloatMath::Tanh(Value* x) {
  Value* a = Abs(x);
  if (has_pieces())
    return CopySign(EvaluatePieces(a, kTanhPieces32, kTanhFewPieces32), x);
  Value* z = Mul(a, a);
  Value* small = Fma(Mul(a, z), Polynomial(z, kTanh32, kTanh64), a);
  // 1 - 2 / (e^2a + 1). Constant from where the second term is below half an ulp.
  Value* high = Pick(20, 40);
  Value* twice = Add(a, a);
  Value* e = ExpInRange(Select(Gt(twice, high), high, twice), nullptr);
  Value* large = Sub(Const(1), Div(Const(2), Add(e, Const(1))));
  // For NaN, selects `small`: ExpInRange does not handle NaN.
  return CopySign(Select(Gt(a, Const(0.55)), large, small), x);
}

llvm::Value* FloatMath::HalfExp(Value* x) {
  Value* start = Pick(kHalfExp32.start, kHalfExp64.start);
  Value* is_large = Gt(x, start);
  Value* factor =
      Select(is_large, Pick(kHalfExp32.factor, kHalfExp64.factor), Const(0.5));
  return Mul(Exp(Select(is_large, Sub(x, start), x)), factor);
}

llvm::Value* FloatMath::Sinh(Value* x) {
  // Up to 1 a series, because the exponentials cancel.
  Value* a = Abs(x);
  Value* half = HalfExp(a);
  Value* large = Sub(half, Div(Const(0.25), half));
  Value* z = Mul(a, a);
  Value* small = Fma(Mul(a, z), Polynomial(z, kSinh32, kSinh64), a);
  return CopySign(Select(Lt(a, Const(1)), small, large), x);
}

llvm::Value* FloatMath::Cosh(Value* x) {
  Value* half = HalfExp(Abs(x));
  return Add(half, Div(Const(0.25), half));
}

}  // namespace tenon::compiler
