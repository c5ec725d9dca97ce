#include "tenon/compiler/legalize/chlo_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "tenon/compiler/math/half_exp.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using enum stablehlo::ComparisonDirection;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Builds elementary functions of f32 or f64.
class RealFunctions {
 public:
  explicit RealFunctions(GraphBuilder& g) : g_(g) {}

  Value Unary(llvm::StringRef name, Value x) {
    is_f64_ = ElementOf(x).isF64();
    if (name == "acos") return Acos(x);
    if (name == "acosh") return Acosh(x);
    if (name == "asin") return Asin(x);
    if (name == "asinh") return Asinh(x);
    if (name == "atan") return g_.Binary<stablehlo::Atan2Op>(x, g_.Like(x, 1));
    if (name == "atanh") return Atanh(x);
    if (name == "bessel_i1e") return BuildBesselI1e(g_, x);
    if (name == "cosh") return Cosh(x);
    if (name == "digamma") return BuildDigamma(g_, x);
    if (name == "erf") return Erf(x);
    if (name == "erf_inv") return ErfInv(x);
    if (name == "erfc") return Erfc(x);
    if (name == "lgamma") return BuildLgamma(g_, x);
    if (name == "sinh") return Sinh(x);
    if (name == "tan") return g_.Unary<stablehlo::TanOp>(x);
    return nullptr;
  }

