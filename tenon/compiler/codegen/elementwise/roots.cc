// FloatMath's hypot and cube root.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/codegen/elementwise/polynomials.h"

namespace tenon::compiler {

llvm::Value* FloatMath::Hypot(Value* a, Value* b) {
  Value* x = Abs(a);
  Value* y = Abs(b);
  Value* larger = Select(Gt(x, y), x, y);
  Value* smaller = Select(Gt(x, y), y, x);
  // Scaled by a power of two so that the squares neither overflow nor vanish.
  int bits = is_f64_ ? 52 : 23;
  Value* exponent =
      builder_.CreateAnd(ToBits(larger), Int(is_f64_ ? 0x7ffull << 52 : 0xff << 23));
  Value* limit_low = Int(2ull << bits);
  Value* limit_high = Int((is_f64_ ? 2044ull : 252ull) << bits);
  exponent = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, exponent, limit_low);
  exponent = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, exponent, limit_high);
  Value* up = FromBits(exponent);
  Value* down =
      FromBits(builder_.CreateSub(Int((is_f64_ ? 2046ull : 254ull) << bits), exponent));
  larger = Mul(larger, down);
  smaller = Mul(smaller, down);
  Pair square = TwoProduct(larger, larger);
  Value* rest = Fma(smaller, smaller, square.lo);
  Value* root = Mul(Sqrt(Add(square.hi, rest)), up);
  Value* infinite = builder_.CreateOr(Eq(x, Inf()), Eq(y, Inf()));
  return Select(infinite, Inf(), root);
}

llvm::Value* FloatMath::Cbrt(Value* x) {
  // |x| = 2^(3 q) b with b in [1, 8): y ~ b^(-1/3) by a polynomial and Newton steps, then
  // cbrt b = b y^2 with one correction from the exact residual.
  int bits = is_f64_ ? 52 : 23;
  uint64_t mantissa_mask = (uint64_t{1} << bits) - 1;
  uint64_t bias = is_f64_ ? 1023 : 127;
  Value* magnitude = Abs(x);
  Value* normal = magnitude;
  Value* tiny = Lt(magnitude, MinNormal());
  if (options_.ieee_denormals)
    normal = Select(tiny, Mul(magnitude, Pick(0x1p24, 0x1p54)), magnitude);
  Value* pattern = ToBits(normal);
  // Both biases are 1 or 0 above a multiple of 3; e + 2 or e is then 3 (q + 43) or 3 (q +
  // 341) and the rest r. The quotient by 3 is a multiplication, exact in this range.
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
