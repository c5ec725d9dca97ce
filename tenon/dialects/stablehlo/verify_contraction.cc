// Verifiers of products and convolutions.
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/dialects/stablehlo/contraction_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::cast;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::succeeded;
using mlir::success;
using mlir::Type;
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

namespace tenon::stablehlo {
namespace {

RankedTensorType Tensor(mlir::Value value) {
  return cast<RankedTensorType>(value.getType());
}

// At most one precision per operand; a single one applies to both. (dot_general_c11,
// convolution_c24)
LogicalResult VerifyPrecision(Operation* op, std::optional<mlir::ArrayAttr> precision) {
  return precision && precision->size() > 2
             ? op->emitOpError() << "precision_config has " << precision->size()
                                 << " elements for two operands"
             : success();
}

// dot_general_c14 to c20, convolution_c27, c28, c31 to c34.
LogicalResult VerifyElementTypes(Operation* op, Type lhs, Type rhs, Type result) {
  auto quantLhs = dyn_cast<QuantizedType>(lhs);
  auto quantRhs = dyn_cast<QuantizedType>(rhs);
  auto quantResult = dyn_cast<QuantizedType>(result);
  bool fits;
  if (!quantLhs && !quantRhs && !quantResult) {
    // Frameworks send operands of any two types, which are converted first. Sums are
    // rounded to the result type, so it may differ as well.
    fits = true;
  } else if (!quantRhs || static_cast<bool>(quantLhs) != static_cast<bool>(quantResult)) {
    fits = false;
  } else if (!quantLhs) {
    fits = lhs == quantRhs.getExpressedType() && lhs == result;
  } else {
    fits = quantLhs.getStorageType() == quantRhs.getStorageType() &&
           quantLhs.getExpressedType() == quantRhs.getExpressedType() &&
           quantLhs.getExpressedType() == quantResult.getExpressedType() &&
           (!mlir::isa<UniformQuantizedType>(rhs) ||
            mlir::isa<UniformQuantizedType>(result));
  }
  if (fits) return success();
  return op->emitOpError() << "element types do not match: " << lhs << " and " << rhs
                           << " give " << result;
}

//===------------------------------------------------------------------------------------===//
// dot, dot_general
//===------------------------------------------------------------------------------------===//

// Verifies the dimension numbers and returns the shape of the product.
mlir::FailureOr<SmallVector<int64_t>> DotShape(Operation* op, RankedTensorType lhs,
                                               RankedTensorType rhs,
                                               ArrayRef<int64_t> lhsBatch,
                                               ArrayRef<int64_t> rhsBatch,
                                               ArrayRef<int64_t> lhsContracting,
                                               ArrayRef<int64_t> rhsContracting) {
  if (lhsBatch.size() != rhsBatch.size() ||              // dot_general_c1
      lhsContracting.size() != rhsContracting.size()) {  // dot_general_c2
    return op->emitOpError() << "has different numbers of batching or contracting "
                             << "dimensions on the two sides";
  }
  if (failed(VerifyUnique(op, "lhs dimensions", lhsBatch, lhsContracting)) ||        // c3
      failed(VerifyUnique(op, "rhs dimensions", rhsBatch, rhsContracting)) ||        // c4
      failed(VerifyDims(op, "lhs_batching_dimensions", lhsBatch, lhs.getRank())) ||  // c5
      failed(VerifyDims(op, "lhs_contracting_dimensions", lhsContracting,
                        lhs.getRank())) ||                                           // c6
      failed(VerifyDims(op, "rhs_batching_dimensions", rhsBatch, rhs.getRank())) ||  // c7
      failed(VerifyDims(op, "rhs_contracting_dimensions", rhsContracting,
                        rhs.getRank()))) {  // c8
    return failure();
  }
  auto verifyPairs = [&](StringRef name, ArrayRef<int64_t> lhsDims,
                         ArrayRef<int64_t> rhsDims) -> LogicalResult {
    for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims)) {
      if (Differ(lhs.getDimSize(l), rhs.getDimSize(r))) {
        return op->emitOpError() << name << " dimension " << l << " of " << lhs << " and "
                                 << r << " of " << rhs << " differ in size";
      }
    }
    return success();
  };
  if (failed(verifyPairs("batching", lhsBatch, rhsBatch)) ||                 // c9
      failed(verifyPairs("contracting", lhsContracting, rhsContracting))) {  // c10
    return failure();
  }
  SmallVector<int64_t> shape;
  for (int64_t dim : lhsBatch) shape.push_back(lhs.getDimSize(dim));
  auto appendFree = [&](RankedTensorType type, ArrayRef<int64_t> batch,
                        ArrayRef<int64_t> contracting) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracting, dim)) {
        shape.push_back(type.getDimSize(dim));
      }
    }
  };
  appendFree(lhs, lhsBatch, lhsContracting);
  appendFree(rhs, rhsBatch, rhsContracting);
  return shape;
}

