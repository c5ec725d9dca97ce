// Verifiers of the ops that create tensors or change their shape.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/dialects/stablehlo/shape_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::cast;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;

namespace tenon::stablehlo {
namespace {

RankedTensorType Tensor(mlir::Value value) {
  return cast<RankedTensorType>(value.getType());
}

UniformQuantizedPerAxisType PerAxis(mlir::Value value) {
  return dyn_cast<UniformQuantizedPerAxisType>(ElementType(value.getType()));
}

// The element types are equal, including quantization parameters. Per-axis quantized
// types may differ in the quantized dimension and, unless `keepScales`, in scales and
// zero points.
LogicalResult VerifySameElementType(Operation* op, mlir::Value operand,
                                    mlir::Value result, bool keepScales) {
  Type from = ElementType(operand.getType());
  Type to = ElementType(result.getType());
  auto fromAxis = PerAxis(operand);
  auto toAxis = PerAxis(result);
  bool same = from == to;
  if (fromAxis && toAxis) {
    same = CompatibleElementTypes(from, to) &&
           (!keepScales || (fromAxis.getScales() == toAxis.getScales() &&
                            fromAxis.getZeroPoints() == toAxis.getZeroPoints()));
  }
  if (same) return success();
  return op->emitOpError() << "element types of operand " << operand.getType()
                           << " and result " << result.getType() << " differ";
}

// The number of elements; nullopt if a size is dynamic. Saturates at the maximum int64.
std::optional<int64_t> NumElements(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, ShapedType::kDynamic)) return std::nullopt;
  if (llvm::is_contained(shape, 0)) return 0;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (llvm::MulOverflow(count, size, count)) return std::numeric_limits<int64_t>::max();
  }
  return count;
}

// reshape_c2, reshape_c3 and the same constraints of dynamic_reshape.
LogicalResult VerifyReshape(Operation* op, mlir::Value operand, mlir::Value result) {
  if (failed(VerifySameElementType(op, operand, result, /*keepScales=*/true))) {
    return failure();  // reshape_c1
  }
  auto count = NumElements(Tensor(operand).getShape());
  auto resultCount = NumElements(Tensor(result).getShape());
  if (count && resultCount && *count != *resultCount) {
    return op->emitOpError() << "number of elements changes from " << *count << " in "
                             << operand.getType() << " to " << *resultCount << " in "
                             << result.getType();
  }
  if (!PerAxis(operand)) return success();
  // The reshape keeps the quantized dimension: the number of elements before, in and
  // after it is unchanged.
  auto split = [&](mlir::Value value) {
    ArrayRef<int64_t> shape = Tensor(value).getShape();
    int64_t dim = PerAxis(value).getQuantizedDimension();
    return std::tuple(NumElements(shape.take_front(dim)),
                      NumElements(shape.slice(dim, 1)),
                      NumElements(shape.drop_front(dim + 1)));
  };
  if (count && resultCount && split(operand) != split(result)) {
    return op->emitOpError() << "quantized dimension of " << operand.getType()
                             << " does not stay whole in " << result.getType();
  }
  return success();
}

// broadcast_in_dim_c2 to c6 and the same constraints of dynamic_broadcast_in_dim.
LogicalResult VerifyBroadcast(Operation* op, mlir::Value operand, mlir::Value result,
                              ArrayRef<int64_t> dims) {
  RankedTensorType from = Tensor(operand);
  RankedTensorType to = Tensor(result);
  constexpr llvm::StringLiteral kName = "broadcast_dimensions";
  if (failed(VerifySameElementType(op, operand, result, /*keepScales=*/false)) ||  // c1
      failed(VerifySize(op, kName, dims.size(), from.getRank())) ||                // c2
      failed(VerifyDims(op, kName, dims, to.getRank())) ||                         // c3
      failed(VerifyUnique(op, kName, dims))) {                                     // c4
    return failure();
  }
  for (auto [dim, target] : llvm::enumerate(dims)) {  // c5
    int64_t size = from.getDimSize(dim);
    if (size != 1 && Differ(size, to.getDimSize(target))) {
      return op->emitOpError() << "dimension " << dim << " of size " << size << " in "
                               << from << " cannot become dimension " << target
                               << " of size " << to.getDimSize(target) << " in " << to;
    }
  }
  auto fromAxis = PerAxis(operand);
  auto toAxis = PerAxis(result);
  if (!fromAxis) return success();
  if (toAxis.getQuantizedDimension() != dims[fromAxis.getQuantizedDimension()]) {  // c6
    return op->emitOpError() << "quantized dimension " << fromAxis.getQuantizedDimension()
                             << " of the operand does not become quantized dimension "
                             << toAxis.getQuantizedDimension() << " of the result";
  }
  if (from.getDimSize(fromAxis.getQuantizedDimension()) == 1 &&
      (!llvm::all_of(toAxis.getScales(),
                     [&](double scale) { return scale == fromAxis.getScales()[0]; }) ||
       !llvm::all_of(toAxis.getZeroPoints(), [&](int64_t zero) {
         return zero == fromAxis.getZeroPoints()[0];
       }))) {
    return op->emitOpError() << "scales and zero points of " << to
                             << " are not those of the one element of " << from;
  }
  return success();
}

