#include "tenon/compiler/codegen/elementwise/bf16_functions.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/PatternMatch.h"

namespace tenon::compiler {
namespace {

using llvm::Value;
using namespace bf16_functions;

class Functions {
 public:
  Functions(FloatMath& math, const Approximations& approximations)
      : math_(math), b_(math.builder()), approximations_(approximations) {}

  Value* Exp(Value* x) {
    return approximations_.exp2(b_, approximations_.fma_down(b_, x, math_.Const(kLog2E),
                                                             math_.Const(kExpOffset)));
  }

  // 1 - 2 / (e^2x + 1).
  Value* Tanh(Value* x) {
    Value* large = math_.Fma(math_.Const(-2), Sigmoid(x, 2 * kLog2E), math_.Const(1));
    return math_.Select(math_.Gt(math_.Abs(x), math_.Const(kTanhLow)), large, x);
  }

  Value* Logistic(Value* x) {
    Value* slope =
        math_.Fma(math_.Mul(x, x), math_.Const(kLogisticCubic), math_.Const(0.25));
    Value* small = math_.Fma(x, slope, math_.Const(0.5));
    return math_.Select(math_.Lt(math_.Abs(x), math_.Const(kLogisticLow)), small,
                        Sigmoid(x, -kLog2E));
  }

  // Quotients of 8-bit integers are no ties, and differ from them by 2^-17 at least, in
  // proportion: if a < b then |a / b - m / 512| is |512 a - m b| / (512 b) for an odd m,
  // and the numerator is not zero, because b is no multiple of 512; likewise for a >= b.
  // If a quotient is no normal number, it is below them by 2^-8 at least.
  Value* Divide(Value* x, Value* y) {
    if (IsOne(x)) return Reciprocal(y);
    if (Value* scalar = llvm::getSplatValue(y)) return DivideBySame(x, scalar);
    return approximations_.divide(b_, math_.Mul(x, math_.Const(kQuotientFactor)), y);
  }

 private:
  // Whether `x` is 1 in every lane.
  static bool IsOne(Value* x) {
    using namespace llvm::PatternMatch;
    return match(x, m_FPOne());
  }

  // The reciprocal of 2^126 is the smallest normal number; those of larger ones are zero.
  Value* Reciprocal(Value* y) {
    Value* is_large = math_.Ge(math_.Abs(y), math_.Const(kLargestDivisor));
    Value* smaller = math_.Mul(y, math_.Const(2 - kQuotientFactor));
    return approximations_.reciprocal(b_, math_.Select(is_large, smaller, y));
  }

  // 1 / (1 + 2^(x factor)).
  Value* Sigmoid(Value* x, float factor) {
    Value* power = approximations_.exp2(b_, math_.Mul(x, math_.Const(factor)));
    return approximations_.reciprocal(b_, math_.Add(power, math_.Const(1)));
  }

  // Takes the reciprocal once. A large divisor and the dividends are divided by 4.
  Value* DivideBySame(Value* x, Value* scalar) {
    FloatMath one(b_, scalar->getType(), math_.options());
    Value* is_large = one.Gt(one.Abs(scalar), one.Const(kLargestDivisor));
    Value* scale = one.Select(is_large, one.Const(0.25), one.Const(1));
    Value* reciprocal = one.Mul(approximations_.reciprocal(b_, one.Mul(scalar, scale)),
                                one.Const(kQuotientFactor));
    auto splat = [&](Value* value) {
      return b_.CreateVectorSplat(static_cast<unsigned>(math_.lanes()), value);
    };
    return math_.Mul(math_.Mul(x, splat(scale)), splat(reciprocal));
  }

  FloatMath& math_;
  llvm::IRBuilderBase& b_;
  const Approximations& approximations_;
};

}  // namespace

Value* EmitBf16Function(ElementwiseOp op, FloatMath& math,
                        const Approximations& approximations, Value* a, Value* b) {
  Functions functions(math, approximations);
  switch (op) {
    case ElementwiseOp::kDivide:
      return functions.Divide(a, b);
    case ElementwiseOp::kExponential:
      return functions.Exp(a);
    case ElementwiseOp::kLogistic:
      return functions.Logistic(a);
    case ElementwiseOp::kTanh:
      return functions.Tanh(a);
    default:
      return nullptr;
  }
}

}  // namespace tenon::compiler