// dot_general_c15, c16
LogicalResult VerifyQuantizedRhs(Operation* op, Type rhs, ArrayRef<int64_t> contracting) {
  Type element = ElementType(rhs);
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element);
  auto perTensor = dyn_cast<UniformQuantizedType>(element);
  if ((perTensor && perTensor.getZeroPoint() != 0) ||
      (perAxis &&
       llvm::any_of(perAxis.getZeroPoints(), [](int64_t z) { return z != 0; }))) {
    return op->emitOpError() << "zero points of rhs " << rhs << " must be 0";
  }
  if (perAxis && llvm::is_contained(contracting, perAxis.getQuantizedDimension())) {
    return op->emitOpError() << "quantized dimension of rhs " << rhs << " is contracted";
  }
  return success();
}

}  // namespace

LogicalResult DotOp::verify() {
  RankedTensorType lhs = Tensor(getLhs());
  RankedTensorType rhs = Tensor(getRhs());
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 || rhs.getRank() > 2) {
    return emitOpError() << "operands must be vectors or matrices, got " << lhs << " and "
                         << rhs;
  }
  if (failed(VerifyPrecision(*this, getPrecisionConfig())) ||
      failed(VerifyElementTypes(*this, lhs.getElementType(), rhs.getElementType(),
                                ElementType(getType())))) {
    return failure();
  }
  auto shape = DotShape(*this, lhs, rhs, {}, {}, {lhs.getRank() - 1}, {0});
  return failed(shape) ? failure() : VerifyResultShape(*this, *shape);
}

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = Tensor(getLhs());
  RankedTensorType rhs = Tensor(getRhs());
  DotDimensionNumbersAttr dims = getDotDimensionNumbers();
  if (failed(VerifyPrecision(*this, getPrecisionConfig())) ||
      failed(VerifyElementTypes(*this, lhs.getElementType(), rhs.getElementType(),
                                ElementType(getType()))) ||
      failed(VerifyQuantizedRhs(*this, rhs, dims.getRhsContractingDimensions()))) {
    return failure();
  }
  if (getAlgorithm() && getPrecisionConfig()) {  // dot_general_c21
    for (auto precision : getPrecisionConfig()->getAsRange<PrecisionAttr>()) {
      if (precision.getValue() != Precision::DEFAULT) {
        return emitOpError() << "has an algorithm and the precision "
                             << stringifyPrecision(precision.getValue())
                             << ", expected DEFAULT";
      }
    }
  }
  auto shape = DotShape(
      *this, lhs, rhs, dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions(),
      dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions());
  return failed(shape) ? failure() : VerifyResultShape(*this, *shape);  // c12
}

//===------------------------------------------------------------------------------------===//
// einsum
//===------------------------------------------------------------------------------------===//

namespace {

// One letter per dimension; `...` stands for the dimensions without a letter.
LogicalResult VerifyEinsum(Operation* op, StringRef config) {
  auto [inputs, output] = config.split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (!config.contains("->") || terms.size() != op->getNumOperands()) {
    return op->emitOpError() << "einsum_config \"" << config << "\" does not name "
                             << op->getNumOperands() << " operands and a result";
  }
  llvm::StringMap<int64_t> sizes;
  auto verifyTerm = [&](StringRef term, Type type, bool isResult) -> LogicalResult {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    size_t ellipsis = term.find("...");
    size_t letters = ellipsis == StringRef::npos ? term.size() : term.size() - 3;
    if (ellipsis == StringRef::npos ? letters != shape.size() : letters > shape.size()) {
      return op->emitOpError() << "term \"" << term
                               << "\" of einsum_config does not fit type " << type;
    }
    SmallVector<std::pair<char, int64_t>> named;
    for (size_t i = 0; i < term.size(); ++i) {
      if (ellipsis != StringRef::npos && i >= ellipsis && i < ellipsis + 3) continue;
      bool behind = ellipsis != StringRef::npos && i > ellipsis;
      named.emplace_back(term[i],
                         behind ? shape[shape.size() - (term.size() - i)] : shape[i]);
    }
    for (auto [letter, size] : named) {
      if (!llvm::isAlpha(letter)) {
        return op->emitOpError()
               << "einsum_config has the character '" << std::string(1, letter) << "'";
      }
      auto [it, isNew] = sizes.try_emplace(StringRef(&letter, 1), size);
      if (isNew && isResult) {
        return op->emitOpError() << "result of einsum_config has the new letter '"
                                 << std::string(1, letter) << "'";
      }
      if (Differ(it->second, size)) {
        return op->emitOpError()
               << "dimensions '" << std::string(1, letter)
               << "' of einsum_config have the sizes " << it->second << " and " << size;
      }
    }
    return success();
  };
  for (auto [term, type] : llvm::zip_equal(terms, op->getOperandTypes())) {
    if (failed(verifyTerm(term.trim(), type, /*isResult=*/false))) return failure();
  }
  return verifyTerm(output.trim(), op->getResult(0).getType(), /*isResult=*/true);
}

}  // namespace

