// Verifiers of factorizations, transforms and normalizations.
#include "tenon/dialects/stablehlo/contraction_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::succeeded;
using mlir::success;
using mlir::Type;

namespace tenon::stablehlo {
namespace {

RankedTensorType Tensor(mlir::Value value) {
  return cast<RankedTensorType>(value.getType());
}

// The rank is at least 2, and the two innermost sizes are equal.
LogicalResult VerifySquare(Operation* op, RankedTensorType a) {
  ArrayRef<int64_t> shape = a.getShape();
  if (shape.size() >= 2 && !Differ(shape[shape.size() - 2], shape.back()))
    return success();
  return op->emitOpError() << "expected square matrices, got " << a;
}

// The vectors have one element per feature of `operand`. (c1, c3 to c6 of the batch norm
// ops)
LogicalResult VerifyFeatures(Operation* op, RankedTensorType operand,
                             int64_t featureIndex, mlir::TypeRange vectors) {
  if (failed(VerifyDim(op, "feature_index", featureIndex, operand.getRank()))) {
    return failure();
  }
  int64_t features = operand.getDimSize(featureIndex);
  for (Type type : vectors) {
    if (Differ(cast<RankedTensorType>(type).getDimSize(0), features)) {
      return op->emitOpError() << "expected " << features << " features, got " << type;
    }
  }
  return success();
}

}  // namespace

LogicalResult CholeskyOp::verify() {  // cholesky_c2, cholesky_c3
  return VerifySquare(*this, Tensor(getA()));
}

LogicalResult TriangularSolveOp::verify() {
  RankedTensorType a = Tensor(getA());
  RankedTensorType b = Tensor(getB());
  if (failed(VerifySquare(*this, a))) return failure();
  if (a.getRank() != b.getRank()) {  // triangular_solve_c2
    return emitOpError() << "ranks of " << a << " and " << b << " differ";
  }
  int64_t rank = a.getRank();
  bool fits =
      CompatibleShapes(a.getShape().drop_back(2), b.getShape().drop_back(2)) &&
      !Differ(a.getDimSize(rank - 1), b.getDimSize(getLeftSide() ? rank - 2 : rank - 1));
  if (!fits) {  // triangular_solve_c3
    return emitOpError() << "shapes of " << a << " and " << b
                         << " do not fit with left_side = "
                         << (getLeftSide() ? "true" : "false");
  }
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID) {
    return emitOpError() << "transpose_a must not be TRANSPOSE_INVALID";
  }
  return VerifyCompatible(*this, "b", b, "result", getType());  // triangular_solve_c4
}

LogicalResult FftOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  auto result = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> length = getFftLength();
  int64_t rank = operand.getRank();
  int64_t fftRank = length.size();
  if (fftRank < 1 || fftRank > 3 || fftRank > rank) {  // fft_c1, fft_c3
    return emitOpError() << "fft_length = " << ToString(length)
                         << " needs 1 to 3 elements and at most the rank of " << operand;
  }
  if (failed(VerifyAtLeast(*this, "fft_length", length, 0))) return failure();

  FftType type = getFftType();
  bool fromReal = type == FftType::RFFT;
  bool toReal = type == FftType::IRFFT;
  auto scalarOf = [](Type element, bool isReal) {  // null if of the other kind
    auto complex = mlir::dyn_cast<mlir::ComplexType>(element);
    return isReal ? (complex ? Type() : element)
                  : (complex ? complex.getElementType() : Type());
  };
  Type from = scalarOf(operand.getElementType(), fromReal);
  Type to = scalarOf(result.getElementType(), toReal);
  if (!from || from != to || !(from.isF32() || from.isF64())) {  // fft_c2
    return emitOpError() << stringifyFftType(type) << " cannot take " << operand << " to "
                         << result;
  }

  // `fft_length` gives the transformed sizes of the longer side: the real one, if any.
  auto verifyLength = [&](RankedTensorType tensor, bool halved) -> LogicalResult {
    for (auto [dim, size] : llvm::enumerate(length)) {
      bool last = static_cast<int64_t>(dim) == fftRank - 1;
      int64_t expected = halved && last ? (size == 0 ? 0 : size / 2 + 1) : size;
      if (Differ(tensor.getDimSize(rank - fftRank + dim), expected)) {
        return emitOpError() << "fft_length = " << ToString(length) << " does not fit "
                             << tensor;
      }
    }
    return success();
  };
  if (failed(verifyLength(operand, /*halved=*/toReal)))
    return failure();  // fft_c4, fft_c5
  SmallVector<int64_t> shape(operand.getShape());
  if (fromReal) shape.back() = length.back() == 0 ? 0 : length.back() / 2 + 1;
  if (toReal) shape.back() = length.back();
  return VerifyResultShape(*this, shape);
}

LogicalResult BatchNormInferenceOp::verify() {
  if (failed(VerifyFeatures(*this, Tensor(getOperand()), getFeatureIndex(),
                            mlir::TypeRange(getOperandTypes()).drop_front()))) {
    return failure();
  }
  return VerifyCompatible(*this, "operand", getOperand().getType(), "result",
                          getType());  // c7
}

LogicalResult BatchNormTrainingOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  if (failed(VerifyFeatures(*this, operand, getFeatureIndex(),
                            {getScale().getType(), getOffset().getType(),
                             getBatchMean().getType(), getBatchVar().getType()}))) {
    return failure();
  }
  return VerifyCompatible(*this, "operand", operand, "output",
                          getOutput().getType());  // c7
}

LogicalResult BatchNormGradOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  if (failed(VerifyFeatures(
          *this, operand, getFeatureIndex(),
          {getScale().getType(), getMean().getType(), getVariance().getType(),
           getGradScale().getType(), getGradOffset().getType()}))) {
    return failure();  // batch_norm_grad_c4, c5
  }
  return LogicalResult::success(  // batch_norm_grad_c3
      succeeded(VerifyCompatible(*this, "operand", operand, "grad_output",
                                 getGradOutput().getType())) &&
      succeeded(VerifyCompatible(*this, "operand", operand, "grad_operand",
                                 getGradOperand().getType())));
}

}  // namespace tenon::stablehlo