 private:
  Value Exp(Value x) { return g_.Unary<stablehlo::ExpOp>(x); }
  Value Log(Value x) { return g_.Unary<stablehlo::LogOp>(x); }
  Value Log1p(Value x) { return g_.Unary<stablehlo::Log1pOp>(x); }
  Value Sqrt(Value x) { return g_.Unary<stablehlo::SqrtOp>(x); }
  Value Negate(Value x) { return g_.Unary<stablehlo::NegOp>(x); }
  Value Scaled(Value x, double factor) { return g_.Mul(x, g_.Like(x, factor)); }
  Value Plus(Value x, double term) { return g_.Add(x, g_.Like(x, term)); }
  Value CompareTo(Value x, double number, stablehlo::ComparisonDirection how) {
    return g_.Compare(x, g_.Like(x, number), how);
  }
  // Returns `magnitude` with the sign of `x`. If `x` is a zero, returns `x`, which keeps
  // its sign.
  Value WithSign(Value magnitude, Value x) {
    return g_.Select(CompareTo(x, 0, LT), Negate(magnitude),
                     g_.Select(CompareTo(x, 0, EQ), x, magnitude));
  }
  template <size_t k32, size_t k64>
  Value Polynomial(Value x, const double (&f32)[k32], const double (&f64)[k64]) {
    return is_f64_ ? Horner(x, f64) : Horner(x, f32);
  }
  Value Horner(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = g_.Like(x, coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = Plus(g_.Mul(sum, x), coefficient);
    return sum;
  }

  // atan2(x, sqrt((1 - x) (1 + x))): avoids cancellation near 1.
  Value Asin(Value x) { return g_.Binary<stablehlo::Atan2Op>(x, Complement(x)); }
  Value Acos(Value x) { return g_.Binary<stablehlo::Atan2Op>(Complement(x), x); }
  Value Complement(Value x) { return Sqrt(g_.Mul(g_.Sub(g_.Like(x, 1), x), Plus(x, 1))); }

  // log1p(a + a^2 / (1 + sqrt(a^2 + 1))), or log(2a) for large a, whose square may
  // overflow.
  Value Asinh(Value x) {
    Value a = g_.Abs(x), square = g_.Mul(a, a);
    Value root = Plus(Sqrt(Plus(square, 1)), 1);
    Value small = Log1p(g_.Add(a, g_.Div(square, root)));
    return WithSign(g_.Select(CompareTo(a, kLarge, GT), LogOfTwice(a), small), x);
  }
  // log1p(t + sqrt(t (x + 1))), t = x - 1.
  Value Acosh(Value x) {
    Value t = Plus(x, -1);
    Value small = Log1p(g_.Add(t, Sqrt(g_.Mul(t, Plus(x, 1)))));
    Value result = g_.Select(CompareTo(x, kLarge, GT), LogOfTwice(x), small);
    return g_.Select(CompareTo(x, 1, LT), g_.Like(x, std::nan("")), result);
  }
  Value LogOfTwice(Value x) { return Plus(Log(x), std::numbers::ln2); }
  Value Atanh(Value x) {
    Value a = g_.Abs(x);
    Value ratio = g_.Div(g_.Add(a, a), g_.Sub(g_.Like(a, 1), a));
    Value half = Scaled(Log1p(ratio), 0.5);
    Value outside = CompareTo(a, 1, GT);
    return g_.Select(outside, g_.Like(x, std::nan("")), WithSign(half, x));
  }
  // Adds e^x / 2 and e^-x / 2, because e^x itself may overflow when the result does not.
  Value Cosh(Value x) {
    Value a = g_.Abs(x), half = HalfExp(a);
    return g_.Add(half, g_.Div(g_.Like(x, 0.25), half));
  }
  Value Sinh(Value x) {
    Value a = g_.Abs(x), half = HalfExp(a);
    Value large = g_.Sub(half, g_.Div(g_.Like(x, 0.25), half));
    Value square = g_.Mul(a, a);
    Value series = g_.Mul(square, Polynomial(square, kSinh32, kSinh64));
    Value small = g_.Add(g_.Mul(a, series), a);
    return WithSign(g_.Select(CompareTo(a, 1, LT), small, large), x);
  }
  // e^x / 2, also where e^x overflows.
  Value HalfExp(Value x) {
    const HalfExpSplit& split = is_f64_ ? kHalfExp64 : kHalfExp32;
    Value is_large = CompareTo(x, split.start, GT);
    Value factor = g_.Select(is_large, g_.Like(x, split.factor), g_.Like(x, 0.5));
    return g_.Mul(Exp(g_.Select(is_large, Plus(x, -split.start), x)), factor);
  }

  Value Erf(Value x) {
    Value a = g_.Abs(x), square = g_.Mul(a, a);
    Value small = g_.Add(g_.Mul(a, Polynomial(square, kErfSmall32, kErfSmall64)), a);
    Value top = g_.Like(x, is_f64_ ? 5.95 : 3.95);
    Value clamped = g_.Binary<stablehlo::MinOp>(a, top);
    Value exponent = Negate(Polynomial(clamped, kErfLarge32, kErfLarge64));
    Value large = g_.Sub(g_.Like(x, 1), Exp(exponent));
    return WithSign(g_.Select(CompareTo(a, 0.9375, GT), large, small), x);
  }
  Value Erfc(Value x) {
    Value a = g_.Abs(x), square = g_.Mul(x, x);
    Value inner =
        g_.Sub(g_.Like(x, 1),
               g_.Add(g_.Mul(x, Polynomial(square, kErfSmall32, kErfSmall64)), x));
    Value c = g_.Binary<stablehlo::MinOp>(a, g_.Like(x, is_f64_ ? 27.25 : 10.25));
    Value t = g_.Div(Plus(c, -4), Plus(c, 4));
    Value ratio = g_.Div(Polynomial(t, kErfc32, kErfc64), Plus(Scaled(c, 2), 1));
    // e^(-c^2) = e^(-h^2) e^(-(c - h) (c + h)). h is c with so few mantissa bits that its
    // square is exact.
    Value h = stablehlo::ReducePrecisionOp::create(g_.builder(), g_.loc(), c.getType(), c,
                                                   is_f64_ ? 11 : 8, is_f64_ ? 25 : 11);
    Value rest = g_.Mul(g_.Sub(c, h), g_.Add(c, h));
    Value outer = g_.Mul(ratio, g_.Mul(Exp(Negate(g_.Mul(h, h))), Exp(Negate(rest))));
    outer = g_.Select(CompareTo(x, 0, LT), g_.Sub(g_.Like(x, 2), outer), outer);
    return g_.Select(CompareTo(a, 0.75, GT), outer, inner);
  }
  Value ErfInv(Value x) {
    Value one = g_.Like(x, 1);
    Value w = Negate(Log(g_.Mul(g_.Sub(one, x), g_.Add(one, x))));
    Value root = Sqrt(g_.Binary<stablehlo::MaxOp>(w, one));
    Value ratio;
    if (is_f64_) {
      Value center = Horner(Plus(w, -3.125), kErfInvCenter64);
      Value middle = Horner(Plus(root, -3.25), kErfInvMiddle64);
      Value tail = Horner(Plus(root, -5), kErfInvTail64);
      ratio = g_.Select(CompareTo(w, 6.25, LT), center,
                        g_.Select(CompareTo(w, 16, LT), middle, tail));
    } else {
      Value center = Horner(Plus(w, -2.5), kErfInvCenter32);
      Value tail = Horner(Plus(root, -3), kErfInvTail32);
      ratio = g_.Select(CompareTo(w, 5, LT), center, tail);
    }
    Value infinite = WithSign(g_.Like(x, kInfinity), x);
    return g_.Select(CompareTo(g_.Abs(x), 1, EQ), infinite, g_.Mul(ratio, x));
  }

  // Above this value sqrt(a^2 + 1) equals a in both types, and a^2 does not overflow at
  // it.
  static constexpr double kLarge = 1e16;

  GraphBuilder& g_;
  bool is_f64_ = false;
};

Value IsInfinite(GraphBuilder& g, llvm::StringRef name, Value x) {
  double sign = name == "is_neg_inf" ? -1 : 1;
  Value magnitude = name == "is_inf" ? g.Abs(x) : x;
  return g.Compare(magnitude, g.Like(x, sign * kInfinity), EQ);
}

}  // namespace

