// f32 and f64 arithmetic and elementary functions as LLVM IR, on scalars or fixed
// vectors. Built for one insertion point; used by the thread that owns the LLVMContext.
//
// Everything is straight-line code with selects, except the range reduction of huge
// angles and Remainder, which add rarely executed blocks. No fast-math flags are set,
// because the error bounds (accuracy.cc) depend on the order of operations.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_FLOAT_MATH_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_FLOAT_MATH_H_

#include <span>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"
#include "tenon/compiler/math/polynomials.h"

namespace tenon::compiler {

class FloatMath {
 public:
  using Value = llvm::Value;

  // `type` is float, double or a fixed vector of either. All operands below have this
  // type unless stated.
  FloatMath(llvm::IRBuilderBase& builder, llvm::Type* type,
            const ElementwiseOptions& options);

  llvm::IRBuilderBase& builder() const { return builder_; }
  const ElementwiseOptions& options() const { return options_; }
  bool is_f64() const { return is_f64_; }
  llvm::Type* type() const { return type_; }
  llvm::Type* int_type() const { return int_type_; }  // same lanes, same width
  int lanes() const;                                  // 1 for a scalar

  // Constants in every lane.
  Value* Const(double value) const;
  Value* Int(uint64_t value) const;
  Value* Inf() const;
  Value* Nan() const;
  Value* MinNormal() const;

  Value* Add(Value* a, Value* b) { return builder_.CreateFAdd(a, b); }
  Value* Sub(Value* a, Value* b) { return builder_.CreateFSub(a, b); }
  Value* Mul(Value* a, Value* b) { return builder_.CreateFMul(a, b); }
  Value* Div(Value* a, Value* b) { return builder_.CreateFDiv(a, b); }
  Value* Neg(Value* a) { return builder_.CreateFNeg(a); }
  // a * b + c, rounded once or twice, whichever is faster.
  Value* Fma(Value* a, Value* b, Value* c);
  // a * b + c with an exact product. Longer code on targets without FMA.
  Value* ExactFma(Value* a, Value* b, Value* c);
  Value* Abs(Value* a);
  Value* CopySign(Value* magnitude, Value* sign);
  Value* Sqrt(Value* a);
  Value* RoundEven(Value* a);
  Value* Floor(Value* a);
  Value* Ceil(Value* a);
  Value* Trunc(Value* a);
  // Halves are rounded away from zero.
  Value* RoundAwayFromZero(Value* a);
  Value* Select(Value* condition, Value* a, Value* b) {
    return builder_.CreateSelect(condition, a, b);
  }
  // Ordered comparisons: false for NaN.
  Value* Lt(Value* a, Value* b) { return builder_.CreateFCmpOLT(a, b); }
  Value* Gt(Value* a, Value* b) { return builder_.CreateFCmpOGT(a, b); }
  Value* Le(Value* a, Value* b) { return builder_.CreateFCmpOLE(a, b); }
  Value* Ge(Value* a, Value* b) { return builder_.CreateFCmpOGE(a, b); }
  Value* Eq(Value* a, Value* b) { return builder_.CreateFCmpOEQ(a, b); }
  Value* Unordered(Value* a, Value* b) { return builder_.CreateFCmpUNO(a, b); }
  Value* IsFinite(Value* a) { return Lt(Abs(a), Inf()); }
  Value* SignBit(Value* a);  // i1: also of -0 and NaN
  Value* ToBits(Value* a) { return builder_.CreateBitCast(a, int_type_); }
  Value* FromBits(Value* bits) { return builder_.CreateBitCast(bits, type_); }

  // The result is NaN if either operand is NaN. -0 < +0.
  Value* Minimum(Value* a, Value* b);
  Value* Maximum(Value* a, Value* b);
  Value* Sign(Value* a);
  // The exact remainder with the dividend's sign, as C's fmod.
  Value* Remainder(Value* a, Value* b);

  // Emits a cold block that is executed if any lane of `condition` is true. `compute`
  // replaces `values` there, for all lanes; lanes with a false condition keep their
  // values.
  void ReplaceOnRarePath(Value* condition, llvm::MutableArrayRef<Value*> values,
                         llvm::function_ref<void(llvm::MutableArrayRef<Value*>)> compute);

  // The constant term is first.
  Value* Polynomial(Value* x, std::span<const double> coefficients);
  // A polynomial with one table for f32 and one for f64.
  template <size_t N, size_t M>
  Value* Polynomial(Value* x, const double (&f32)[N], const double (&f64)[M]) {
    return is_f64_ ? Polynomial(x, std::span<const double>(f64))
                   : Polynomial(x, std::span<const double>(f32));
  }
  Value* Pick(double f32, double f64) const { return Const(is_f64_ ? f64 : f32); }
  // Whether functions are piecewise polynomials, which look up coefficients in a table
  // and need no division.
  bool has_pieces() const { return options_.look_up && !is_f64_; }
  // The function of the pieces at a >= 0; NaN for NaN. Takes those that fit the target's
  // tables. Requires has_pieces().
  template <size_t N, size_t M>
  Value* EvaluatePieces(Value* a, const Pieces<16, N>& long_table,
                        const Pieces<8, M>& short_table) {
    return options_.look_up_entries == 16 ? EvaluatePieces(a, long_table)
                                          : EvaluatePieces(a, short_table);
  }