// `vector` has one element per dimension of `other`.
LogicalResult VerifyCountsDims(Operation* op, llvm::StringRef name, mlir::Value vector,
                               llvm::StringRef otherName, mlir::Value other) {
  int64_t size = Tensor(vector).getDimSize(0);
  int64_t rank = Tensor(other).getRank();
  if (!Differ(size, rank)) return success();
  return op->emitOpError() << name << " has " << size << " elements, but " << otherName
                           << " type " << other.getType() << " has rank " << rank;
}

// If `shape` is a constant, the result has its sizes.
LogicalResult VerifyShapeOperand(Operation* op, mlir::Value shape) {
  auto sizes = ConstantInts(shape);
  if (!sizes) return success();
  if (failed(VerifyAtLeast(op, "shape", *sizes, 0))) return failure();
  return VerifyResultShape(op, *sizes);
}

}  // namespace

LogicalResult ConstantOp::verify() {  // constant_c1
  ShapedType value = getValue().getShapedType();
  RankedTensorType type = Tensor(getOutput());
  auto quantized = dyn_cast<QuantizedType>(type.getElementType());
  bool ok = quantized ? value.hasRank() && value.getShape() == type.getShape() &&
                            (value.getElementType() == quantized ||
                             value.getElementType() == quantized.getStorageType())
                      : value == type;
  if (ok) return success();
  return emitOpError() << "value of type " << value << " does not fit result type "
                       << type;
}

LogicalResult IotaOp::verify() {  // iota_c1
  return VerifyDim(*this, "iota_dimension", getIotaDimension(),
                   Tensor(getOutput()).getRank());
}

LogicalResult DynamicIotaOp::verify() {
  if (failed(VerifyCountsDims(*this, "output_shape", getOutputShape(), "result",
                              getResult()))) {  // dynamic_iota_c2
    return failure();
  }
  if (failed(VerifyDim(*this, "iota_dimension", getIotaDimension(),
                       Tensor(getResult()).getRank()))) {  // dynamic_iota_c1
    return failure();
  }
  return VerifyShapeOperand(*this, getOutputShape());
}

LogicalResult BroadcastOp::verify() {
  if (failed(VerifyAtLeast(*this, "broadcast_sizes", getBroadcastSizes(), 0))) {
    return failure();
  }
  SmallVector<int64_t> shape(getBroadcastSizes());
  llvm::append_range(shape, Tensor(getOperand()).getShape());
  return VerifyResultShape(*this, shape);
}

