#include <numbers>

#include "tenon/compiler/legalize/chlo_functions.h"

namespace tenon::compiler {
namespace {

using enum stablehlo::ComparisonDirection;
using mlir::Value;

// Builds functions of complex numbers from real functions of their parts. The inverse
// functions have the branch cuts of Kahan, "Branch cuts for complex elementary functions"
// (1987).
class ComplexFunctions {
 public:
  ComplexFunctions(GraphBuilder& g, Value z) : g_(g), z_(z) {}

  // Returns null if `name` is none of these functions.
  Value Apply(llvm::StringRef name) {
    if (name == "sinh") return HyperbolicOf("sinh", "cosh");
    if (name == "cosh") return HyperbolicOf("cosh", "sinh");
    if (name == "asin") return Asin(z_);
    if (name == "acos") return Acos();
    if (name == "asinh") return TimesMinusI(Asin(TimesI(z_)));
    if (name == "acosh") return Acosh();
    if (name == "atan") return TimesMinusI(BuildComplexFunction(g_, "atanh", TimesI(z_)));
    if (name == "atanh") return Atanh();
    if (name == "_asin_acos_kernel") return AsinAcosKernel();
    if (name == "conj") return g_.Conj(z_);
    if (name == "square") return Square();
    if (name == "tan") return g_.Unary<stablehlo::TanOp>(z_);
    return nullptr;
  }

 private:
  Value Function(llvm::StringRef name, Value x) {
    return CreateComposite(g_.builder(), g_.loc(), name, x)->getResult(0);
  }
  Value Sqrt(Value x) { return g_.Unary<stablehlo::SqrtOp>(x); }
  Value Negate(Value x) { return g_.Unary<stablehlo::NegOp>(x); }
  Value Atan2(Value y, Value x) { return g_.Binary<stablehlo::Atan2Op>(y, x); }
  Value TimesI(Value z) { return g_.Complex(Negate(g_.Imag(z)), g_.Real(z)); }
  Value TimesMinusI(Value z) { return g_.Complex(g_.Imag(z), Negate(g_.Real(z))); }
  // 1 + z and 1 - z, computed so that the imaginary part keeps the sign of a zero.
  Value OnePlus(Value z) {
    return g_.Complex(g_.Add(g_.Like(g_.Real(z), 1), g_.Real(z)), g_.Imag(z));
  }
  Value OneMinus(Value z) {
    return g_.Complex(g_.Sub(g_.Like(g_.Real(z), 1), g_.Real(z)), Negate(g_.Imag(z)));
  }

  // f(x) cos y + i g(x) sin y.
  Value HyperbolicOf(llvm::StringRef f, llvm::StringRef g) {
    Value x = g_.Real(z_), y = g_.Imag(z_);
    Value cosine = g_.Unary<stablehlo::CosineOp>(y),
          sine = g_.Unary<stablehlo::SineOp>(y);
    return g_.Complex(g_.Mul(Function(f, x), cosine), g_.Mul(Function(g, x), sine));
  }

  Value CompareTo(Value x, double number, stablehlo::ComparisonDirection how) {
    return g_.Compare(x, g_.Like(x, number), how);
  }
  // 1 or -1, by the sign of x, also of a zero.
  Value SignOf(Value x) {
    Value one = g_.Like(x, 1);
    Value signed_value = g_.Select(CompareTo(x, 0, EQ), g_.Div(one, x), x);
    return g_.Select(CompareTo(signed_value, 0, LT), g_.Like(x, -1), one);
  }

  // |x| and |y| of z = x + iy relative to the larger of the two.
  struct Scaled {
    Value largest, x, y;
  };
  Scaled Scale(Value x, Value y) {
    x = g_.Abs(x), y = g_.Abs(y);
    Value largest = g_.Binary<stablehlo::MaxOp>(x, y), one = g_.Like(x, 1);
    auto part = [&](Value v) {  // inf / inf is 1
      return g_.Select(g_.Compare(v, largest, EQ), one, g_.Div(v, largest));
    };
    return {largest, part(x), part(y)};
  }
  // Beyond it, squares of parts may overflow, and 1 is lost in sums with them.
  Value IsLarge(const Scaled& scaled) {
    const bool is_f64 = ElementOf(scaled.largest).isF64();
    return CompareTo(scaled.largest, is_f64 ? 0x1p500 : 0x1p60, GT);
  }

  // asin(z) and its like are `small`, or for large z combinations of the angles of z with
  // log(2 |z|), their difference from which is less than 1 / |z|^2.
  Value WithLarge(Value z, Value small,
                  llvm::function_ref<Value(Value x, Value y, Value log)> large) {
    Value x = g_.Real(z), y = g_.Imag(z);
    const Scaled scaled = Scale(x, y);
    Value ratio = g_.Binary<stablehlo::MinOp>(scaled.x, scaled.y);
    Value log =
        g_.Add(g_.Unary<stablehlo::LogOp>(scaled.largest), g_.Like(x, std::numbers::ln2));
    Value rest = g_.Unary<stablehlo::Log1pOp>(g_.Mul(ratio, ratio));
    log = g_.Add(log, g_.Mul(g_.Like(x, 0.5), rest));
    Value result = large(x, y, log), is_large = IsLarge(scaled);
    return g_.Complex(g_.Select(is_large, g_.Real(result), g_.Real(small)),
                      g_.Select(is_large, g_.Imag(result), g_.Imag(small)));
  }

