#include "tenon/compiler/codegen/elementwise/complex_math.h"

#include <numbers>

#include "llvm/IR/Intrinsics.h"

namespace tenon::compiler {

using llvm::Value;

ComplexValue ComplexMath::Select(Value* condition, ComplexValue a, ComplexValue b) {
  return {f_.Select(condition, a.re, b.re), f_.Select(condition, a.im, b.im)};
}

ComplexValue ComplexMath::Add(ComplexValue a, ComplexValue b) {
  return {f_.Add(a.re, b.re), f_.Add(a.im, b.im)};
}

ComplexValue ComplexMath::Sub(ComplexValue a, ComplexValue b) {
  return {f_.Sub(a.re, b.re), f_.Sub(a.im, b.im)};
}

ComplexValue ComplexMath::Mul(ComplexValue a, ComplexValue b) {
  return {f_.Sub(f_.Mul(a.re, b.re), f_.Mul(a.im, b.im)),
          f_.Add(f_.Mul(a.re, b.im), f_.Mul(a.im, b.re))};
}

ComplexValue ComplexMath::Sign(ComplexValue a) {
  // Scales first, because the magnitude may overflow.
  Value* down = f_.PowerOfTwoBelow(a.re, a.im).down;
  ComplexValue scaled = {f_.Mul(a.re, down), f_.Mul(a.im, down)};
  Value* magnitude = f_.Sqrt(f_.Fma(scaled.re, scaled.re, f_.Mul(scaled.im, scaled.im)));
  ComplexValue unit = {f_.Div(scaled.re, magnitude), f_.Div(scaled.im, magnitude)};
  Value* is_zero = f_.Eq(magnitude, f_.Const(0));
  return Select(is_zero, {f_.Const(0), f_.Const(0)}, unit);
}

ComplexValue ComplexMath::Exp(ComplexValue a) {
  Value *sine, *cosine;
  f_.SinCos(a.im, &sine, &cosine);
  // If e^re overflows, its products with sine and cosine may not: uses two factors e^(re
  // / 2).
  Value* large = f_.Gt(a.re, f_.Pick(88, 709));
  Value* e = f_.Exp(f_.Select(large, f_.Mul(a.re, f_.Const(0.5)), a.re));
  Value* factor = f_.Select(large, e, f_.Const(1));
  Value* re = f_.Mul(f_.Mul(e, cosine), factor);
  Value* im = f_.Mul(f_.Mul(e, sine), factor);
  Value* zero = f_.Const(0);
  im = f_.Select(f_.Eq(a.im, zero), a.im, im);
  // At an infinite angle the result is NaN for any magnitude (C99 differs).
  return {f_.Select(f_.Eq(a.im, zero), f_.Mul(e, factor), re), im};
}

ComplexValue ComplexMath::Expm1(ComplexValue a) {
  Value *sine, *cosine;
  f_.SinCos(a.im, &sine, &cosine);
  // cos y - 1 = -2 sin^2(y/2), without cancellation for small y.
  Value* half_sine = f_.Sin(f_.Mul(a.im, f_.Const(0.5)));
  Value* cosine_minus_one = f_.Mul(f_.Mul(f_.Const(-2), half_sine), half_sine);
  Value* re = f_.Fma(f_.Expm1(a.re), cosine, cosine_minus_one);
  Value* im = f_.Mul(f_.Exp(a.re), sine);
  Value* is_real = f_.Eq(a.im, f_.Const(0));
  return {f_.Select(is_real, f_.Expm1(a.re), re), f_.Select(is_real, a.im, im)};
}

Value* ComplexMath::LogFarFromOne(ComplexValue a) {
  Value* magnitude = Abs(a);
  Value* log[] = {f_.Log(magnitude)};
  // If the magnitude overflows, uses log(|a / 2|) + log 2.
  f_.ReplaceOnRarePath(
      f_.Eq(magnitude, f_.Inf()), log, [&](llvm::MutableArrayRef<Value*> values) {
        Value* half = f_.Const(0.5);
        Value* of_half = f_.Log(f_.Hypot(f_.Mul(a.re, half), f_.Mul(a.im, half)));
        values[0] = f_.Add(of_half, f_.Const(std::numbers::ln2));
      });
  return log[0];
}

Value* ComplexMath::LogAbs(ComplexValue a) {
  // Near 1: half of log1p(re^2 + im^2 - 1), with the sum in twice the precision.
  llvm::IRBuilderBase& ir = f_.builder();
  Value* x = f_.Abs(a.re);
  Value* y = f_.Abs(a.im);
  Value* larger = f_.Select(f_.Gt(x, y), x, y);
  Value* smaller = f_.Select(f_.Gt(x, y), y, x);
  Value* excess = f_.SumOfSquares(f_.Const(-1), larger, smaller);
  Value* close = f_.Mul(f_.Const(0.5), f_.Log1p(excess));
  Value* far = LogFarFromOne(a);
  Value* is_close =
      ir.CreateAnd(f_.Gt(excess, f_.Const(-0.5)), f_.Lt(excess, f_.Const(2)));
  return f_.Select(is_close, close, far);
}

ComplexValue ComplexMath::Log(ComplexValue a) {
  return {LogAbs(a), f_.Atan2(a.im, a.re)};
}

ComplexValue ComplexMath::Log1p(ComplexValue a) {
  llvm::IRBuilderBase& ir = f_.builder();
  Value* one_more = f_.Add(a.re, f_.Const(1));
  Value* excess = f_.SumOfSquares(f_.Add(a.re, a.re), a.re, a.im);
  Value* close = f_.Mul(f_.Const(0.5), f_.Log1p(excess));
  Value* far = LogFarFromOne({one_more, a.im});
  Value* is_close =
      ir.CreateAnd(f_.Gt(excess, f_.Const(-0.5)), f_.Lt(excess, f_.Const(2)));
  return {f_.Select(is_close, close, far), f_.Atan2(a.im, one_more)};
}

ComplexValue ComplexMath::Logistic(ComplexValue a) {
  ComplexValue one = {f_.Const(1), f_.Const(0)};
  return Div(one, Add(one, Exp(Neg(a))));
}

ComplexValue ComplexMath::Sqrt(ComplexValue a) {
  // With t = sqrt((|re| + |z|) / 2), one part is t and the other is im / (2 t).
  Value* zero = f_.Const(0);
  Value* x = f_.Abs(a.re);
  Value* y = f_.Abs(a.im);
  Value* largest = f_.Select(f_.Gt(x, y), x, y);
  // Scales by 4^k to avoid overflow and underflow.
  Value* big = f_.Gt(largest, f_.Pick(0x1p124, 0x1p1020));
  Value* small = f_.Lt(largest, f_.Pick(0x1p-80, 0x1p-900));
  Value* scale = f_.Select(big, f_.Const(0x1p-4),
                           f_.Select(small, f_.Pick(0x1p40, 0x1p104), f_.Const(1)));
  Value* unscale = f_.Select(big, f_.Const(0x1p2),
                             f_.Select(small, f_.Pick(0x1p-20, 0x1p-52), f_.Const(1)));
  x = f_.Mul(x, scale);
  y = f_.Mul(y, scale);
  Value* t = f_.Sqrt(f_.Mul(f_.Add(x, f_.Hypot(x, y)), f_.Const(0.5)));
  Value* other = f_.Mul(f_.Div(y, f_.Add(t, t)), unscale);
  t = f_.Mul(t, unscale);
  other = f_.Select(f_.Eq(f_.Add(x, y), zero), zero, other);  // also keeps NaN
  Value* left = f_.Lt(a.re, zero);
  Value* re = f_.Select(left, other, t);
  Value* im = f_.CopySign(f_.Select(left, t, other), a.im);
  Value* infinite = f_.Eq(f_.Abs(a.im), f_.Inf());
  return {f_.Select(infinite, f_.Inf(), re), f_.Select(infinite, a.im, im)};
}

ComplexValue ComplexMath::Rsqrt(ComplexValue a) {
  return Div({f_.Const(1), f_.Const(0)}, Sqrt(a));
}

ComplexValue ComplexMath::Cbrt(ComplexValue a) {
  Value *sine, *cosine;
  f_.SinCos(f_.Mul(f_.Atan2(a.im, a.re), f_.Const(1.0 / 3)), &sine, &cosine);
  Value* magnitude = f_.Cbrt(Abs(a));
  return {f_.Mul(magnitude, cosine), f_.Mul(magnitude, sine)};
}

ComplexValue ComplexMath::Pow(ComplexValue a, ComplexValue b) {
  llvm::IRBuilderBase& ir = f_.builder();
  Value* zero = f_.Const(0);
  Value* one = f_.Const(1);
  ComplexValue log = Log(a);
  // Real powers of infinity: avoids the product of infinity and zero.
  Value* real_parts = ir.CreateAnd(f_.Eq(a.im, zero), f_.Eq(b.im, zero));
  Value* infinite = ir.CreateAnd(f_.Eq(a.re, f_.Inf()), real_parts);
  ComplexValue exponent = Select(infinite, {f_.Mul(b.re, log.re), zero}, Mul(b, log));
  ComplexValue general = Exp(exponent);
  // 0^0 = 1. 0 to a power with a positive real part is 0.
  Value* base_zero = ir.CreateAnd(f_.Eq(a.re, zero), f_.Eq(a.im, zero));
  Value* exponent_zero = ir.CreateAnd(f_.Eq(b.re, zero), f_.Eq(b.im, zero));
  ComplexValue result =
      Select(ir.CreateAnd(base_zero, f_.Gt(b.re, zero)), {zero, zero}, general);
  return Select(exponent_zero, {one, zero}, result);
}

ComplexValue ComplexMath::Sin(ComplexValue a) {
  Value *sine, *cosine;
  f_.SinCos(a.re, &sine, &cosine);
  Value* im = f_.Mul(cosine, f_.Sinh(a.im));
  im = f_.Select(f_.Eq(a.im, f_.Const(0)), a.im, im);
  Value* re = f_.Mul(sine, f_.Cosh(a.im));
  return {f_.Select(f_.Eq(a.re, f_.Const(0)), a.re, re), im};
}

ComplexValue ComplexMath::Cos(ComplexValue a) {
  Value *sine, *cosine;
  f_.SinCos(a.re, &sine, &cosine);
  Value* im = f_.Neg(f_.Mul(sine, f_.Sinh(a.im)));
  Value* sign_of_zero = f_.Neg(f_.Mul(a.re, f_.CopySign(f_.Const(1), a.im)));
  im = f_.Select(f_.Eq(a.re, f_.Const(0)), sign_of_zero, im);
  return {f_.Mul(cosine, f_.Cosh(a.im)), im};
}

ComplexValue ComplexMath::Tanh(ComplexValue a) {
  // Kahan's formula, with t = tan im, s = sinh re, d = 1 + (1 + t^2) s^2.
  Value* one = f_.Const(1);
  Value* x = f_.Abs(a.re);
  Value* large = f_.Gt(x, f_.Pick(11, 22));
  Value* s = f_.Sinh(f_.Select(large, one, a.re));
  Value* t = f_.Tan(a.im);
  Value* beta = f_.Fma(t, t, one);
  Value* s2 = f_.Mul(s, s);
  Value* d = f_.Fma(beta, s2, one);
  Value* rho = f_.Sqrt(f_.Add(one, s2));
  ComplexValue near = {f_.Div(f_.Mul(f_.Mul(beta, rho), s), d), f_.Div(t, d)};
  Value *sine, *cosine;
  f_.SinCos(a.im, &sine, &cosine);
  Value* decay = f_.Exp(f_.Mul(f_.Const(-2), x));
  Value* far_im = f_.Mul(f_.Mul(f_.Mul(f_.Const(4), decay), sine), cosine);
  // If the real part is infinite, only the sign of the angle's tangent matters.
  Value* far_sign = f_.CopySign(f_.Const(0), f_.Select(f_.IsFinite(a.im), t, a.im));
  far_im = f_.Select(f_.Eq(x, f_.Inf()), far_sign, far_im);
  // At an infinite angle the result is NaN while the real part is finite.
  Value* far_re = f_.Select(f_.Unordered(far_im, far_im), far_im, f_.CopySign(one, a.re));
  ComplexValue result = Select(large, {far_re, far_im}, near);
  return {result.re, f_.Select(f_.Eq(a.im, f_.Const(0)), a.im, result.im)};
}

ComplexValue ComplexMath::Tan(ComplexValue a) {
  // tan z = -i tanh(i z)
  ComplexValue turned = Tanh({f_.Neg(a.im), a.re});
  return {turned.im, f_.Neg(turned.re)};
}

ComplexValue ComplexMath::Atan2(ComplexValue y, ComplexValue x) {
  // -i log((x + i y) / sqrt(x^2 + y^2))
  ComplexValue sum = Add(x, {f_.Neg(y.im), y.re});
  ComplexValue root = Sqrt(Add(Mul(x, x), Mul(y, y)));
  ComplexValue log = Log(Div(sum, root));
  return {log.im, f_.Neg(log.re)};
}

}  // namespace tenon::compiler
