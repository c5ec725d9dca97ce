// The expansion that JAX's client makes of chlo.erfc in f32 before it sends a program:
//
//   a = |x|, z = x^2
//   a < 1:  1 - x S(z)
//   else:   y or, for x < 0, 2 - y,  where y = e^-z / a (a < 2 ? P(1 / z) : R(1 / z)),
//           and 0 where e^-z underflows
//
// It becomes the composite again, whose code is shorter and 30 times as accurate.
#include "mlir/IR/Matchers.h"
#include "tenon/compiler/legalize/chlo_functions.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using llvm::function_ref;
using mlir::Value;
using stablehlo::ComparisonDirection;

// From the highest power down.
constexpr float kSmall[] = {7.85386146e-5f, -8.0101937e-4f, 0.00518832775f,
                            -0.0268538129f, 0.112835854f,   -0.37612626f,
                            1.12837911f};
constexpr float kMiddle[] = {2.326820e-2f,  -0.138703942f, 0.368742466f,
                             -0.582473278f, 0.621000468f,  -0.494451523f,
                             0.340488f,     -0.274112701f, 0.563825965f};
constexpr float kLarge[] = {-10.477664f,  12.9772f,    -7.49551868f,  2.92101908f,
                            -1.01526523f, 0.42184633f, -0.282076746f, 0.564189494f};
constexpr float kUnderflow = -88.7228394f;

bool IsNumber(Value value, float number) {
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  mlir::DenseFPElementsAttr attribute;
  return mlir::matchPattern(value, mlir::m_Constant(&attribute)) && attribute.isSplat() &&
         attribute.getElementType().isF32() &&
         attribute.getSplatValue<llvm::APFloat>().bitwiseIsEqual(llvm::APFloat(number));
}

// Whether `value` is an Op of operands that are as expected.
template <typename Op>
bool Is(Value value, function_ref<bool(Value)> operand) {
  auto op = value.getDefiningOp<Op>();
  return op && operand(op.getOperand());
}
template <typename Op>
bool Is(Value value, function_ref<bool(Value)> lhs, function_ref<bool(Value)> rhs) {
  auto op = value.getDefiningOp<Op>();
  return op && lhs(op.getLhs()) && rhs(op.getRhs());
}
template <typename Op>
bool IsInAnyOrder(Value value, function_ref<bool(Value)> x, function_ref<bool(Value)> y) {
  return Is<Op>(value, x, y) || Is<Op>(value, y, x);
}
bool IsLess(Value value, function_ref<bool(Value)> operand, float number) {
  auto compare = value.getDefiningOp<stablehlo::CompareOp>();
  return compare && compare.getComparisonDirection() == ComparisonDirection::LT &&
         operand(compare.getLhs()) && IsNumber(compare.getRhs(), number);
}
bool IsSelect(Value value, function_ref<bool(Value)> condition,
              function_ref<bool(Value)> if_true, function_ref<bool(Value)> if_false) {
  auto select = value.getDefiningOp<stablehlo::SelectOp>();
  return select && condition(select.getPred()) && if_true(select.getOnTrue()) &&
         if_false(select.getOnFalse());
}

// Whether `value` is a polynomial, by Horner's rule.
bool IsPolynomial(Value value, function_ref<bool(Value)> variable,
                  llvm::ArrayRef<float> coefficients) {
  const float last = coefficients.back();
  if (coefficients.size() == 1) return IsNumber(value, last);
  // The number and the variable are compared first: then there is one way to continue.
  return IsInAnyOrder<stablehlo::AddOp>(
      value, [&](Value number) { return IsNumber(number, last); },
      [&](Value product) {
        return IsInAnyOrder<stablehlo::MulOp>(product, variable, [&](Value rest) {
          return IsPolynomial(rest, variable, coefficients.drop_back());
        });
      });
}

bool IsExpandedErfc(Value result, Value x) {
  auto is_x = [&](Value value) { return value == x; };
  auto is_one = [](Value value) { return IsNumber(value, 1); };
  auto is_a = [&](Value value) { return Is<stablehlo::AbsOp>(value, is_x); };
  auto is_z = [&](Value value) { return Is<stablehlo::MulOp>(value, is_x, is_x); };
  auto is_minus_z = [&](Value value) { return Is<stablehlo::NegOp>(value, is_z); };
  auto is_inverse = [&](Value value) {
    return Is<stablehlo::DivOp>(value, is_one, is_z);
  };
  auto is_inner = [&](Value value) {
    auto is_product = [&](Value product) {
      return IsInAnyOrder<stablehlo::MulOp>(
          product, is_x, [&](Value sum) { return IsPolynomial(sum, is_z, kSmall); });
    };
    return Is<stablehlo::SubtractOp>(value, is_one, is_product);
  };
  auto is_scale = [&](Value value) {
    return IsInAnyOrder<stablehlo::MulOp>(
        value, [&](Value power) { return Is<stablehlo::ExpOp>(power, is_minus_z); },
        [&](Value inverse) { return Is<stablehlo::DivOp>(inverse, is_one, is_a); });
  };
  auto is_polynomial = [&](Value value) {
    return IsSelect(
        value, [&](Value less) { return IsLess(less, is_a, 2); },
        [&](Value sum) { return IsPolynomial(sum, is_inverse, kMiddle); },
        [&](Value sum) { return IsPolynomial(sum, is_inverse, kLarge); });
  };
  auto is_y = [&](Value value) {
    return IsSelect(
        value, [&](Value less) { return IsLess(less, is_minus_z, kUnderflow); },
        [](Value zero) { return IsNumber(zero, 0); },
        [&](Value product) {
          return IsInAnyOrder<stablehlo::MulOp>(product, is_scale, is_polynomial);
        });
  };
  auto is_outer = [&](Value value) {
    auto is_two = [](Value two) { return IsNumber(two, 2); };
    return IsSelect(
        value, [&](Value less) { return IsLess(less, is_x, 0); },
        [&](Value reflected) {
          return Is<stablehlo::SubtractOp>(reflected, is_two, is_y);
        },
        is_y);
  };
  return IsSelect(
      result, [&](Value less) { return IsLess(less, is_a, 1); }, is_inner, is_outer);
}

mlir::LogicalResult RewriteErfc(stablehlo::SelectOp op, mlir::PatternRewriter& rewriter) {
  auto compare = op.getPred().getDefiningOp<stablehlo::CompareOp>();
  auto a = compare ? compare.getLhs().getDefiningOp<stablehlo::AbsOp>() : nullptr;
  if (!a || a->getResult(0).getType() != op.getResult().getType() ||
      !ElementOf(a.getOperand()).isF32() || !IsExpandedErfc(op, a.getOperand()))
    return mlir::failure();
  rewriter.replaceOp(op, CreateComposite(rewriter, op.getLoc(), "erfc", a.getOperand()));
  return mlir::success();
}

}  // namespace

void PopulateErfcPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteErfc);
}

}  // namespace tenon::compiler
