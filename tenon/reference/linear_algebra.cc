// cholesky and triangular_solve, computed in f64 or complex f64.
#include <cmath>
#include <limits>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/accumulate.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {
namespace {

double Conjugate(double x) { return x; }
std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }

// Returns the lower factor of the n x n matrix with elements at(i, j), i >= j; all NaN if
// the matrix is not positive definite.
template <typename T, typename At>
std::vector<T> LowerFactor(int64_t n, At at) {
  std::vector<T> factor(n * n, T(0));
  for (int64_t j = 0; j < n; ++j) {
    double pivot = std::real(at(j, j));
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(factor[j * n + k]);
    if (!(pivot > 0)) {
      std::fill(factor.begin(), factor.end(),
                T(std::numeric_limits<double>::quiet_NaN()));
      return factor;
    }
    const double root = std::sqrt(pivot);
    factor[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      T sum = at(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= Product(factor[i * n + k], Conjugate(factor[j * n + k]));
      factor[i * n + j] = sum / root;
    }
  }
  return factor;
}

template <typename T>
void Cholesky(const Literal& operand, bool lower, Literal& result, bool flush) {
  const std::vector<T> a = ToAccumulator<T>(operand, flush);
  const int64_t n = operand.dims().back();
  uint8_t* out = result.mutable_data();
  std::vector<T> stored(n * n);
  for (int64_t base = 0; base < operand.count(); base += n * n) {
    const T* matrix = a.data() + base;
    const std::vector<T> factor = LowerFactor<T>(n, [&](int64_t i, int64_t j) {
      return lower ? matrix[i * n + j] : Conjugate(matrix[j * n + i]);
    });
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        stored[i * n + j] = lower ? factor[i * n + j] : Conjugate(factor[j * n + i]);
    FromAccumulator(result.type(), stored.data(),
                    out + base * ElementBytes(result.type()), n * n, flush);
  }
}

// Solves op(a) x = b in place for `columns` right-hand sides x[i * row + c * column].
template <typename T, typename At>
void Substitute(int64_t n, bool lower, bool unit, At at, T* x, int64_t row,
                int64_t columns, int64_t column) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = lower ? step : n - 1 - step;
      T sum = x[i * row + c * column];
      for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k)
        sum -= Product(at(i, k), x[k * row + c * column]);
      x[i * row + c * column] = unit ? sum : sum / at(i, i);
    }
}

template <typename T>
void TriangularSolve(stablehlo::TriangularSolveOp op, const Literal& a_literal,
                     const Literal& b_literal, Literal& result, bool flush) {
  const std::vector<T> a = ToAccumulator<T>(a_literal, flush);
  std::vector<T> x = ToAccumulator<T>(b_literal, flush);
  const int64_t n = a_literal.dims().back();
  const Dims& dims = b_literal.dims();
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  const bool transposed = op.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE;
  const bool conjugated = op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  const bool left = op.getLeftSide(), unit = op.getUnitDiagonal();
  // If op(a) is on the right, x op(a) = b is solved as op(a)^T x^T = b^T.
  const bool swap = transposed == left;
  const bool lower = op.getLower() != swap;
  for (int64_t batch = 0; batch < static_cast<int64_t>(x.size()) / (rows * columns);
       ++batch) {
    const T* matrix = a.data() + batch * n * n;
    const auto at = [&](int64_t i, int64_t j) {
      const T value = swap ? matrix[j * n + i] : matrix[i * n + j];
      return conjugated ? Conjugate(value) : value;
    };
    T* data = x.data() + batch * rows * columns;
    if (left)
      Substitute<T>(n, lower, unit, at, data, columns, columns, 1);
    else
      Substitute<T>(n, lower, unit, at, data, 1, rows, columns);
  }
  FromAccumulator(result.type(), x.data(), result.mutable_data(), result.count(), flush);
}

}  // namespace

// The triangle that is not computed is filled with zeros.
Status EvalCholesky(OpContext& context) {
  auto op = llvm::cast<stablehlo::CholeskyOp>(context.op);
  const Literal& a = context.operands[0];
  if (a.rank() < 2 || a.dims()[a.rank() - 2] != a.dims().back())
    return InvalidArgument("operand " + DimsString(a.dims()) +
                           " does not hold square matrices");
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(a.type(), a.dims()));
  if (result.count()) {
    if (AccumulationOf(a.type()) == Accumulation::kComplex)
      Cholesky<std::complex<double>>(a, op.getLower(), result, context.flush_denormals());
    else
      Cholesky<double>(a, op.getLower(), result, context.flush_denormals());
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

Status EvalTriangularSolve(OpContext& context) {
  auto op = llvm::cast<stablehlo::TriangularSolveOp>(context.op);
  const Literal& a = context.operands[0];
  const Literal& b = context.operands[1];
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(b.type(), b.dims()));
  if (result.count()) {
    if (AccumulationOf(a.type()) == Accumulation::kComplex)
      TriangularSolve<std::complex<double>>(op, a, b, result, context.flush_denormals());
    else
      TriangularSolve<double>(op, a, b, result, context.flush_denormals());
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
