// Complex arithmetic over FloatMath. Where the plain formula would give NaN, the results
// are the infinities and zeros of C99's Annex G. Lives as long as the FloatMath it uses;
// same thread rule.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_COMPLEX_MATH_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_COMPLEX_MATH_H_

#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

struct ComplexValue {
  llvm::Value* re;
  llvm::Value* im;
};

class ComplexMath {
 public:
  explicit ComplexMath(FloatMath& f) : f_(f) {}

  ComplexValue Add(ComplexValue a, ComplexValue b);
  ComplexValue Sub(ComplexValue a, ComplexValue b);
  // The plain formula, as in XLA: infinities may give NaN.
  ComplexValue Mul(ComplexValue a, ComplexValue b);
  ComplexValue Div(ComplexValue a, ComplexValue b);
  ComplexValue Neg(ComplexValue a) { return {f_.Neg(a.re), f_.Neg(a.im)}; }
  llvm::Value* Abs(ComplexValue a) { return f_.Hypot(a.re, a.im); }
  // z / |z|, and 0 for 0.
  ComplexValue Sign(ComplexValue a);
  ComplexValue Exp(ComplexValue a);
  ComplexValue Expm1(ComplexValue a);
  ComplexValue Log(ComplexValue a);
  ComplexValue Log1p(ComplexValue a);
  ComplexValue Logistic(ComplexValue a);
  ComplexValue Sqrt(ComplexValue a);
  ComplexValue Rsqrt(ComplexValue a);
  ComplexValue Cbrt(ComplexValue a);
  ComplexValue Pow(ComplexValue a, ComplexValue b);
  ComplexValue Sin(ComplexValue a);
  ComplexValue Cos(ComplexValue a);
  ComplexValue Tan(ComplexValue a);
  ComplexValue Tanh(ComplexValue a);
  ComplexValue Atan2(ComplexValue y, ComplexValue x);

 private:
  // log |a|. LogFarFromOne is only accurate if |a| is not near 1.
  llvm::Value* LogAbs(ComplexValue a);
  llvm::Value* LogFarFromOne(ComplexValue a);
  ComplexValue Select(llvm::Value* condition, ComplexValue a, ComplexValue b);

  FloatMath& f_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_COMPLEX_MATH_H_
