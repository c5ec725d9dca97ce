#include "tenon/compiler/dialects/stablehlo/traits.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/compiler/dialects/stablehlo/dialect.h"

using mlir::cast;
using mlir::dyn_cast;
using mlir::isa;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

namespace tenon::stablehlo {
namespace {

// Storage of 2 to 32 bits (a power of two) whose range fits, and a float to express.
bool IsValidQuantized(QuantizedType type) {
  auto storage = dyn_cast<mlir::IntegerType>(type.getStorageType());
  unsigned width = storage ? storage.getWidth() : 0;
  return (width == 2 || width == 4 || width == 8 || width == 16 || width == 32) &&
         isa<mlir::FloatType>(type.getExpressedType());
}

}  // namespace

bool IsPerTensorQuantized(Type type) {
  auto quantized = dyn_cast<UniformQuantizedType>(type);
  return quantized && IsValidQuantized(quantized);
}

bool IsPerAxisQuantized(Type type) {
  auto quantized = dyn_cast<UniformQuantizedPerAxisType>(type);
  return quantized && IsValidQuantized(quantized);
}

bool HasValidQuantizedDimension(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) return true;
  auto quantized = dyn_cast<UniformQuantizedPerAxisType>(shaped.getElementType());
  if (!quantized || !shaped.hasRank()) return true;
  int64_t dim = quantized.getQuantizedDimension();
  if (dim < 0 || dim >= shaped.getRank()) return false;
  return shaped.isDynamicDim(dim) ||
         shaped.getDimSize(dim) == static_cast<int64_t>(quantized.getScales().size());
}

llvm::ArrayRef<int64_t> GetBounds(RankedTensorType type) {
  auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(type.getEncoding());
  return extensions ? extensions.getBounds() : llvm::ArrayRef<int64_t>();
}

bool HasBoundedDimensions(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return false;
  llvm::ArrayRef<int64_t> bounds = GetBounds(tensor);
  if (bounds.size() != static_cast<size_t>(tensor.getRank())) return false;
  return llvm::all_of(llvm::seq<int64_t>(0, tensor.getRank()), [&](int64_t dim) {
    return !tensor.isDynamicDim(dim) || !ShapedType::isDynamic(bounds[dim]);
  });
}

bool CompatibleElementTypes(Type a, Type b) {
  if (a == b) return true;
  auto qa = dyn_cast<QuantizedType>(a);
  auto qb = dyn_cast<QuantizedType>(b);
  return qa && qb && qa.getStorageType() == qb.getStorageType() &&
         qa.isSigned() == qb.isSigned() && qa.getExpressedType() == qb.getExpressedType();
}

bool CompatibleShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           auto [x, y] = pair;
           return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
         });
}

bool CompatibleTypes(Type a, Type b) {
  if (a == b) return true;
  if (auto ta = dyn_cast<mlir::TupleType>(a)) {
    auto tb = dyn_cast<mlir::TupleType>(b);
    return tb && ta.size() == tb.size() &&
           llvm::all_of(llvm::zip_equal(ta.getTypes(), tb.getTypes()), [](auto pair) {
             return CompatibleTypes(std::get<0>(pair), std::get<1>(pair));
           });
  }
  auto ta = dyn_cast<RankedTensorType>(a);
  auto tb = dyn_cast<RankedTensorType>(b);
  return ta && tb && CompatibleShapes(ta.getShape(), tb.getShape()) &&
         CompatibleElementTypes(ta.getElementType(), tb.getElementType());
}

namespace trait::impl {

LogicalResult VerifyCompatibleTypes(mlir::Operation* op) {
  Type first = op->getResult(0).getType();
  for (Type type : op->getOperandTypes()) {
    if (!stablehlo::CompatibleTypes(type, first)) {
      return op->emitOpError() << "operand type " << type
                               << " is not compatible with result type " << first;
    }
  }
  return mlir::success();
}

LogicalResult VerifyCompatibleElementTypes(mlir::Operation* op) {
  Type first = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  auto check = [&](Type type) {
    return stablehlo::CompatibleElementTypes(mlir::getElementTypeOrSelf(type), first);
  };
  for (Type type : op->getOperandTypes()) {
    if (!check(type)) {
      return op->emitOpError() << "element type of operand type " << type
                               << " differs from the result's " << first;
    }
  }
  for (Type type : op->getResultTypes()) {
    if (!check(type)) {
      return op->emitOpError() << "element types of the results differ: " << first
                               << " and " << mlir::getElementTypeOrSelf(type);
    }
  }
  return mlir::success();
}

LogicalResult VerifyPairwise(mlir::Operation* op, bool elementsOnly) {
  if (op->getNumOperands() != op->getNumResults()) {
    return op->emitOpError() << "has " << op->getNumOperands() << " operands but "
                             << op->getNumResults() << " results";
  }
  for (auto [index, operand, result] :
       llvm::enumerate(op->getOperandTypes(), op->getResultTypes())) {
    bool ok = elementsOnly
                  ? stablehlo::CompatibleElementTypes(mlir::getElementTypeOrSelf(operand),
                                                      mlir::getElementTypeOrSelf(result))
                  : stablehlo::CompatibleTypes(operand, result);
    if (!ok) {
      return op->emitOpError() << "operand " << index << " of type " << operand
                               << " does not match result type " << result;
    }
  }
  return mlir::success();
}

}  // namespace trait::impl
}  // namespace tenon::stablehlo
