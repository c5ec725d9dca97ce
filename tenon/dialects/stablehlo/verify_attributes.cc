// Verifiers of attributes and types.
#include "mlir/IR/BuiltinOps.h"
#include "tenon/dialects/stablehlo/dialect.h"

using llvm::function_ref;
using mlir::InFlightDiagnostic;
using mlir::LogicalResult;
using mlir::ShapedType;
using mlir::success;

namespace tenon::stablehlo {

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 llvm::ArrayRef<mlir::Type> types) {
  if (types.empty()) return emitError() << "a future holds at least one type";
  for (mlir::Type type : types) {
    if (!mlir::isa<mlir::RankedTensorType>(type)) {
      return emitError() << "a future holds ranked tensors, got " << type;
    }
  }
  return success();
}

LogicalResult DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       mlir::Type lhs, mlir::Type rhs,
                                       mlir::Type accumulator, int64_t lhsComponents,
                                       int64_t rhsComponents, int64_t operations, bool) {
  for (mlir::Type type : {lhs, rhs, accumulator}) {
    if (!type || !mlir::isa<mlir::FloatType, mlir::IntegerType>(type)) {
      return emitError() << "dot algorithm type must be a float or integer, got " << type;
    }
  }
  if (lhsComponents < 1 || rhsComponents < 1 || operations < 1) {
    return emitError()
           << "dot algorithm needs positive counts, got lhs_component_count = "
           << lhsComponents << ", rhs_component_count = " << rhsComponents
           << ", num_primitive_operations = " << operations;
  }
  return success();
}

LogicalResult ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         llvm::APFloat atol, llvm::APFloat rtol,
                                         int64_t ulps, ResultAccuracyModeAttr mode) {
  if (!mode) return emitError() << "result accuracy needs a mode";
  bool hasTolerance = !atol.isZero() || !rtol.isZero() || ulps != 0;
  if (hasTolerance && mode.getValue() != ResultAccuracyMode::TOLERANCE) {
    return emitError() << "tolerances are given, but the mode is "
                       << stringifyResultAccuracyMode(mode.getValue());
  }
  if (atol.isNegative() || atol.isNaN() || rtol.isNegative() || rtol.isNaN() ||
      ulps < 0) {
    return emitError() << "tolerances must not be negative";
  }
  return success();
}

LogicalResult ReplicaGroupMeshAxesAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, mlir::Attribute mesh,
    mlir::ArrayAttr axes) {
  if (!mesh || !mlir::isa<MeshAttr, mlir::FlatSymbolRefAttr>(mesh)) {
    return emitError() << "mesh must be a symbol or a mesh attribute, got " << mesh;
  }
  if (!axes) return emitError() << "axes are missing";
  for (mlir::Attribute axis : axes) {
    if (!mlir::isa<AxisRefAttr>(axis)) {
      return emitError() << "axes must be axis references, got " << axis;
    }
  }
  return success();
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    llvm::ArrayRef<int64_t> shape, mlir::Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size()) {
    return emitError() << "number of bounds " << getBounds().size()
                       << " differs from the rank " << shape.size();
  }
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t bound = getBounds()[dim];
    if (ShapedType::isDynamic(bound)) continue;
    if (!ShapedType::isDynamic(size)) {
      return emitError() << "static dimension " << dim << " cannot have a bound";
    }
    if (bound < 0) return emitError() << "negative bound " << bound;
  }
  return success();
}

}  // namespace tenon::stablehlo
