#include "tenon/compiler/pipeline/expand_long_ffts.h"

#include <bit>
#include <numbers>

#include "tenon/compiler/codegen/fft/roots.h"
#include "tenon/compiler/legalize/split_fft.h"
#include "tenon/compiler/plan/group_fft_plan.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using stablehlo::FftType;

// Up to this many numbers of a convolution, the compiler makes its tables. They are in
// the image, 12 bytes for each number of c64, and take five times that while they are
// made.
constexpr int64_t kMaxTabulated = int64_t{1} << 22;

// Whether groups can transform the last dimensions of the operand, as if they had these
// lengths.
bool HasPlan(stablehlo::FftOp op, Dims lengths, RealSide real_side,
             const TargetTraits& traits) {
  Value x = op.getOperand();
  FftSpec spec;
  spec.real = RealOf(ElementOf(x)).isF64() ? ElementType::kF64 : ElementType::kF32;
  spec.real_side = real_side;
  spec.lengths.assign(lengths.begin(), lengths.end());
  spec.outer = Product(ShapeOf(x).drop_back(lengths.size()));
  return PlanGroupFft(spec, traits).has_value();
}
bool HasPlan(stablehlo::FftOp op, const TargetTraits& traits) {
  const FftType kind = op.getFftType();
  const RealSide side = kind == FftType::RFFT    ? RealSide::kInput
                        : kind == FftType::IRFFT ? RealSide::kOutput
                                                 : RealSide::kNone;
  return HasPlan(op, op.getFftLength(), side, traits);
}

// Bluestein: X[k] = chirp[k] times the sum of x[j] chirp[j] / chirp[k - j] over j, which
// is a convolution with 1 / chirp.
// The filter is divided by the length of the convolution, so that nothing in between is
// larger than the results by more than a small factor.
struct Factors {
  Value before;  // the chirp
  Value filter;  // the transform of 1 / chirp, divided by `padded`, its length
  Value after;   // the chirp, divided by n for an inverse transform
};

Factors Tabulated(GraphBuilder& g, mlir::Type element, bool inverse, int64_t n,
                  int64_t padded) {
  std::vector<std::complex<double>> chirp = codegen::Chirp(n);
  if (inverse)
    for (auto& root : chirp) root = std::conj(root);
  std::vector<std::complex<double>> filter(static_cast<size_t>(padded));
  for (size_t j = 0; j < chirp.size(); ++j) {
    filter[j] = std::conj(chirp[j]);
    if (j > 0) filter[filter.size() - j] = filter[j];
  }
  codegen::TransformConstants(filter);
  for (auto& number : filter) number /= static_cast<double>(padded);
  Factors factors;
  factors.before = factors.after = g.Table(element, {n}, chirp);
  factors.filter = g.Table(element, {padded}, filter);
  if (inverse) {
    for (auto& root : chirp) root /= static_cast<double>(n);
    factors.after = g.Table(element, {n}, chirp);
  }
  return factors;
}

// By the device, which has f64: only those with much local memory transform so many
// numbers of c64. Angles are exact to the rounding of f64, since squares are reduced as
// integers: n is below 2^31.
Factors Computed(GraphBuilder& g, mlir::Type element, bool inverse, int64_t n,
                 int64_t padded) {
  Value j = g.Iota(g.builder().getI64Type(), {n}, 0);
  Value square = g.Binary<stablehlo::RemOp>(
      g.Mul(j, j), g.IntegerLike(j, static_cast<uint64_t>(2 * n)));
  Value turns = g.Convert(square, g.builder().getF64Type());
  Value angle = g.Mul(turns, g.Like(turns, std::numbers::pi / static_cast<double>(n)));
  Value re = g.Convert(g.Unary<stablehlo::CosineOp>(angle), RealOf(element));
  Value im = g.Convert(g.Unary<stablehlo::SineOp>(angle), RealOf(element));
  Value inverse_chirp = g.Complex(re, im), chirp = g.Conj(inverse_chirp);
  if (inverse) std::swap(chirp, inverse_chirp);
  Value gap = g.Constant(element, {padded - 2 * n + 1}, 0);
  Value mirrored = g.Reverse(g.SliceDim(inverse_chirp, 0, 1, n), {0});
  Factors factors;
  factors.before = factors.after = chirp;
  factors.filter = TransformLast(g, g.Concatenate({inverse_chirp, gap, mirrored}, 0),
                                 FftType::FFT, padded);
  factors.filter =
      g.Mul(factors.filter, g.Like(factors.filter, 1 / static_cast<double>(padded)));
  if (inverse) factors.after = g.Mul(chirp, g.Like(chirp, 1 / static_cast<double>(n)));
  return factors;
}

