// Gamma functions, the Hurwitz zeta function and a Bessel function.
#include <cmath>
#include <limits>
#include <numbers>

#include "tenon/compiler/legalize/chlo_functions.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using enum stablehlo::ComparisonDirection;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Lanczos's approximation with g = 7: gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t A(z),
// where t = z + g + 1/2 and A(z) = c_0 + sum of c_k / (z + k).
constexpr double kLanczosG = 7;
constexpr double kLanczos[] = {
    0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
    771.32342877765313,   -176.61502916214059,   12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};

// B_2j / (2j)!: the terms of the Euler-Maclaurin formula.
constexpr double kBernoulliOverFactorial[] = {
    1.0 / 12,
    -1.0 / 720,
    1.0 / 30240,
    -1.0 / 1209600,
    1.0 / 47900160,
    -691.0 / 1307674368000,
    1.0 / 74724249600,
    -3617.0 / 10670622842880000,
    43867.0 / 5109094217170944000,
    -174611.0 / 802857662698291200000.0,
};

// Chebyshev series of I1(x) e^-x / x for x in [0, 8], in the variable x / 4 - 1, and of
// I1(x) e^-x sqrt(x) for x >= 8, in 16 / x - 1. Fitted to SciPy's i1e.
constexpr double kBesselSmall[] = {
    0.12629359322181682,     -0.17641651835783403,    0.10264365868984707,
    -0.05294598120809494,    0.02472644903062645,     -0.010564084894626161,
    0.00415642294431287,     -0.0015135724506312243,  0.0005122859561685502,
    -0.00016176081582587322, 4.7815651075450716e-05,  -1.3273163655881381e-05,
    3.470251308128683e-06,   -8.568720265250685e-07,  2.0032947533277224e-07,
    -4.445059115898431e-08,  9.381537326366707e-09,   -1.887249752585696e-09,
    3.6255899019121964e-10,  -6.663479351631807e-11,  1.173616329119831e-11,
    -1.983992137244428e-12,  3.2223321233537664e-13,  -5.035916128548479e-14,
    7.562145354356175e-15,   -1.0920431225969196e-15, 1.3378187446733137e-16,
};
constexpr double kBesselLarge[] = {
    0.3892881175091401,      -0.00976109749136139,   -0.00011058893876265685,
    -3.882564808890266e-06,  -2.512236238394472e-07, -2.631468843716789e-08,
    -3.835380377736897e-09,  -5.589743246048329e-10, -1.897497492464595e-11,
    3.2526035198543466e-11,  1.412577610437893e-11,  2.035767110442066e-12,
    -7.198752705050993e-13,  -4.084022009465116e-13, -2.1020962748252714e-14,
    4.284128607423554e-14,   1.0373923942097462e-14, -3.8613556796462946e-15,
    -1.9029222642075184e-15, 4.2410519540680983e-16, 2.5202062658991054e-16,
    -1.7763568394002505e-17,
};
// the rest is below 2^-25
constexpr size_t kBesselSmallTerms32 = 18, kBesselLargeTerms32 = 10;

class Series {
 public:
  explicit Series(GraphBuilder& g) : g_(g) {}

  Value Plus(Value x, double term) { return g_.Add(x, g_.Like(x, term)); }
  Value Times(Value x, double factor) { return g_.Mul(x, g_.Like(x, factor)); }
  Value CompareTo(Value x, double number, stablehlo::ComparisonDirection how) {
    return g_.Compare(x, g_.Like(x, number), how);
  }
  Value Log(Value x) { return g_.Unary<stablehlo::LogOp>(x); }
  Value Floor(Value x) { return g_.Unary<stablehlo::FloorOp>(x); }
  Value Negate(Value x) { return g_.Unary<stablehlo::NegOp>(x); }
  Value Pow(Value x, Value y) { return g_.Binary<stablehlo::PowOp>(x, y); }

