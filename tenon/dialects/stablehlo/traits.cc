#include "tenon/dialects/stablehlo/traits.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/dialects/stablehlo/dialect.h"

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

// Storage of 2 to 32 bits (a power of two), a float expressed type, zero points in range.
bool IsValidQuantized(QuantizedType type, llvm::ArrayRef<int64_t> zeroPoints) {
  auto storage = dyn_cast<mlir::IntegerType>(type.getStorageType());
  if (!storage || (!storage.isSignless() && type.isSigned()) ||
      llvm::any_of(zeroPoints, [&](int64_t zero) {
        return zero < type.getStorageTypeMin() || zero > type.getStorageTypeMax();
      })) {
    return false;
  }
  unsigned width = storage.getWidth();
  return (width == 2 || width == 4 || width == 8 || width == 16 || width == 32) &&
         isa<mlir::FloatType>(type.getExpressedType());
}

}  // namespace

bool IsPerTensorQuantized(Type type) {
  auto quantized = dyn_cast<UniformQuantizedType>(type);
  return quantized && IsValidQuantized(quantized, {quantized.getZeroPoint()});
}

bool IsPerAxisQuantized(Type type) {
  auto quantized = dyn_cast<UniformQuantizedPerAxisType>(type);
  return quantized && IsValidQuantized(quantized, quantized.getZeroPoints());
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

bool HasSingleBoundedDimension(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return false;
  llvm::ArrayRef<int64_t> bounds = GetBounds(tensor);
  return tensor.getNumDynamicDims() == 1 && !bounds.empty() &&
         llvm::count_if(bounds,
                        [](int64_t bound) { return !ShapedType::isDynamic(bound); }) == 1;
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

static bool FitsBounds(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> bounds) {
  return llvm::all_of(llvm::zip(shape, bounds), [](auto pair) {
    auto [size, bound] = pair;
    return ShapedType::isDynamic(size) || ShapedType::isDynamic(bound) || size <= bound;
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
         FitsBounds(ta.getShape(), GetBounds(tb)) &&
         FitsBounds(tb.getShape(), GetBounds(ta)) &&
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
