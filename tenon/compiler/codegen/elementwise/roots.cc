// FloatMath's hypot and cube root.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {

FloatMath::Scale FloatMath::PowerOfTwoBelow(Value* a, Value* b) {
  int bits = is_f64_ ? 52 : 23;
  Value* x = Abs(a);
  Value* y = Abs(b);
  Value* larger = ToBits(Select(Gt(x, y), x, y));
  Value* exponent =
      builder_.CreateAnd(larger, Int(is_f64_ ? uint64_t{0x7ff} << 52 : 0xffu << 23));
  Value* lowest = Int(uint64_t{2} << bits);
  Value* highest = Int((is_f64_ ? uint64_t{2045} : 253) << bits);
  exponent = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, exponent, lowest);
  exponent = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, exponent, highest);
  Value* sum = Int((is_f64_ ? uint64_t{2046} : 254) << bits);
  return {FromBits(exponent), FromBits(builder_.CreateSub(sum, exponent))};
}

llvm::Value* FloatMath::SumOfSquares(Value* c, Value* a, Value* b) {
  Pair a2 = TwoProduct(a, a);
  Pair b2 = TwoProduct(b, b);
  Pair first = TwoSum(c, a2.hi);
  Pair second = TwoSum(first.hi, b2.hi);
  Value* rest = Add(Add(a2.lo, b2.lo), Add(first.lo, second.lo));
  return Add(second.hi, rest);
}

llvm::Value* FloatMath::Hypot(Value* a, Value* b) {
  // Scaled by a power of two so that the squares neither overflow nor underflow.
  Scale scale = PowerOfTwoBelow(a, b);
  Value* x = Mul(a, scale.down);
  Value* y = Mul(b, scale.down);
  Value* root = Mul(Sqrt(Fma(x, x, Mul(y, y))), scale.up);
  Value* infinite = builder_.CreateOr(Eq(Abs(a), Inf()), Eq(Abs(b), Inf()));
  return Select(infinite, Inf(), root);
}

llvm::Value* FloatMath::Cbrt(Value* x) {
  // |x| = 2^(3 q) b with b in [1, 8). y ~ b^(-1/3) by a polynomial and Newton steps. Then
  // cbrt b = b y^2, with one correction from the exact residual.
  int bits = is_f64_ ? 52 : 23;
  uint64_t mantissa_mask = (uint64_t{1} << bits) - 1;
  uint64_t bias = is_f64_ ? 1023 : 127;
  Value* magnitude = Abs(x);
  Value* normal = magnitude;
  Value* tiny = Lt(magnitude, MinNormal());
  if (options_.ieee_denormals)
    normal = Select(tiny, Mul(magnitude, Pick(0x1p24, 0x1p54)), magnitude);
  Value* pattern = ToBits(normal);
  // The bias is a multiple of 3 plus 1 (f32) or plus 0 (f64). So e + 2 or e is 3 (q + 43)
  // or 3 (q + 341) plus the rest r. The division by 3 is a multiplication, which is exact
  // in this range.
  Value* e = builder_.CreateLShr(pattern, Int(bits));
  if (!is_f64_) e = builder_.CreateAdd(e, Int(2));
  Value* third = builder_.CreateLShr(builder_.CreateMul(e, Int(is_f64_ ? 21846 : 171)),
                                     Int(is_f64_ ? 16 : 9));
  Value* r = builder_.CreateSub(e, builder_.CreateMul(third, Int(3)));
  Value* mantissa_bits = builder_.CreateAnd(pattern, Int(mantissa_mask));
  Value* m = FromBits(builder_.CreateOr(mantissa_bits, Int(bias << bits)));
  Value* b = FromBits(builder_.CreateOr(
      mantissa_bits, builder_.CreateShl(builder_.CreateAdd(r, Int(bias)), Int(bits))));
  Value* scale = Select(builder_.CreateICmpEQ(r, Int(0)), Const(1),
                        Select(builder_.CreateICmpEQ(r, Int(1)),
                               Const(0x1.965fea53d6e3dp-1), Const(0x1.428a2f98d728bp-1)));
  Value* y = Mul(Polynomial(m, kCbrt32, kCbrt64), scale);
  for (int step = 0; step < (is_f64_ ? 2 : 1); ++step) {
    // y += y (1 - b y^3) / 3
    Value* error = Fma(Neg(Mul(b, y)), Mul(y, y), Const(1));
    y = Fma(Mul(y, Const(1.0 / 3)), error, y);
  }
  Value* y2 = Mul(y, y);
  Value* root = Mul(b, y2);
  Pair square = TwoProduct(root, root);
  Value* residual = ExactFma(Neg(square.hi), root, b);
  residual = Fma(Neg(square.lo), root, residual);
  root = Fma(residual, Mul(y2, Const(1.0 / 3)), root);
  Value* power = builder_.CreateAdd(third, Int(bias - (is_f64_ ? 341 : 43)));
  Value* result = Mul(root, FromBits(builder_.CreateShl(power, Int(bits))));
  if (options_.ieee_denormals)
    result = Select(tiny, Mul(result, Pick(0x1p-8, 0x1p-18)), result);
  Value* smallest = options_.ieee_denormals ? Const(0) : MinNormal();
  Value* is_zero = options_.ieee_denormals ? Eq(magnitude, smallest) : tiny;
  result = Select(is_zero, Const(0), result);
  result = Select(Lt(magnitude, Inf()), result, magnitude);
  return CopySign(result, x);
}

}  // namespace tenon::compiler