  // Below 1/2 functions are computed by reflection: z + 1 is x or 1 - x, so it is at
  // least 1/2.
  Value IsReflected(Value x) { return CompareTo(x, 0.5, LT); }
  Value Reflected(Value x) { return g_.Select(IsReflected(x), Negate(x), Plus(x, -1)); }
  // log(z + g + 1/2), exact for small z.
  Value LogOfT(Value z) {
    const double shift = kLanczosG + 0.5;
    return Plus(g_.Unary<stablehlo::Log1pOp>(Times(z, 1 / shift)), std::log(shift));
  }
  Value LanczosSum(Value z) {
    Value sum = g_.Like(z, kLanczos[0]);
    for (size_t k = 1; k < std::size(kLanczos); ++k)
      sum = g_.Add(sum, g_.Div(g_.Like(z, kLanczos[k]), Plus(z, k)));
    return sum;
  }
  Value LanczosDerivative(Value z) {
    Value sum = g_.Like(z, 0);
    for (size_t k = 1; k < std::size(kLanczos); ++k) {
      Value term = Plus(z, k);
      sum = g_.Sub(sum, g_.Div(g_.Like(z, kLanczos[k]), g_.Mul(term, term)));
    }
    return sum;
  }
  // Evaluates a Chebyshev series by Clenshaw's recurrence.
  Value Chebyshev(Value x, llvm::ArrayRef<double> coefficients) {
    Value twice = g_.Add(x, x), before = g_.Like(x, 0), last = before;
    for (double coefficient : llvm::reverse(coefficients.drop_front())) {
      Value next = Plus(g_.Sub(g_.Mul(twice, last), before), coefficient);
      before = last;
      last = next;
    }
    return Plus(g_.Sub(g_.Mul(x, last), before), coefficients[0]);
  }

 private:
  GraphBuilder& g_;
};

}  // namespace

Value BuildLgamma(GraphBuilder& g, Value x) {
  Series s(g);
  Value z = s.Reflected(x), log_t = s.LogOfT(z);
  Value t = s.Plus(z, kLanczosG + 0.5);
  // Computes (z + 1/2) log t - t as one product, because its terms are large and of
  // opposite signs.
  Value power = g.Mul(g.Sub(s.Plus(z, 0.5), g.Div(t, log_t)), log_t);
  Value result =
      s.Plus(g.Add(power, s.Log(s.LanczosSum(z))), 0.5 * std::log(2 * std::numbers::pi));
  // log|gamma(x)| = log(pi / |sin(pi x)|) - log|gamma(1 - x)|; infinite for integers.
  Value a = g.Abs(x), fraction = g.Sub(a, s.Floor(a));
  fraction =
      g.Select(s.CompareTo(fraction, 0.5, GT), g.Sub(g.Like(x, 1), fraction), fraction);
  Value sine = g.Unary<stablehlo::SineOp>(s.Times(fraction, std::numbers::pi));
  Value log_sine = s.Log(sine);
  Value reflected = g.Sub(g.Sub(g.Like(x, std::log(std::numbers::pi)), log_sine), result);
  reflected = g.Select(s.CompareTo(fraction, 0, EQ), g.Like(x, kInfinity), reflected);
  result = g.Select(s.IsReflected(x), reflected, result);
  return g.Select(s.CompareTo(a, kInfinity, EQ), g.Like(x, kInfinity), result);
}

Value BuildDigamma(GraphBuilder& g, Value x) {
  Series s(g);
  Value z = s.Reflected(x), t = s.Plus(z, kLanczosG + 0.5);
  Value ratio = g.Div(s.LanczosDerivative(z), s.LanczosSum(z));
  Value result = g.Sub(g.Add(s.LogOfT(z), ratio), g.Div(g.Like(x, kLanczosG), t));
  // digamma(x) = digamma(1 - x) - pi / tan(pi x), whose period is 1.
  Value rest = g.Sub(x, g.Unary<stablehlo::RoundNearestEvenOp>(x));
  Value angle = s.Times(rest, std::numbers::pi);
  Value cotangent =
      g.Div(g.Unary<stablehlo::CosineOp>(angle), g.Unary<stablehlo::SineOp>(angle));
  Value reflected = g.Sub(result, s.Times(cotangent, std::numbers::pi));
  result = g.Select(s.IsReflected(x), reflected, result);
  // Zero and the negative integers are poles, which give NaN.
  Value pole = g.And(s.CompareTo(x, 0, LE), g.Compare(x, s.Floor(x), EQ));
  return g.Select(pole, g.Like(x, kNan), result);
}

