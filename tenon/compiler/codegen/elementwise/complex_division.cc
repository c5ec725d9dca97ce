// ComplexMath's division.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/complex_math.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

class ComplexDivision {
 public:
  explicit ComplexDivision(FloatMath& f)
      : f_(f),
        ir_(f.builder()),
        lowest_(f.Pick(0x1p-100, 0x1p-960)),
        highest_(f.Pick(0x1p126, 0x1p1022)) {}

  ComplexValue Divide(ComplexValue a, ComplexValue b) {
    ComplexValue plain = Quotient(a, b);
    Value* result[] = {plain.re, plain.im};
    Value* a_is_zero = f_.Eq(LargerPart(a), f_.Const(0));
    Value* extreme =
        ir_.CreateOr(ir_.CreateAnd(IsExtreme(a), ir_.CreateNot(a_is_zero)), IsExtreme(b));
    Value* rare = ir_.CreateOr(extreme, BothNan(plain));
    f_.ReplaceOnRarePath(rare, result, [&](llvm::MutableArrayRef<Value*> values) {
      ComplexValue scaled = ScaledQuotient(a, b);
      Value* both_nan = BothNan(scaled);
      ComplexValue exact = Select(both_nan, InfiniteQuotient(a, b, scaled), scaled);
      values[0] = exact.re;
      values[1] = exact.im;
    });
    return {result[0], result[1]};
  }

 private:
  // Smith's formula. No square overflows, because it uses t = small / large of the
  // divisor's parts. If t underflows, a part that is far smaller than the other may be
  // lost.
  ComplexValue Quotient(ComplexValue n, ComplexValue d) {
    Value* swapped = f_.Lt(f_.Abs(d.re), f_.Abs(d.im));
    Value* large = f_.Select(swapped, d.im, d.re);
    Value* small = f_.Select(swapped, d.re, d.im);
    Value* t = f_.Div(small, large);
    Value* norm = f_.Fma(small, t, large);
    // (n.re + n.im t, n.im - n.re t) or, if swapped, (n.re t + n.im, n.im t - n.re).
    Value* negative = f_.Neg(n.re);
    Value* re = f_.Fma(f_.Select(swapped, n.re, n.im), t, f_.Select(swapped, n.im, n.re));
    Value* im =
        f_.Fma(f_.Select(swapped, n.im, negative), t, f_.Select(swapped, negative, n.im));
    return {f_.Div(re, norm), f_.Div(im, norm)};
  }

  // The quotient of operands that are first scaled to moderate size.
  ComplexValue ScaledQuotient(ComplexValue a, ComplexValue b) {
    Value* unscale = f_.Mul(Rescale(a).down, Rescale(b).up);
    ComplexValue scaled = Quotient(a, b);
    return {f_.Mul(scaled.re, unscale), f_.Mul(scaled.im, unscale)};
  }

  // Scales by a power of two, and returns the factor `up` and its inverse.
  FloatMath::Scale Rescale(ComplexValue& v) {
    Value* size = LargerPart(v);
    Value* big = f_.Gt(size, highest_);
    Value* tiny = f_.Lt(size, lowest_);
    Value* up = f_.Select(big, f_.Const(0.5),
                          f_.Select(tiny, f_.Pick(0x1p24, 0x1p53), f_.Const(1)));
    Value* down = f_.Select(big, f_.Const(2),
                            f_.Select(tiny, f_.Pick(0x1p-24, 0x1p-53), f_.Const(1)));
    v = {f_.Mul(v.re, up), f_.Mul(v.im, up)};
    return {up, down};
  }

  // The quotient by Annex G of C99 if an operand is infinite or the divisor is zero, else
  // `other`.
  ComplexValue InfiniteQuotient(ComplexValue a, ComplexValue b, ComplexValue other) {
    Value* zero = f_.Const(0);
    Value* b_is_zero = ir_.CreateAnd(f_.Eq(b.re, zero), f_.Eq(b.im, zero));
    ComplexValue boxed_a = {Box(a.re), Box(a.im)};
    ComplexValue result = Select(ir_.CreateAnd(IsInfinite(a), IsFinite(b)),
                                 Times(f_.Inf(), ConjugateProduct(boxed_a, b)), other);
    ComplexValue boxed_b = {Box(b.re), Box(b.im)};
    result = Select(ir_.CreateAnd(IsInfinite(b), IsFinite(a)),
                    Times(zero, ConjugateProduct(a, boxed_b)), result);
    return Select(b_is_zero, Times(f_.CopySign(f_.Inf(), b.re), a), result);
  }

  // C99's boxing of infinities: 1 for an infinite part and 0 for a finite one, with its
  // sign.
  Value* Box(Value* part) {
    Value* unit = f_.Select(f_.Eq(f_.Abs(part), f_.Inf()), f_.Const(1), f_.Const(0));
    return f_.CopySign(unit, part);
  }

  Value* LargerPart(ComplexValue v) {
    Value *x = f_.Abs(v.re), *y = f_.Abs(v.im);
    return f_.Select(f_.Gt(x, y), x, y);
  }
  // Whether the size of `v` is outside of [lowest_, highest_]: a sum of large numbers may
  // overflow, or a difference of small numbers may be denormal. Zero has neither problem.
  Value* IsExtreme(ComplexValue v) {
    Value* from_lowest = ir_.CreateSub(f_.ToBits(LargerPart(v)), f_.ToBits(lowest_));
    Value* span = ir_.CreateSub(f_.ToBits(highest_), f_.ToBits(lowest_));
    return ir_.CreateICmpUGT(from_lowest, span);
  }
  Value* BothNan(ComplexValue v) {
    return ir_.CreateAnd(f_.Unordered(v.re, v.re), f_.Unordered(v.im, v.im));
  }
  Value* IsInfinite(ComplexValue v) {
    return ir_.CreateOr(f_.Eq(f_.Abs(v.re), f_.Inf()), f_.Eq(f_.Abs(v.im), f_.Inf()));
  }
  Value* IsFinite(ComplexValue v) {
    return ir_.CreateAnd(f_.IsFinite(v.re), f_.IsFinite(v.im));
  }

  ComplexValue ConjugateProduct(ComplexValue x, ComplexValue y) {
    return {f_.Add(f_.Mul(x.re, y.re), f_.Mul(x.im, y.im)),
            f_.Sub(f_.Mul(x.im, y.re), f_.Mul(x.re, y.im))};
  }
  ComplexValue Times(Value* factor, ComplexValue x) {
    return {f_.Mul(factor, x.re), f_.Mul(factor, x.im)};
  }
  ComplexValue Select(Value* condition, ComplexValue a, ComplexValue b) {
    return {f_.Select(condition, a.re, b.re), f_.Select(condition, a.im, b.im)};
  }

  FloatMath& f_;
  llvm::IRBuilderBase& ir_;
  Value* lowest_;
  Value* highest_;
};

}  // namespace

ComplexValue ComplexMath::Div(ComplexValue a, ComplexValue b) {
  return ComplexDivision(f_).Divide(a, b);
}

}  // namespace tenon::compiler
