// FloatMath's arc functions.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {
namespace {

// pi/2 and pi as a float of each width plus a correction.
constexpr double kHalfPi32 = 0x1.921fb6p+0, kHalfPiTail32 = -0x1.777a5cp-25;
constexpr double kHalfPi64 = 0x1.921fb54442d18p+0, kHalfPiTail64 = 0x1.1a62633145c07p-54;

}  // namespace

llvm::Value* FloatMath::Atan2(Value* y, Value* x) {
  Value* ax = Abs(x);
  Value* ay = Abs(y);
  Value* steep = Gt(ay, ax);
  Value* numerator = Select(steep, ax, ay);
  Value* denominator = Select(steep, ay, ax);
  Value* q = Div(numerator, denominator);
  // 0/0 counts as the angle 0, and inf/inf as pi/4.
  q = Select(Eq(denominator, Const(0)), Const(0), q);
  q = Select(Eq(numerator, Inf()), Const(1), q);
  Value* z = Mul(q, q);
  Value* angle = Fma(Mul(q, z), Polynomial(z, kAtan32, kAtan64), q);
  Value* half_pi = Pick(kHalfPi32, kHalfPi64);
  Value* half_pi_tail = Pick(kHalfPiTail32, kHalfPiTail64);
  angle = Select(steep, Sub(half_pi, Sub(angle, half_pi_tail)), angle);
  Value* pi = Pick(2 * kHalfPi32, 2 * kHalfPi64);
  Value* pi_tail = Pick(2 * kHalfPiTail32, 2 * kHalfPiTail64);
  angle = Select(SignBit(x), Sub(pi, Sub(angle, pi_tail)), angle);
  angle = CopySign(angle, y);
  return Select(Unordered(x, y), Add(x, y), angle);
}

llvm::Value* FloatMath::AsinPolynomial(Value* s, Value* z) {
  return Fma(Mul(s, z), Polynomial(z, kAsin32, kAsin64), s);
}

llvm::Value* FloatMath::Asin(Value* x) {
  // Above 1/2: asin a = pi/2 - 2 asin(s), s = sqrt((1 - a) / 2). Rounding 2 asin(s), or
  // pi/2 - 2 s, to a number above 1 is an error of twice the last place of a result below
  // 1. So 2 s is subtracted first, and what rounding that changed is added.
  Value* a = Abs(x);
  Value* large = Gt(a, Const(0.5));
  Value* z = Select(large, Mul(Sub(Const(1), a), Const(0.5)), Mul(a, a));
  Value* s = Select(large, Sqrt(z), a);
  Value* cube = Mul(s, z);
  Value* p = Polynomial(z, kAsin32, kAsin64);
  Value* rest = Fma(Add(cube, cube), p, Pick(-kHalfPiTail32, -kHalfPiTail64));
  Value* half_pi = Pick(kHalfPi32, kHalfPi64);
  Value* twice = Add(s, s);
  Value* difference = Sub(half_pi, twice);
  Value* lost = Sub(Sub(half_pi, difference), twice);
  Value* outer = Sub(difference, Sub(rest, lost));
  return CopySign(Select(large, outer, Fma(cube, p, s)), x);
}

llvm::Value* FloatMath::Acos(Value* x) {
  // For a = |x| above 1/2: 2 asin(sqrt((1 - a) / 2)), or pi minus that for negative x.
  Value* a = Abs(x);
  Value* large = Gt(a, Const(0.5));
  Value* z = Select(large, Mul(Sub(Const(1), a), Const(0.5)), Mul(a, a));
  Value* s = Select(large, Sqrt(z), x);
  Value* angle = AsinPolynomial(s, z);
  Value* twice = Add(angle, angle);
  Value* pi = Pick(2 * kHalfPi32, 2 * kHalfPi64);
  Value* pi_tail = Pick(2 * kHalfPiTail32, 2 * kHalfPiTail64);
  Value* outer = Select(Lt(x, Const(0)), Sub(pi, Sub(twice, pi_tail)), twice);
  Value* inner =
      Sub(Pick(kHalfPi32, kHalfPi64), Sub(angle, Pick(kHalfPiTail32, kHalfPiTail64)));
  return Select(large, outer, inner);
}

}  // namespace tenon::compiler