  Value Asin(Value z) {
    Value plus = Sqrt(OnePlus(z)), minus = Sqrt(OneMinus(z));
    Value real = Atan2(g_.Real(z), g_.Real(g_.Mul(minus, plus)));
    Value imag = Function("asinh", g_.Imag(g_.Mul(g_.Conj(minus), plus)));
    return WithLarge(z, g_.Complex(real, imag), [&](Value x, Value y, Value log) {
      return g_.Complex(Atan2(x, g_.Abs(y)), g_.Mul(SignOf(y), log));
    });
  }

  Value Acos() {
    Value plus = Sqrt(OnePlus(z_)), minus = Sqrt(OneMinus(z_));
    Value angle = Atan2(g_.Real(minus), g_.Real(plus));
    Value imag = Function("asinh", g_.Imag(g_.Mul(g_.Conj(plus), minus)));
    Value small = g_.Complex(g_.Add(angle, angle), imag);
    return WithLarge(z_, small, [&](Value x, Value y, Value log) {
      return g_.Complex(Atan2(g_.Abs(y), x), Negate(g_.Mul(SignOf(y), log)));
    });
  }

  Value Acosh() {
    Value below = g_.Complex(g_.Sub(g_.Real(z_), g_.Like(g_.Real(z_), 1)), g_.Imag(z_));
    Value plus = Sqrt(OnePlus(z_)), minus = Sqrt(below);
    Value real = Function("asinh", g_.Real(g_.Mul(g_.Conj(minus), plus)));
    Value angle = Atan2(g_.Imag(minus), g_.Real(plus));
    Value small = g_.Complex(real, g_.Add(angle, angle));
    return WithLarge(z_, small, [&](Value x, Value y, Value log) {
      return g_.Complex(log, Atan2(y, x));
    });
  }

  // With a = |x|, the sign of x is that of the real part, which is
  // log1p(4a / ((1-a)^2 + y^2)) / 4; the imaginary part is
  // atan2(2y, (1-a)(1+a) - y^2) / 2. Where a is 1, y^2 may underflow: log(2 / |y|) / 2.
  // For large z these are a / |z|^2 and pi / 2.
  Value Atanh() {
    Value x = g_.Real(z_), y = g_.Imag(z_), one = g_.Like(x, 1), a = g_.Abs(x);
    Value below = g_.Sub(one, a), squared = g_.Mul(y, y), height = g_.Abs(y);
    Value ratio = g_.Div(g_.Mul(g_.Like(x, 4), a), g_.Add(g_.Mul(below, below), squared));
    Value real = g_.Mul(g_.Like(x, 0.25), g_.Unary<stablehlo::Log1pOp>(ratio));
    const bool is_f64 = ElementOf(x).isF64();
    Value at_pole =
        g_.And(CompareTo(a, 1, EQ), CompareTo(height, is_f64 ? 0x1p-60 : 0x1p-30, LT));
    Value of_pole = g_.Sub(g_.Like(x, std::numbers::ln2 / 2),
                           g_.Mul(g_.Like(x, 0.5), g_.Unary<stablehlo::LogOp>(height)));
    real = g_.Select(at_pole, of_pole, real);

    const Scaled scaled = Scale(x, y);
    Value is_large = CompareTo(scaled.largest, is_f64 ? 0x1p60 : 0x1p30, GT);
    Value norm = g_.Add(g_.Mul(scaled.x, scaled.x), g_.Mul(scaled.y, scaled.y));
    real = g_.Select(is_large, g_.Div(g_.Div(scaled.x, scaled.largest), norm), real);
    real = g_.Mul(SignOf(x), real);

    Value angle = Atan2(g_.Add(y, y), g_.Sub(g_.Mul(below, g_.Add(one, a)), squared));
    angle = g_.Select(is_large, g_.Mul(SignOf(y), g_.Like(x, std::numbers::pi)), angle);
    return g_.Complex(real, g_.Mul(g_.Like(x, 0.5), angle));
  }

  // The common part of asin, acos and their hyperbolic counterparts: the real part is
  // that of sqrt(1 - z) sqrt(1 + z), the imaginary part is the absolute value of
  // asin(z)'s.
  Value AsinAcosKernel() {
    Value plus = Sqrt(OnePlus(z_)), minus = Sqrt(OneMinus(z_));
    Value imag = Function("asinh", g_.Imag(g_.Mul(g_.Conj(minus), plus)));
    Value small = g_.Complex(g_.Real(g_.Mul(minus, plus)), g_.Abs(imag));
    return WithLarge(
        z_, small, [&](Value, Value y, Value log) { return g_.Complex(g_.Abs(y), log); });
  }
  Value Square() {
    Value x = g_.Real(z_), y = g_.Imag(z_), product = g_.Mul(x, y);
    return g_.Complex(g_.Mul(g_.Sub(x, y), g_.Add(x, y)), g_.Add(product, product));
  }

  GraphBuilder& g_;
  Value z_;
};

}  // namespace

Value BuildComplexFunction(GraphBuilder& g, llvm::StringRef name, Value z) {
  return ComplexFunctions(g, z).Apply(name);
}

}  // namespace tenon::compiler
