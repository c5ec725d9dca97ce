// FloatMath's power: e^(y log x), where the logarithm has 1.5 times as many bits as the
// float type.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/ln2.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {
namespace {

constexpr double kTwoThirds32 = 0x1.555556p-1, kTwoThirdsTail32 = -0x1.555556p-26;
constexpr double kTwoThirds64 = 0x1.5555555555555p-1,
                 kTwoThirdsTail64 = 0x1.5555555555555p-55;
constexpr double kSqrtHalf32 = 0x1.6a09e6p-1, kSqrtHalf64 = 0x1.6a09e667f3bcdp-1;

}  // namespace

FloatMath::Pair FloatMath::LogPair(Value* x) {
  Value *k, *mantissa;
  SplitExponent(x, is_f64_ ? kSqrtHalf64 : kSqrtHalf32, &k, &mantissa);
  // log m = 2 atanh(s) = 2s + 2/3 s^3 + s^5 P(s^2), with s = f / (2 + f). All but the
  // last term are pairs.
  Value* f = Sub(mantissa, Const(1));
  Pair divisor = FastTwoSum(Const(2), f);
  Value* reciprocal = Div(Const(1), divisor.hi);
  Value* s = Mul(f, reciprocal);
  Value* remainder = ExactFma(Neg(s), divisor.hi, f);
  remainder = Fma(Neg(s), divisor.lo, remainder);
  Value* s_lo = Mul(remainder, reciprocal);
  Pair z = TwoProduct(s, s);
  z.lo = Fma(Add(s, s), s_lo, z.lo);
  Pair cube = TwoProduct(s, z.hi);
  cube.lo = Fma(s, z.lo, Fma(s_lo, z.hi, cube.lo));
  Value* factor = Pick(kTwoThirds32, kTwoThirds64);
  Pair third = TwoProduct(cube.hi, factor);
  third.lo = Fma(cube.lo, factor, third.lo);
  third.lo = Fma(cube.hi, Pick(kTwoThirdsTail32, kTwoThirdsTail64), third.lo);
  Value* series = Mul(Mul(cube.hi, z.hi), Polynomial(z.hi, kPowLog32, kPowLog64));

  Pair sum = TwoSum(Mul(k, Pick(kLn2Hi32, kLn2Hi64)), Add(s, s));
  Pair log = TwoSum(sum.hi, third.hi);
  Value* lo = Fma(k, Pick(kLn2Lo32, kLn2Lo64), Add(sum.lo, log.lo));
  lo = Add(lo, Add(Add(s_lo, s_lo), third.lo));
  return FastTwoSum(log.hi, Add(lo, series));
}

llvm::Value* FloatMath::Pow(Value* x, Value* y) {
  Value* a = Abs(x);
  Value* normal = a;
  Value* zero = Lt(a, MinNormal());
  Value* tiny = zero;
  if (options_.ieee_denormals) {
    zero = Eq(a, Const(0));
    normal = Select(tiny, Mul(a, Pick(0x1p24, 0x1p54)), a);
  }
  Pair log = LogPair(normal);
  if (options_.ieee_denormals) {
    Value* shift = Mul(Pick(24, 54), Const(-0x1.62e42fefa39efp-1));
    Pair shifted = TwoSum(log.hi, Select(tiny, shift, Const(0)));
    Value* shift_tail = Pick(24 * 0x1.05c61p-29, -54 * 0x1.abc9e3b39803fp-56);
    log = FastTwoSum(shifted.hi,
                     Add(Add(shifted.lo, log.lo), Select(tiny, shift_tail, Const(0))));
  }
  // Sets the logarithms of 0, infinity and NaN.
  log.hi = Select(zero, Neg(Inf()), Select(Lt(a, Inf()), log.hi, a));
  // Clamps the exponent to a number that already makes every result but 1 infinite or
  // zero. ExactFma on targets without FMA cannot handle the largest numbers.
  Value* size = Abs(y);
  Value* limit = Const(0x1p100);
  Value* bounded =
      options_.native_fma ? y : Select(Gt(size, limit), CopySign(limit, y), y);
  Pair exponent = TwoProduct(bounded, log.hi);
  exponent.lo = Fma(bounded, log.lo, exponent.lo);
  Value* result = ExpWithTail(exponent.hi, exponent.lo);

  Value* integral = Eq(RoundEven(y), y);
  Value* half = Mul(y, Const(0.5));
  Value* odd =
      builder_.CreateAnd(integral, builder_.CreateNot(Eq(RoundEven(half), half)));
  result = Select(odd, CopySign(result, x), result);
  // x^1 is exact. The general formula would round the largest numbers to infinity.
  Value* exponent_is_one = builder_.CreateAnd(Eq(y, Const(1)), builder_.CreateNot(zero));
  result = Select(exponent_is_one, x, result);
  Value* is_nan = builder_.CreateAnd(Lt(x, Const(0)), Gt(x, Neg(Inf())));
  Value* finite_y = Lt(size, Inf());
  is_nan = builder_.CreateAnd(is_nan, builder_.CreateNot(integral));
  result = Select(builder_.CreateAnd(is_nan, finite_y), Nan(), result);
  Value* is_one = builder_.CreateOr(Eq(x, Const(1)), Eq(y, Const(0)));
  is_one = builder_.CreateOr(
      is_one, builder_.CreateAnd(Eq(x, Const(-1)), builder_.CreateNot(builder_.CreateOr(
                                                       finite_y, Unordered(y, y)))));
  return Select(is_one, Const(1), result);
}

}  // namespace tenon::compiler