LogicalResult BroadcastInDimOp::verify() {
  return VerifyBroadcast(*this, getOperand(), getResult(), getBroadcastDimensions());
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  if (failed(
          VerifyBroadcast(*this, getOperand(), getResult(), getBroadcastDimensions())) ||
      failed(VerifyCountsDims(*this, "output_dimensions", getOutputDimensions(), "result",
                              getResult()))) {  // c7
    return failure();
  }
  ArrayRef<int64_t> expanding =
      getKnownExpandingDimensions().value_or(ArrayRef<int64_t>());
  ArrayRef<int64_t> nonexpanding =
      getKnownNonexpandingDimensions().value_or(ArrayRef<int64_t>());
  int64_t rank = Tensor(getOperand()).getRank();
  if (failed(VerifyUnique(*this, "known_expanding_dimensions and nonexpanding ones",
                          expanding, nonexpanding)) ||                             // c8
      failed(VerifyDims(*this, "known_expanding_dimensions", expanding, rank)) ||  // c9
      failed(VerifyDims(*this, "known_nonexpanding_dimensions", nonexpanding,
                        rank))) {  // c10
    return failure();
  }
  // dynamic_broadcast_in_dim_c5, for constant sizes.
  if (auto sizes = ConstantInts(getOutputDimensions())) {
    for (auto [dim, target] : llvm::enumerate(getBroadcastDimensions())) {
      int64_t size = Tensor(getOperand()).getDimSize(dim);
      if (size != 1 && target < static_cast<int64_t>(sizes->size()) &&
          Differ(size, (*sizes)[target])) {
        return emitOpError() << "dimension " << dim << " of " << getOperand().getType()
                             << " cannot become dimension " << target << " of size "
                             << (*sizes)[target];
      }
    }
  }
  return VerifyShapeOperand(*this, getOutputDimensions());
}

LogicalResult ReshapeOp::verify() {
  return VerifyReshape(*this, getOperand(), getResult());
}

LogicalResult DynamicReshapeOp::verify() {
  if (failed(VerifyReshape(*this, getOperand(), getResult())) ||
      failed(VerifyCountsDims(*this, "output_shape", getOutputShape(), "result",
                              getResult()))) {  // dynamic_reshape_c4
    return failure();
  }
  auto count = NumElements(Tensor(getOperand()).getShape());
  auto sizes = ConstantInts(getOutputShape());
  if (count && sizes && NumElements(*sizes) != count) {  // dynamic_reshape_c2
    return emitOpError() << "output_shape " << ToString(*sizes) << " does not hold the "
                         << *count << " elements of " << getOperand().getType();
  }
  return VerifyShapeOperand(*this, getOutputShape());
}

LogicalResult TransposeOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  ArrayRef<int64_t> permutation = getPermutation();
  if (failed(VerifySize(*this, "permutation", permutation.size(), operand.getRank())) ||
      failed(VerifyDims(*this, "permutation", permutation, operand.getRank())) ||
      failed(VerifyUnique(*this, "permutation", permutation))) {  // transpose_c2
    return failure();
  }
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation) shape.push_back(operand.getDimSize(dim));
  if (failed(VerifyResultShape(*this, shape)) ||  // transpose_c3
      failed(
          VerifySameElementType(*this, getOperand(), getResult(), /*keepScales=*/true))) {
    return failure();
  }
  auto result = PerAxis(getResult());
  if (result && PerAxis(getOperand()).getQuantizedDimension() !=
                    permutation[result.getQuantizedDimension()]) {  // transpose_c4
    return emitOpError() << "quantized dimension of " << operand
                         << " is not the one transposed to that of " << getType();
  }
  return success();
}

LogicalResult ReverseOp::verify() {
  if (failed(VerifyUnique(*this, "dimensions", getDimensions()))) return failure();  // c2
  return VerifyDims(*this, "dimensions", getDimensions(),
                    Tensor(getResult()).getRank());  // reverse_c3
}

LogicalResult GetDimensionSizeOp::verify() {
  if (failed(VerifyDim(*this, "dimension", getDimension(),
                       Tensor(getOperand()).getRank()))) {  // get_dimension_size_c1
    return failure();
  }
  return VerifyResultShape(*this, {});
}

LogicalResult SetDimensionSizeOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  if (failed(VerifyDim(*this, "dimension", getDimension(), operand.getRank()))) {
    return failure();
  }
  if (Tensor(getSize()).getRank() != 0) {
    return emitOpError() << "size must be a scalar, got " << getSize().getType();
  }
  if (!CompatibleElementTypes(operand.getElementType(), ElementType(getType()))) {
    return emitOpError() << "element types of " << operand << " and " << getType()
                         << " differ";
  }
  SmallVector<int64_t> shape(operand.getShape());
  shape[getDimension()] = ShapedType::kDynamic;
  return VerifyResultShape(*this, shape);
}

}  // namespace tenon::stablehlo
