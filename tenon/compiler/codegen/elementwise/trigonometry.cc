// FloatMath's sine, cosine and tangent.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {
namespace {

// Evaluates `function` of a scalar on the lanes of a small vector. Bit operations on a
// scalar float would move it to the integer registers and back, which takes longer than
// an operation.
llvm::Value* OnLanes(FloatMath& math, const ElementwiseOptions& options, llvm::Value* x,
                     llvm::Value* (FloatMath::*function)(llvm::Value*)) {
  llvm::IRBuilderBase& b = math.builder();
  unsigned lanes = math.is_f64() ? 2 : 4;
  FloatMath small(b, llvm::FixedVectorType::get(math.type(), lanes), options);
  llvm::Value* result = (small.*function)(b.CreateVectorSplat(lanes, x));
  return b.CreateExtractElement(result, uint64_t{0});
}

}  // namespace

llvm::Value* FloatMath::SinPolynomial(Value* r, Value* z) {
  return Fma(Mul(r, z), Polynomial(z, kSin32, kSin64), r);
}

llvm::Value* FloatMath::CosPolynomial(Value* z) {
  Value* q = Fma(z, Polynomial(z, kCos32, kCos64), Const(-0.5));
  return Fma(z, q, Const(1));
}

llvm::Value* FloatMath::FlipByQuadrant(Value* value, Value* quadrant) {
  Value* sign =
      builder_.CreateShl(builder_.CreateAnd(quadrant, Int(2)), Int(is_f64_ ? 62 : 30));
  return FromBits(builder_.CreateXor(ToBits(value), sign));
}

llvm::Value* FloatMath::QuadrantIsOdd(Value* quadrant) {
  return builder_.CreateICmpNE(builder_.CreateAnd(quadrant, Int(1)), Int(0));
}

llvm::Value* FloatMath::Sin(Value* x) {
  if (lanes() == 1) return OnLanes(*this, options_, x, &FloatMath::Sin);
  Angle angle = ReduceAngle(Abs(x), /*with_tail=*/false);
  Value* z = Mul(angle.r, angle.r);
  Value* result =
      Select(QuadrantIsOdd(angle.quadrant), CosPolynomial(z), SinPolynomial(angle.r, z));
  Value* sign = builder_.CreateAnd(ToBits(x), ToBits(Const(-0.0)));
  return FlipByQuadrant(FromBits(builder_.CreateXor(ToBits(result), sign)),
                        angle.quadrant);
}

llvm::Value* FloatMath::Cos(Value* x) {
  if (lanes() == 1) return OnLanes(*this, options_, x, &FloatMath::Cos);
  Angle angle = ReduceAngle(Abs(x), /*with_tail=*/false);
  Value* z = Mul(angle.r, angle.r);
  Value* result =
      Select(QuadrantIsOdd(angle.quadrant), SinPolynomial(angle.r, z), CosPolynomial(z));
  return FlipByQuadrant(result, builder_.CreateAdd(angle.quadrant, Int(1)));
}

void FloatMath::SinCos(Value* x, Value** sine, Value** cosine) {
  Angle angle = ReduceAngle(Abs(x), /*with_tail=*/false);
  Value* z = Mul(angle.r, angle.r);
  Value* s = SinPolynomial(angle.r, z);
  Value* c = CosPolynomial(z);
  Value* odd = QuadrantIsOdd(angle.quadrant);
  Value* sign = builder_.CreateAnd(ToBits(x), ToBits(Const(-0.0)));
  *sine = FlipByQuadrant(FromBits(builder_.CreateXor(ToBits(Select(odd, c, s)), sign)),
                         angle.quadrant);
  *cosine = FlipByQuadrant(Select(odd, s, c), builder_.CreateAdd(angle.quadrant, Int(1)));
}

llvm::Value* FloatMath::Tan(Value* x) {
  if (lanes() == 1) return OnLanes(*this, options_, x, &FloatMath::Tan);
  Angle angle = ReduceAngle(Abs(x), /*with_tail=*/true);
  Value* z = Mul(angle.r, angle.r);
  // tan(r + tail) = tan r + (1 + tan^2 r) tail
  Value* rest = Fma(z, angle.tail, angle.tail);
  Value* t = Add(angle.r, Fma(Mul(angle.r, z), Polynomial(z, kTan32, kTan64), rest));
  Value* odd = QuadrantIsOdd(angle.quadrant);
  Value* result = Div(Select(odd, Const(-1), t), Select(odd, t, Const(1)));
  Value* sign = builder_.CreateAnd(ToBits(x), ToBits(Const(-0.0)));
  return FromBits(builder_.CreateXor(ToBits(result), sign));
}

}  // namespace tenon::compiler
