// Verifiers of the elementwise ops, beyond their traits.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/dialects/stablehlo/binary_ops.h"
#include "tenon/dialects/stablehlo/unary_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::isa;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;

namespace tenon::stablehlo {
namespace {

// The element type of a complex type, else the type itself.
Type RealElementType(Type type) {
  auto complex = dyn_cast<mlir::ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

LogicalResult VerifyRealPart(Operation* op) {
  Type operand = op->getOperand(0).getType();
  Type result = op->getResult(0).getType();
  if (CompatibleElementTypes(RealElementType(ElementType(operand)),
                             ElementType(result))) {
    return success();
  }
  return op->emitOpError() << "element type of result " << result
                           << " is not the real element type of operand " << operand;
}

LogicalResult VerifyExpressedType(Operation* op, Type expected, Type actual) {
  if (expected == actual) return success();
  return op->emitOpError() << "expressed type " << expected << " expected, got "
                           << actual;
}

// Bits of an element in storage.
unsigned BitWidth(Type type) {
  if (auto complex = dyn_cast<mlir::ComplexType>(type)) {
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  }
  if (auto quantized = dyn_cast<QuantizedType>(type)) {
    return quantized.getStorageTypeIntegralWidth();
  }
  return type.getIntOrFloatBitWidth();
}

// Rank 0, or the shape of `operand`.
LogicalResult VerifyScalarOrShapeOf(Operation* op, llvm::StringRef name, Type type,
                                    llvm::StringRef otherName, Type other) {
  if (mlir::cast<ShapedType>(type).getRank() == 0) return success();
  return VerifySameShape(op, name, type, otherName, other);
}

}  // namespace

LogicalResult AbsOp::verify() { return VerifyRealPart(*this); }   // abs_c2
LogicalResult RealOp::verify() { return VerifyRealPart(*this); }  // real_c2
LogicalResult ImagOp::verify() { return VerifyRealPart(*this); }  // imag_c2

LogicalResult UniformQuantizeOp::verify() {  // uniform_quantize_c2
  Type operand = ElementType(getOperand().getType());
  auto quantized = dyn_cast<QuantizedType>(operand);
  auto result = mlir::cast<QuantizedType>(ElementType(getType()));
  return VerifyExpressedType(*this, quantized ? quantized.getExpressedType() : operand,
                             result.getExpressedType());
}

LogicalResult UniformDequantizeOp::verify() {  // uniform_dequantize_c2
  auto operand = mlir::cast<QuantizedType>(ElementType(getOperand().getType()));
  return VerifyExpressedType(*this, operand.getExpressedType(), ElementType(getType()));
}

LogicalResult BitcastConvertOp::verify() {
  auto operand = mlir::cast<ShapedType>(getOperand().getType());
  auto result = mlir::cast<ShapedType>(getType());
  if (isa<mlir::ComplexType>(operand.getElementType()) !=
      isa<mlir::ComplexType>(result.getElementType())) {  // bitcast_convert_c2
    return emitOpError() << "cannot convert between complex and real: " << operand
                         << " to " << result;
  }
  // bitcast_convert_c1: the tensor with the wider elements lacks the innermost dimension.
  int64_t from = BitWidth(operand.getElementType());
  int64_t to = BitWidth(result.getElementType());
  ShapedType wide = from >= to ? operand : result;
  ShapedType narrow = from >= to ? result : operand;
  llvm::ArrayRef<int64_t> outer = narrow.getShape();
  if (from != to) {
    if (outer.empty() || std::max(from, to) % std::min(from, to) != 0 ||
        Differ(outer.back(), std::max(from, to) / std::min(from, to))) {
      return emitOpError() << "cannot convert " << operand << " to " << result
                           << ": the innermost dimension must make up for " << from
                           << " against " << to << " bits";
    }
    outer = outer.drop_back();
  }
  if (CompatibleShapes(wide.getShape(), outer)) return success();
  return emitOpError() << "shapes of " << operand << " and " << result << " do not match";
}

LogicalResult AddOp::verify() {
  auto result = dyn_cast<UniformQuantizedPerAxisType>(ElementType(getType()));
  bool perAxis = false;
  for (Type type : getOperandTypes()) {
    auto operand = dyn_cast<UniformQuantizedPerAxisType>(ElementType(type));
    if (!operand) continue;
    perAxis = true;
    if (!result ||  // add_c5
        operand.getQuantizedDimension() != result.getQuantizedDimension()) {
      // add_c6, add_c7
      return emitOpError() << "operand type " << type << " and result type " << getType()
                           << " are not quantized along the same dimension";
    }
  }
  if (result && !perAxis) {  // add_c5
    return emitOpError() << "result type " << getType()
                         << " is quantized per axis, but no operand is";
  }
  return success();
}

LogicalResult ComplexOp::verify() {  // complex_c3
  if (RealElementType(ElementType(getType())) == ElementType(getLhs().getType())) {
    return success();
  }
  return emitOpError() << "element type of result " << getType()
                       << " is not complex over that of operand " << getLhs().getType();
}

LogicalResult CompareOp::verify() {
  Type type = ElementType(getLhs().getType());
  if (!CompatibleElementTypes(type, ElementType(getRhs().getType()))) {  // compare_c1
    return emitOpError() << "element types of " << getLhs().getType() << " and "
                         << getRhs().getType() << " differ";
  }
  ComparisonType order = getCompareType().value_or(ComparisonType::NOTYPE);
  if (order == ComparisonType::NOTYPE || isa<QuantizedType>(type)) return success();
  bool fits = false;  // compare_c3
  if (isa<mlir::FloatType>(type)) {
    // Old artifacts compare floats as SIGNED or UNSIGNED and mean FLOAT.
    fits = true;
  } else if (isa<mlir::ComplexType>(type)) {
    fits = order == ComparisonType::FLOAT;
  } else {
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    fits = order == (isUnsigned ? ComparisonType::UNSIGNED : ComparisonType::SIGNED);
  }
  if (fits) return success();
  return emitOpError() << "comparison type " << stringifyComparisonType(order)
                       << " does not fit element type " << type;
}

LogicalResult ClampOp::verify() {
  Type operand = getOperand().getType();
  // clamp_c1, clamp_c2, clamp_c4 (clamp_c3 is a trait)
  return LogicalResult::success(
      mlir::succeeded(
          VerifyScalarOrShapeOf(*this, "min", getMin().getType(), "operand", operand)) &&
      mlir::succeeded(
          VerifyScalarOrShapeOf(*this, "max", getMax().getType(), "operand", operand)) &&
      mlir::succeeded(VerifyCompatible(*this, "operand", operand, "result", getType())));
}

LogicalResult SelectOp::verify() {
  Type onTrue = getOnTrue().getType();
  // select_c1, select_c2
  return LogicalResult::success(
      mlir::succeeded(VerifyScalarOrShapeOf(*this, "pred", getPred().getType(), "result",
                                            getType())) &&
      mlir::succeeded(VerifyCompatible(*this, "on_true", onTrue, "on_false",
                                       getOnFalse().getType())) &&
      mlir::succeeded(VerifyCompatible(*this, "on_true", onTrue, "result", getType())) &&
      mlir::succeeded(VerifyCompatible(*this, "on_false", getOnFalse().getType(),
                                       "result", getType())));
}

}  // namespace tenon::stablehlo
