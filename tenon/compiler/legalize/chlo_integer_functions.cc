// Functions on the bits of floats, and on integers.
#include "tenon/compiler/legalize/chlo_functions.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using enum stablehlo::ComparisonDirection;

mlir::Type IntegerOf(mlir::Type like, unsigned width) {
  const auto signedness = like.isUnsignedInteger() ? mlir::IntegerType::Unsigned
                                                   : mlir::IntegerType::Signless;
  return mlir::IntegerType::get(like.getContext(), width, signedness);
}

// The upper half of a product of unsigned 64-bit integers, from products of 32-bit
// halves.
Value UpperHalf(GraphBuilder& g, Value x, Value y) {
  auto low = [&](Value v) { return g.And(v, g.IntegerLike(v, 0xffffffff)); };
  auto high = [&](Value v) {
    return g.Binary<stablehlo::ShiftRightLogicalOp>(v, g.IntegerLike(v, 32));
  };
  Value low_low = g.Mul(low(x), low(y)), low_high = g.Mul(low(x), high(y));
  Value high_low = g.Mul(high(x), low(y)), high_high = g.Mul(high(x), high(y));
  // No sum overflows: a product of halves is at most 2^64 - 2^33 + 1.
  Value middle = g.Add(g.Add(high(low_low), low(low_high)), low(high_low));
  return g.Add(g.Add(high_high, high(middle)), g.Add(high(low_high), high(high_low)));
}

}  // namespace

Value BuildMulhi(GraphBuilder& g, Value x, Value y) {
  mlir::Type element = ElementOf(x);
  const unsigned width = element.getIntOrFloatBitWidth();
  if (width < 64) {
    mlir::Type wide = IntegerOf(element, 2 * width);
    Value product = g.Mul(g.Convert(x, wide), g.Convert(y, wide));
    Value count = g.IntegerLike(product, width);
    Value upper = element.isUnsignedInteger()
                      ? g.Binary<stablehlo::ShiftRightLogicalOp>(product, count)
                      : g.Binary<stablehlo::ShiftRightArithmeticOp>(product, count);
    return g.Convert(upper, element);
  }
  Value upper = UpperHalf(g, x, y);
  if (element.isUnsignedInteger()) return upper;
  // Read as unsigned, the bits of a negative number are 2^64 more than its value.
  Value zero = g.IntegerLike(x, 0);
  auto excess = [&](Value a, Value b) {
    return g.Select(g.Compare(a, zero, LT), b, zero);
  };
  return g.Sub(g.Sub(upper, excess(x, y)), excess(y, x));
}

Value BuildNextAfter(GraphBuilder& g, Value x, Value y) {
  const unsigned width = ElementOf(x).getIntOrFloatBitWidth();
  mlir::Type bits = mlir::IntegerType::get(ElementOf(x).getContext(), width,
                                           mlir::IntegerType::Unsigned);
  const uint64_t sign_bit = uint64_t{1} << (width - 1);
  Value x_bits = g.Bitcast(x, bits), y_bits = g.Bitcast(y, bits);
  Value sign_mask = g.IntegerLike(x_bits, sign_bit),
        magnitude_mask = g.IntegerLike(x_bits, sign_bit - 1);
  Value zero = g.IntegerLike(x_bits, 0), one = g.IntegerLike(x_bits, 1);
  Value x_size = g.And(x_bits, magnitude_mask), y_size = g.And(y_bits, magnitude_mask);
  Value x_sign = g.And(x_bits, sign_mask), y_sign = g.And(y_bits, sign_mask);
  Value x_zero = g.Compare(x_size, zero, EQ), y_zero = g.Compare(y_size, zero, EQ);
  // The magnitude decreases if y's is smaller or y has the other sign.
  Value shrinks = g.Or(g.Compare(x_sign, y_sign, NE), g.Compare(x_size, y_size, GT));
  Value next = g.Select(shrinks, g.Sub(x_bits, one), g.Add(x_bits, one));
  // From zero, the next number is the smallest denormal with the sign of y.
  next = g.Select(x_zero, g.Or(y_sign, one), next);
  Value equal = g.Or(g.Compare(x_bits, y_bits, EQ), g.And(x_zero, y_zero));
  Value result = g.Bitcast(g.Select(equal, y_bits, next), ElementOf(x));
  Value ordered = g.And(g.Compare(x, x, EQ), g.Compare(y, y, EQ));
  return g.Select(ordered, result, g.Add(x, y));
}

}  // namespace tenon::compiler