Value BuildRealFunction(GraphBuilder& g, llvm::StringRef name,
                        mlir::ValueRange operands) {
  Value x = operands[0];
  if (name == "mulhi") return BuildMulhi(g, x, operands[1]);
  if (name == "next_after") return BuildNextAfter(g, x, operands[1]);
  if (name == "conj") return x;
  if (name == "square") return g.Mul(x, x);
  if (name == "is_inf" || name == "is_neg_inf" || name == "is_pos_inf")
    return IsInfinite(g, name, x);
  mlir::Type element = ElementOf(x);
  mlir::Type wide = element.getIntOrFloatBitWidth() < 32
                        ? mlir::Type(g.builder().getF32Type())
                        : element;
  Value a = g.Convert(x, wide), result;
  if (operands.size() == 1) {
    result = RealFunctions(g).Unary(name, a);
  } else {
    Value b = g.Convert(operands[1], wide);
    if (name == "polygamma") result = BuildPolygamma(g, a, b);
    if (name == "zeta") result = BuildZeta(g, a, b);
  }
  return result ? g.Convert(result, element) : nullptr;
}

stablehlo::CompositeOp CreateComposite(mlir::OpBuilder& builder, mlir::Location loc,
                                       llvm::StringRef name, mlir::ValueRange operands) {
  const std::string composite = ("chlo." + name).str();
  return stablehlo::CompositeOp::create(
      builder, loc, operands[0].getType(), operands, builder.getStringAttr(composite),
      builder.getDictionaryAttr({}),
      mlir::FlatSymbolRefAttr::get(builder.getContext(), composite),
      builder.getI32IntegerAttr(0), 0);
}

void Decompositions::Attach(stablehlo::CompositeOp composite) {
  mlir::OpBuilder b(module_.getContext());
  auto type =
      b.getFunctionType(composite->getOperandTypes(), composite->getResultTypes());
  mlir::func::FuncOp& function = functions_[{composite.getNameAttr(), type}];
  if (!function) {
    function = mlir::func::FuncOp::create(module_.getLoc(),
                                          (composite.getName() + ".impl").str(), type);
    function.setPrivate();
    mlir::Block* block = function.addEntryBlock();
    b.setInsertionPointToStart(block);
    GraphBuilder g(b, module_.getLoc());
    Value result = BuildRealFunction(
        g, composite.getName().drop_front(llvm::StringRef("chlo.").size()),
        block->getArguments());
    mlir::func::ReturnOp::create(b, module_.getLoc(), result);
    symbols_.insert(function);
  }
  composite.setDecompositionAttr(mlir::FlatSymbolRefAttr::get(function));
}

}  // namespace tenon::compiler