LogicalResult EinsumOp::verify() { return VerifyEinsum(*this, getEinsumConfig()); }
LogicalResult UnaryEinsumOp::verify() { return VerifyEinsum(*this, getEinsumConfig()); }

//===------------------------------------------------------------------------------------===//
// convolution, dynamic_conv
//===------------------------------------------------------------------------------------===//

namespace {

// Each dimension of one tensor is named exactly once. (convolution_c12, c13, c17 to c20)
LogicalResult VerifyConvTensorDims(Operation* op, StringRef name, int64_t first,
                                   int64_t second, ArrayRef<int64_t> spatial,
                                   int64_t rank) {
  SmallVector<int64_t> dims({first, second});
  llvm::append_range(dims, spatial);
  return LogicalResult::success(succeeded(VerifySize(op, name, dims.size(), rank)) &&
                                succeeded(VerifyDims(op, name, dims, rank)) &&
                                succeeded(VerifyUnique(op, name, dims)));
}

// Ranks and dimension numbers: convolution_c1, c12, c13, c17 to c20, c26.
template <typename ConvOp>
LogicalResult VerifyConvDims(ConvOp op) {
  RankedTensorType lhs = Tensor(op.getLhs());
  RankedTensorType rhs = Tensor(op.getRhs());
  auto result = cast<RankedTensorType>(op.getType());
  int64_t rank = lhs.getRank();
  if (rank < 2 || rhs.getRank() != rank || result.getRank() != rank) {  // c1, c26
    return op.emitOpError() << "ranks of " << lhs << ", " << rhs << " and " << result
                            << " must be equal and at least 2";
  }
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  return LogicalResult::success(
      succeeded(VerifyConvTensorDims(
          op, "input dimensions", dims.getInputBatchDimension(),
          dims.getInputFeatureDimension(), dims.getInputSpatialDimensions(), rank)) &&
      succeeded(VerifyConvTensorDims(op, "kernel dimensions",
                                     dims.getKernelInputFeatureDimension(),
                                     dims.getKernelOutputFeatureDimension(),
                                     dims.getKernelSpatialDimensions(), rank)) &&
      succeeded(VerifyConvTensorDims(
          op, "output dimensions", dims.getOutputBatchDimension(),
          dims.getOutputFeatureDimension(), dims.getOutputSpatialDimensions(), rank)));
}

// The window without its padding, and its reversal: convolution_c2, c3, c5 to c9.
template <typename ConvOp>
mlir::FailureOr<SmallVector<WindowDim>> ConvWindow(
    ConvOp op, std::optional<mlir::DenseIntElementsAttr> padding, bool dynamicPadding) {
  RankedTensorType rhs = Tensor(op.getRhs());
  int64_t rank = rhs.getRank();
  SmallVector<int64_t> kernelSizes;
  for (int64_t dim : op.getDimensionNumbers().getKernelSpatialDimensions()) {
    kernelSizes.push_back(rhs.getDimSize(dim));
  }
  std::optional<ArrayRef<int64_t>> strides = op.getWindowStrides();
  // JAX gives dynamic_conv more strides than dimensions. Only the first ones are used.
  if (dynamicPadding && strides) strides = strides->take_front(rank - 2);
  auto window = GetWindow(op, kernelSizes, strides, op.getLhsDilation(),
                          op.getRhsDilation(), padding);
  if (failed(window)) return failure();  // c2 to c8
  if (op.getWindowReversal() &&
      failed(
          VerifySize(op, "window_reversal", op.getWindowReversal()->size(), rank - 2))) {
    return failure();  // c9
  }
  return window;
}

// Feature and batch groups: convolution_c10, c11, c14 to c16, c23.
template <typename ConvOp>
LogicalResult VerifyConvGroups(ConvOp op) {
  RankedTensorType lhs = Tensor(op.getLhs());
  RankedTensorType rhs = Tensor(op.getRhs());
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  if (featureGroups != 1 && batchGroups != 1) {  // c23
    return op.emitOpError() << "has both feature_group_count = " << featureGroups
                            << " and batch_group_count = " << batchGroups;
  }
  int64_t batch = lhs.getDimSize(dims.getInputBatchDimension());
  int64_t inputFeatures = lhs.getDimSize(dims.getInputFeatureDimension());
  int64_t kernelFeatures = rhs.getDimSize(dims.getKernelInputFeatureDimension());
  int64_t outputFeatures = rhs.getDimSize(dims.getKernelOutputFeatureDimension());
  auto divides = [&](StringRef name, int64_t size, int64_t groups) -> LogicalResult {
    if (ShapedType::isDynamic(size) || size % groups == 0) return success();
    return op.emitOpError() << name << ' ' << size << " is not divisible by the "
                            << groups << " groups";
  };
  if (failed(divides("input batch size", batch, batchGroups)) ||                 // c10
      failed(divides("input feature count", inputFeatures, featureGroups)) ||    // c11
      failed(divides("output feature count", outputFeatures, batchGroups)) ||    // c15
      failed(divides("output feature count", outputFeatures, featureGroups))) {  // c16
    return failure();
  }
  if (!ShapedType::isDynamic(inputFeatures) &&
      Differ(kernelFeatures, inputFeatures / featureGroups)) {  // c14
    return op.emitOpError() << "kernel has " << kernelFeatures
                            << " input features, expected " << inputFeatures << " / "
                            << featureGroups;
  }
  return success();
}

// Precision, element types and quantized dimensions: convolution_c24, c27 to c34.
template <typename ConvOp>
LogicalResult VerifyConvElements(ConvOp op) {
  mlir::Type lhs = Tensor(op.getLhs()).getElementType();
  mlir::Type rhs = Tensor(op.getRhs()).getElementType();
  mlir::Type result = cast<RankedTensorType>(op.getType()).getElementType();
  if (failed(VerifyPrecision(op, op.getPrecisionConfig())) ||  // c24
      failed(VerifyElementTypes(op, lhs, rhs, result))) {
    return failure();
  }
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  auto rhsAxis = dyn_cast<UniformQuantizedPerAxisType>(rhs);
  auto resultAxis = dyn_cast<UniformQuantizedPerAxisType>(result);
  if ((rhsAxis && rhsAxis.getQuantizedDimension() !=
                      dims.getKernelOutputFeatureDimension()) ||  // c29
      (resultAxis &&
       resultAxis.getQuantizedDimension() != dims.getOutputFeatureDimension())) {  // c30
    return op.emitOpError()
           << "is quantized along a dimension that is not the output feature";
  }
  return success();
}

// Verifies everything except the padding: convolution_c1 to c3, c5 to c24, c26 to c34.
// With `dynamicPadding` the spatial sizes of the result are unknown.
template <typename ConvOp>
LogicalResult VerifyConvolution(ConvOp op,
                                std::optional<mlir::DenseIntElementsAttr> padding,
                                bool dynamicPadding) {
  if (failed(VerifyConvDims(op))) return failure();
  auto window = ConvWindow(op, padding, dynamicPadding);
  if (failed(window) || failed(VerifyConvGroups(op)) || failed(VerifyConvElements(op))) {
    return failure();
  }
  RankedTensorType lhs = Tensor(op.getLhs());
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  int64_t batch = lhs.getDimSize(dims.getInputBatchDimension());
  SmallVector<int64_t> shape(lhs.getRank());  // c25
  shape[dims.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch : batch / op.getBatchGroupCount();
  shape[dims.getOutputFeatureDimension()] =
      Tensor(op.getRhs()).getDimSize(dims.getKernelOutputFeatureDimension());
  for (auto [in, out, dim] :
       llvm::zip_equal(dims.getInputSpatialDimensions(),
                       dims.getOutputSpatialDimensions(), *window)) {
    if (dynamicPadding) {
      shape[out] = ShapedType::kDynamic;
      continue;
    }
    mlir::FailureOr<int64_t> count = CountWindows(op, lhs.getDimSize(in), dim);
    if (failed(count)) return failure();
    shape[out] = *count;
  }
  return VerifyResultShape(op, shape);
}

}  // namespace

LogicalResult ConvolutionOp::verify() {
  return VerifyConvolution(*this, getPadding(), /*dynamicPadding=*/false);
}

LogicalResult DynamicConvOp::verify() {
  RankedTensorType padding = Tensor(getPadding());
  int64_t spatial = Tensor(getLhs()).getRank() - 2;
  if (padding.getShape() != ArrayRef<int64_t>({spatial, 2})) {  // dynamic_conv_c4
    return emitOpError() << "padding has type " << padding << ", expected the shape ["
                         << spatial << ", 2]";
  }
  return VerifyConvolution(*this, std::nullopt, /*dynamicPadding=*/true);
}

}  // namespace tenon::stablehlo
