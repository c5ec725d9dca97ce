#include "tenon/compiler/pipeline/expand_long_ffts.h"

#include <bit>

#include "tenon/compiler/codegen/fft/roots.h"
#include "tenon/compiler/legalize/split_fft.h"
#include "tenon/compiler/plan/group_fft_plan.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using stablehlo::FftType;

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
// is a convolution. It is one of `padded` numbers, at least 2 n - 1, by two transforms.
Value Convolve(GraphBuilder& g, Value x, bool inverse, int64_t padded) {
  const DimList shape(ShapeOf(x));
  const int64_t n = shape.back(), last = static_cast<int64_t>(shape.size()) - 1;
  std::vector<std::complex<double>> chirp = codegen::Chirp(n);
  if (inverse)
    for (auto& root : chirp) root = std::conj(root);
  std::vector<std::complex<double>> filter(static_cast<size_t>(padded));
  for (size_t j = 0; j < chirp.size(); ++j) {
    filter[j] = std::conj(chirp[j]);
    if (j > 0) filter[filter.size() - j] = filter[j];
  }
  codegen::TransformConstants(filter);
  const mlir::Type element = ElementOf(x);
  auto times = [&](Value value, llvm::ArrayRef<std::complex<double>> factors) {
    const auto count = static_cast<int64_t>(factors.size());
    Value table = g.Table(element, {count}, factors);
    return g.Mul(value, g.Broadcast(table, ShapeOf(value), {last}));
  };
  const DimList none(shape.size(), 0);
  DimList added = none;
  added.back() = padded - n;
  x = g.Pad(times(x, chirp), g.Constant(element, {}, 0), none, added);
  x = times(TransformLast(g, x, FftType::FFT, padded), filter);
  x = g.SliceDim(TransformLast(g, x, FftType::IFFT, padded), last, 0, n);
  if (inverse)
    for (auto& root : chirp) root /= static_cast<double>(n);
  return times(x, chirp);
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
