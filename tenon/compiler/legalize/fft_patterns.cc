// Splits discrete Fourier transforms that have no kernel. These have several dimensions,
// of which one other than the last has a large prime factor, is long or has one element;
// they become transforms of one dimension each. Transforms of empty arrays and of length
// one are removed.
#include "tenon/compiler/analysis/fft_lengths.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/compiler/legalize/split_fft.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using stablehlo::FftType;

// Whether the transform has a kernel. The lengths are those of the longer side, the real
// one if one side is real.
bool HasKernel(stablehlo::FftOp op) {
  DimList shape(ShapeOf(op.getOperand()));
  Dims lengths = op.getFftLength();
  llvm::copy(lengths, shape.end() - lengths.size());
  FftType kind = op.getFftType();
  return HasFftKernel(shape, lengths.size(),
                      kind == FftType::RFFT || kind == FftType::IRFFT);
}

LogicalResult RewriteFft(stablehlo::FftOp op, PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  auto type = TypeOf(op.getOperand()), result_type = TypeOf(op.getResult());
  if (result_type.getNumElements() == 0 || type.getNumElements() == 0) {
    rewriter.replaceOp(op, g.Like(op.getResult(), 0));
    return mlir::success();
  }
  Dims lengths = op.getFftLength();
  const size_t count = lengths.size();
  if (count == 0) return mlir::failure();
  if (HasKernel(op)) return mlir::failure();
  if (count == 1 && lengths[0] != 1) return mlir::failure();  // too long for a kernel

  rewriter.replaceOp(op, TransformEachDimension(g, op));
  return mlir::success();
}

}  // namespace

Value TransformLast(GraphBuilder& g, Value x, FftType kind, int64_t length) {
  if (length == 1) {
    if (kind == FftType::RFFT) return g.Complex(x, g.Like(x, 0));
    return kind == FftType::IRFFT ? g.Real(x) : x;
  }
  DimList shape(ShapeOf(x));
  mlir::Type element = ElementOf(x);
  if (kind == FftType::RFFT) {
    shape.back() = length / 2 + 1;
    element = mlir::ComplexType::get(element);
  } else if (kind == FftType::IRFFT) {
    shape.back() = length;
    element = RealOf(element);
  }
  return stablehlo::FftOp::create(g.builder(), g.loc(),
                                  mlir::RankedTensorType::get(shape, element), x, kind,
                                  llvm::ArrayRef<int64_t>{length});
}

Value TransformEachDimension(GraphBuilder& g, stablehlo::FftOp op) {
  FftType kind = op.getFftType();
  Dims lengths = op.getFftLength();
  const int64_t count = lengths.size(), rank = TypeOf(op.getOperand()).getRank();
  const bool inverse = kind == FftType::IFFT || kind == FftType::IRFFT;
  Value x = op.getOperand();
  // RFFT halves the last dimension, so it goes first; IRFFT doubles it, so it goes last.
  // The other dimensions then transform fewer numbers.
  if (kind != FftType::IRFFT) x = TransformLast(g, x, kind, lengths.back());
  FftType other = inverse ? FftType::IFFT : FftType::FFT;
  for (int64_t d = rank - 2; d >= rank - count; --d) {
    int64_t length = lengths[d - (rank - count)];
    if (length == 1) continue;
    DimList permutation;
    for (int64_t i = 0; i < rank; ++i) permutation.push_back(i);
    std::swap(permutation[d], permutation[rank - 1]);
    x = g.Transpose(x, permutation);
    x = TransformLast(g, x, other, length);
    x = g.Transpose(x, permutation);
  }
  if (kind == FftType::IRFFT) x = TransformLast(g, x, kind, lengths.back());
  return x;
}

void PopulateFftPatterns(mlir::RewritePatternSet& patterns) { patterns.add(RewriteFft); }

}  // namespace tenon::compiler