// Sums the first terms one by one and the rest by the Euler-Maclaurin formula from a = q
// + n on: a^(1-x) / (x - 1) + a^-x / 2 + sum of B_2j / (2j)! x (x + 1) ... (x + 2j - 2)
// a^(1-x-2j).
Value BuildZeta(GraphBuilder& g, Value x, Value q) {
  constexpr int kTerms = 9;
  Series s(g);
  Value minus_x = s.Negate(x), sum = s.Pow(q, minus_x), a = q;
  for (int k = 1; k < kTerms; ++k) {
    a = s.Plus(a, 1);
    sum = g.Add(sum, s.Pow(a, minus_x));
  }
  a = s.Plus(a, 1);
  Value power = s.Pow(a, minus_x), x_minus_1 = s.Plus(x, -1);
  sum = g.Add(sum, g.Div(g.Mul(power, a), x_minus_1));
  Value half = s.Times(power, 0.5);
  // The common ratio of the terms is multiplied step by step, because its factors alone
  // may overflow.
  Value square = g.Mul(a, a), factor = g.Div(x, a), tail = g.Like(x, 0);
  for (size_t j = 0; j < std::size(kBernoulliOverFactorial); ++j) {
    if (j > 0) {
      const double from = 2.0 * static_cast<double>(j) - 1;
      factor = g.Div(g.Mul(g.Mul(factor, s.Plus(x, from)), s.Plus(x, from + 1)), square);
    }
    tail = g.Add(tail, s.Times(factor, kBernoulliOverFactorial[j]));
  }
  Value result = g.Add(sum, g.Add(half, g.Mul(power, tail)));
  // If q^-x underflows to zero, so do all terms, but their factors may be infinite.
  Value vanished = g.And(s.CompareTo(power, 0, EQ), s.CompareTo(x, 1, GT));
  result = g.Select(vanished, sum, result);
  Value nan = g.Like(x, kNan), infinity = g.Like(x, kInfinity);
  Value not_positive = s.CompareTo(q, 0, LE);
  Value pole = g.And(not_positive, g.Compare(q, s.Floor(q), EQ));
  Value complex_power = g.And(not_positive, g.Compare(x, s.Floor(x), NE));
  result = g.Select(complex_power, nan, result);
  result = g.Select(pole, infinity, result);
  result = g.Select(s.CompareTo(x, 1, LT), nan, result);
  return g.Select(s.CompareTo(x, 1, EQ), infinity, result);
}

// (-1)^(n + 1) n! zeta(n + 1, x); digamma for n = 0.
Value BuildPolygamma(GraphBuilder& g, Value n, Value x) {
  Series s(g);
  Value next = s.Plus(n, 1);
  Value factorial = g.Unary<stablehlo::ExpOp>(BuildLgamma(g, next));
  Value half = s.Times(n, 0.5);
  Value even = g.Compare(half, s.Floor(half), EQ);
  Value sign = g.Select(even, g.Like(n, -1), g.Like(n, 1));
  Value result = g.Mul(g.Mul(sign, factorial), BuildZeta(g, next, x));
  result = g.Select(s.CompareTo(n, 0, EQ), BuildDigamma(g, x), result);
  Value no_order = g.Or(s.CompareTo(n, 0, LT), g.Compare(n, s.Floor(n), NE));
  return g.Select(no_order, g.Like(x, kNan), result);
}

Value BuildBesselI1e(GraphBuilder& g, Value x) {
  Series s(g);
  llvm::ArrayRef<double> small_terms(kBesselSmall), large_terms(kBesselLarge);
  if (!ElementOf(x).isF64()) {
    small_terms = small_terms.take_front(kBesselSmallTerms32);
    large_terms = large_terms.take_front(kBesselLargeTerms32);
  }
  Value a = g.Abs(x);
  Value small = g.Mul(s.Chebyshev(s.Plus(s.Times(a, 0.25), -1), small_terms), a);
  Value series = s.Chebyshev(s.Plus(g.Div(g.Like(x, 16), a), -1), large_terms);
  Value large = g.Div(series, g.Unary<stablehlo::SqrtOp>(a));
  Value result = g.Select(s.CompareTo(a, 8, LE), small, large);
  return g.Select(s.CompareTo(x, 0, LT), s.Negate(result), result);
}

}  // namespace tenon::compiler
