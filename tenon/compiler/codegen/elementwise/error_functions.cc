// FloatMath's error function, its complement and its inverse.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {

llvm::Value* FloatMath::Erf(Value* x) {
  Value* a = Abs(x);
  if (has_pieces()) return CopySign(EvaluatePieces(a, kErfPieces32, kErfFewPieces32), x);
  Value* z = Mul(a, a);
  Value* small = Fma(a, Polynomial(z, kErfSmall32, kErfSmall64), a);
  // 1 - e^-p(a). Constant 1 from where e^-p(a) is below half an ulp.
  Value* top = Pick(3.95, 5.95);
  Value* clamped = Select(Gt(a, top), top, a);
  Value* logarithm = Polynomial(clamped, kErfLarge32, kErfLarge64);
  Value* large = Sub(Const(1), ExpInRange(Neg(logarithm), nullptr));
  Value* result = Select(Gt(a, Const(0.9375)), large, small);
  // ExpInRange does not handle NaN.
  return CopySign(Select(Unordered(x, x), x, result), x);
}

llvm::Value* FloatMath::Erfc(Value* x) {
  Value* a = Abs(x);
  Value* inner =
      Sub(Const(1), Fma(x, Polynomial(Mul(x, x), kErfSmall32, kErfSmall64), x));
  Value* top = Pick(10.25, 27.25);
  Value* clamped = Select(Gt(a, top), top, a);
  Value* t = Div(Sub(clamped, Const(4)), Add(clamped, Const(4)));
  Value* ratio = Div(Polynomial(t, kErfc32, kErfc64), Fma(Const(2), clamped, Const(1)));
  Pair square = TwoProduct(clamped, clamped);
  Value* outer = Mul(ratio, ExpWithTail(Neg(square.hi), Neg(square.lo)));
  outer = Select(Lt(x, Const(0)), Sub(Const(2), outer), outer);
  return Select(Gt(a, Const(0.75)), outer, inner);
}

llvm::Value* FloatMath::ErfInv(Value* x) {
  Value* w = Neg(Log(Mul(Sub(Const(1), x), Add(Const(1), x))));
  Value* root = Sqrt(Maximum(w, Const(1)));
  Value* ratio;
  if (is_f64_) {
    Value* center = Polynomial(Sub(w, Const(3.125)), kErfInvCenter64);
    Value* middle = Polynomial(Sub(root, Const(3.25)), kErfInvMiddle64);
    Value* tail = Polynomial(Sub(root, Const(5)), kErfInvTail64);
    ratio = Select(Lt(w, Const(6.25)), center, Select(Lt(w, Const(16)), middle, tail));
  } else {
    Value* center = Polynomial(Sub(w, Const(2.5)), kErfInvCenter32);
    Value* tail = Polynomial(Sub(root, Const(3)), kErfInvTail32);
    ratio = Select(Lt(w, Const(5)), center, tail);
  }
  Value* result = Mul(ratio, x);
  return Select(Eq(Abs(x), Const(1)), CopySign(Inf(), x), result);
}

}  // namespace tenon::compiler
