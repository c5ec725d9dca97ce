#include "tenon/compiler/legalize/chlo_functions.h"

namespace tenon::compiler {
namespace {

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

  Value Asin(Value z) {
    Value plus = Sqrt(OnePlus(z)), minus = Sqrt(OneMinus(z));
    Value real = Atan2(g_.Real(z), g_.Real(g_.Mul(minus, plus)));
    Value imag = Function("asinh", g_.Imag(g_.Mul(g_.Conj(minus), plus)));
    return g_.Complex(real, imag);
  }

  Value Acos() {
    Value plus = Sqrt(OnePlus(z_)), minus = Sqrt(OneMinus(z_));
    Value angle = Atan2(g_.Real(minus), g_.Real(plus));
    Value imag = Function("asinh", g_.Imag(g_.Mul(g_.Conj(plus), minus)));
    return g_.Complex(g_.Add(angle, angle), imag);
  }

  Value Acosh() {
    Value below = g_.Complex(g_.Sub(g_.Real(z_), g_.Like(g_.Real(z_), 1)), g_.Imag(z_));
    Value plus = Sqrt(OnePlus(z_)), minus = Sqrt(below);
    Value real = Function("asinh", g_.Real(g_.Mul(g_.Conj(minus), plus)));
    Value angle = Atan2(g_.Imag(minus), g_.Real(plus));
    return g_.Complex(real, g_.Add(angle, angle));
  }

  // log1p(4x / ((1-x)^2 + y^2)) / 4 + i atan2(2y, (1-x)(1+x) - y^2) / 2.
  Value Atanh() {
    Value x = g_.Real(z_), y = g_.Imag(z_), one = g_.Like(x, 1);
    Value below = g_.Sub(one, x), squared = g_.Mul(y, y);
    Value ratio = g_.Div(g_.Mul(g_.Like(x, 4), x), g_.Add(g_.Mul(below, below), squared));
    Value real = g_.Mul(g_.Like(x, 0.25), g_.Unary<stablehlo::Log1pOp>(ratio));
    Value angle = Atan2(g_.Add(y, y), g_.Sub(g_.Mul(below, g_.Add(one, x)), squared));
    return g_.Complex(real, g_.Mul(g_.Like(x, 0.5), angle));
  }

  // The common part of asin, acos and their hyperbolic counterparts: the real part is
  // that of sqrt(1 - z) sqrt(1 + z), the imaginary part is the absolute value of
  // asin(z)'s.
  Value AsinAcosKernel() {
    Value plus = Sqrt(OnePlus(z_)), minus = Sqrt(OneMinus(z_));
    Value imag = Function("asinh", g_.Imag(g_.Mul(g_.Conj(minus), plus)));
    return g_.Complex(g_.Real(g_.Mul(minus, plus)), g_.Abs(imag));
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