  Value* Exp(Value* x);
  Value* Expm1(Value* x);
  Value* Logistic(Value* x);
  Value* Tanh(Value* x);
  Value* Sinh(Value* x);
  Value* Cosh(Value* x);
  Value* Log(Value* x);
  Value* Log1p(Value* x);
  Value* Asinh(Value* x);
  Value* Acosh(Value* x);
  Value* Atanh(Value* x);
  Value* Rsqrt(Value* x) { return Div(Const(1), Sqrt(x)); }
  Value* Cbrt(Value* x);
  Value* Hypot(Value* a, Value* b);
  struct Scale {
    Value* up;
    Value* down;
  };
  // `up` is the largest power of two that is at most max(|a|, |b|), but clamped so that a
  // quarter of `up` and of `down` is a normal number. `down` is 1 / up.
  Scale PowerOfTwoBelow(Value* a, Value* b);
  // c + a^2 + b^2. The result is almost exact unless the sum is much smaller than an ulp
  // of its largest term.
  Value* SumOfSquares(Value* c, Value* a, Value* b);
  Value* Pow(Value* x, Value* y);
  Value* Sin(Value* x);
  Value* Cos(Value* x);
  Value* Tan(Value* x);
  // Sine and cosine together cost little more than one of them.
  void SinCos(Value* x, Value** sine, Value** cosine);
  Value* Atan(Value* x) { return Atan2(x, Const(1)); }
  Value* Atan2(Value* y, Value* x);
  Value* Asin(Value* x);
  Value* Acos(Value* x);
  Value* Erf(Value* x);
  Value* Erfc(Value* x);
  Value* ErfInv(Value* x);

 private:
  // An unevaluated sum hi + lo. |lo| is at most half an ulp of hi.
  struct Pair {
    Value* hi;
    Value* lo;
  };
  // x = quadrant * pi/2 + r for finite x >= 0, else NaN. |r| is at most slightly more
  // than pi/4.
  struct Angle {
    Value* r;
    Value* tail;      // correction of r; null unless requested
    Value* quadrant;  // int_type(); only the two low bits are valid
  };

  template <size_t kCount, size_t kTerms>
  Value* EvaluatePieces(Value* a, const Pieces<kCount, kTerms>& pieces);

  Pair TwoSum(Value* a, Value* b);      // exact
  Pair FastTwoSum(Value* a, Value* b);  // exact if |a| >= |b|
  Pair TwoProduct(Value* a, Value* b);  // exact

  // e^(x + tail), without handling overflow, underflow and NaN.
  Value* ExpInRange(Value* x, Value* tail);
  // e^(x + tail), with overflow, underflow and NaN.
  Value* ExpWithTail(Value* x, Value* tail);
  // Computes n = round(x / ln 2) and r = x - n ln 2. `shifted` has n in its low bits.
  void ReduceByLn2(Value* x, Value** shifted, Value** n, Value** r);
  // Splits a normal x > 0 into 2^k and the mantissa, which is in [lowest_mantissa, 2
  // lowest_mantissa).
  void SplitExponent(Value* x, double lowest_mantissa, Value** k, Value** mantissa);
  // log(2^k (1 + f)).
  Value* LogOfParts(Value* k, Value* f);
  // log x for a normal x > 0.
  Pair LogPair(Value* x);
  Value* LogSpecialCases(Value* x, Value* result);

  Angle ReduceAngle(Value* x, bool with_tail);
  Angle ReduceHugeF32(Value* x);
  Angle ReduceHugeF64(Value* x);
  Angle ReduceHugeF64Lane(Value* x);
  Value* SinPolynomial(Value* r, Value* z);
  Value* CosPolynomial(Value* z);
  // Flips the sign of `value` in lanes where bit 1 of `quadrant` is set.
  Value* FlipByQuadrant(Value* value, Value* quadrant);
  Value* QuadrantIsOdd(Value* quadrant);
  Value* AsinPolynomial(Value* s, Value* z);
  Value* HalfExp(Value* x);  // e^x / 2, also where e^x overflows

  Value* UnaryIntrinsic(llvm::Intrinsic::ID id, Value* a) {
    return builder_.CreateUnaryIntrinsic(id, a);
  }

  llvm::IRBuilderBase& builder_;
  llvm::Type* type_;
  llvm::Type* int_type_;
  bool is_f64_;
  ElementwiseOptions options_;
};

template <size_t kCount, size_t kTerms>
llvm::Value* FloatMath::EvaluatePieces(Value* a, const Pieces<kCount, kTerms>& pieces) {
  const int dropped = 23 - pieces.mantissa_bits;
  a = Select(Gt(a, Const(pieces.top)), Const(pieces.top), a);
  Value* bits = ToBits(Fma(a, Const(pieces.scale), Const(pieces.offset)));
  Value* kept = Int(~((uint64_t{1} << dropped) - 1));
  Value* start = Sub(FromBits(builder_.CreateAnd(bits, kept)), Const(pieces.offset));
  Value* number = builder_.CreateLShr(bits, Int(dropped));
  auto coefficient = [&](const double (&row)[kCount]) {
    float entries[kCount];
    std::copy(std::begin(row), std::end(row), entries);
    llvm::LLVMContext& context = builder_.getContext();
    return options_.look_up(
        builder_, llvm::ConstantDataVector::get(context, llvm::ArrayRef(entries)),
        number);
  };
  Value* rest = Fma(a, Const(pieces.scale), Neg(start));
  Value* sum = coefficient(pieces.coefficients[kTerms - 1]);
  for (size_t k = kTerms - 1; k-- > 0;)
    sum = Fma(sum, rest, coefficient(pieces.coefficients[k]));
  return sum;
}

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_FLOAT_MATH_H_