// `padded` is at least 2 n - 1. The convolution is by two transforms of that length.
Value Convolve(GraphBuilder& g, Value x, bool inverse, int64_t padded) {
  const DimList shape(ShapeOf(x));
  const int64_t n = shape.back(), last = static_cast<int64_t>(shape.size()) - 1;
  const auto make = padded <= kMaxTabulated ? Tabulated : Computed;
  const Factors factors = make(g, ElementOf(x), inverse, n, padded);
  auto times = [&](Value value, Value by) {
    return g.Mul(value, g.Broadcast(by, ShapeOf(value), {last}));
  };
  const DimList none(shape.size(), 0);
  DimList added = none;
  added.back() = padded - n;
  x = g.Pad(times(x, factors.before), g.Constant(ElementOf(x), {}, 0), none, added);
  x = times(TransformLast(g, x, FftType::FFT, padded), factors.filter);
  // An inverse transform that does not divide.
  x = TransformLast(g, g.Conj(x), FftType::FFT, padded);
  return times(g.Conj(g.SliceDim(x, last, 0, n)), factors.after);
}

// All numbers of a spectrum of `n` of which the first n / 2 + 1 are given: those of a
// transform of reals.
Value WholeSpectrum(GraphBuilder& g, Value x, int64_t n) {
  const int64_t last = TypeOf(x).getRank() - 1;
  if (n < 3) return x;
  Value rest = g.SliceDim(x, last, 1, (n - 1) / 2 + 1);
  return g.Concatenate({x, g.Conj(g.Reverse(rest, {last}))}, last);
}

// A transform of one dimension, of length `n`.
Value Expand(GraphBuilder& g, stablehlo::FftOp op, int64_t n, int64_t padded) {
  Value x = op.getOperand();
  const int64_t last = TypeOf(x).getRank() - 1;
  switch (op.getFftType()) {
    case FftType::FFT:
      return Convolve(g, x, /*inverse=*/false, padded);
    case FftType::IFFT:
      return Convolve(g, x, /*inverse=*/true, padded);
    case FftType::RFFT:
      x = Convolve(g, g.Complex(x, g.Like(x, 0)), /*inverse=*/false, padded);
      return g.SliceDim(x, last, 0, n / 2 + 1);
    case FftType::IRFFT:
      return g.Real(Convolve(g, WholeSpectrum(g, x, n), /*inverse=*/true, padded));
  }
  return nullptr;
}

}  // namespace

void ExpandLongFfts(mlir::func::FuncOp entry, const TargetTraits& traits) {
  llvm::SmallVector<stablehlo::FftOp> ops;
  auto collect = [&] {
    ops.clear();
    entry.walk([&](stablehlo::FftOp op) {
      if (TypeOf(op.getOperand()).getNumElements() > 0 && !HasPlan(op, traits))
        ops.push_back(op);
    });
  };
  collect();
  for (stablehlo::FftOp op : ops) {
    if (op.getFftLength().size() < 2) continue;
    mlir::OpBuilder b(op);
    GraphBuilder g(b, op.getLoc());
    op.replaceAllUsesWith(TransformEachDimension(g, op));
    op.erase();
  }
  collect();
  for (stablehlo::FftOp op : ops) {
    const int64_t n = op.getFftLength()[0];
    const auto padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n)));
    if (!HasPlan(op, {padded}, RealSide::kNone, traits)) continue;
    mlir::OpBuilder b(op);
    GraphBuilder g(b, op.getLoc());
    op.replaceAllUsesWith(Expand(g, op, n, padded));
    op.erase();
  }
}

}  // namespace tenon::compiler
