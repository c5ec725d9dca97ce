#include "tenon/dialects/stablehlo/verify_util.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/dialects/stablehlo/shape_ops.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::isa;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;

namespace tenon::stablehlo {

std::string ToString(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os, [&](int64_t value) {
    if (ShapedType::isDynamic(value)) {
      os << '?';
    } else {
      os << value;
    }
  });
  os << ']';
  return text;
}

Type ElementType(Type type) { return mlir::getElementTypeOrSelf(type); }

LogicalResult VerifySize(Operation* op, StringRef name, int64_t size, int64_t expected) {
  if (size == expected) return success();
  return op->emitOpError() << name << " has " << size << " elements, expected "
                           << expected;
}

LogicalResult VerifyAtLeast(Operation* op, StringRef name, ArrayRef<int64_t> values,
                            int64_t minimum) {
  if (llvm::all_of(values, [&](int64_t value) { return value >= minimum; })) {
    return success();
  }
  return op->emitOpError() << name << " = " << ToString(values)
                           << " has an element less than " << minimum;
}

LogicalResult VerifyDim(Operation* op, StringRef name, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank) return success();
  return op->emitOpError() << name << " = " << dim << " is not in the range [0, " << rank
                           << ')';
}

LogicalResult VerifyDims(Operation* op, StringRef name, ArrayRef<int64_t> dims,
                         int64_t rank) {
  if (llvm::all_of(dims, [&](int64_t dim) { return dim >= 0 && dim < rank; })) {
    return success();
  }
  return op->emitOpError() << name << " = " << ToString(dims)
                           << " has an element outside the range [0, " << rank << ')';
}

LogicalResult VerifyUnique(Operation* op, StringRef name, ArrayRef<int64_t> dims) {
  return VerifyUnique(op, name, dims, {});
}

LogicalResult VerifyUnique(Operation* op, StringRef name, ArrayRef<int64_t> first,
                           ArrayRef<int64_t> second) {
  llvm::SmallSet<int64_t, 8> seen;
  for (ArrayRef<int64_t> dims : {first, second}) {
    for (int64_t dim : dims) {
      if (!seen.insert(dim).second) {
        return op->emitOpError() << name << " has the element " << dim << " twice";
      }
    }
  }
  return success();
}

LogicalResult VerifySorted(Operation* op, StringRef name, ArrayRef<int64_t> dims) {
  if (llvm::is_sorted(dims)) return success();
  return op->emitOpError() << name << " = " << ToString(dims) << " is not sorted";
}

std::optional<SmallVector<int64_t>> ConstantInts(mlir::Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant) return std::nullopt;
  // Reads the property directly: the accessor asserts the attribute kind.
  auto elements = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(
      static_cast<mlir::Attribute>(constant.getProperties().value));
  if (!elements) return std::nullopt;
  SmallVector<int64_t> values;
  for (const llvm::APInt& element : elements.getValues<llvm::APInt>()) {
    values.push_back(element.getSExtValue());
  }
  return values;
}

LogicalResult VerifyResultShape(Operation* op, ArrayRef<int64_t> inferred,
                                unsigned index) {
  auto type = mlir::cast<RankedTensorType>(op->getResult(index).getType());
  if (CompatibleShapes(type.getShape(), inferred)) return success();
  return op->emitOpError() << "result type " << type
                           << " does not have the inferred shape " << ToString(inferred);
}

LogicalResult VerifySameShape(Operation* op, StringRef nameA, Type a, StringRef nameB,
                              Type b) {
  if (CompatibleShapes(mlir::cast<ShapedType>(a).getShape(),
                       mlir::cast<ShapedType>(b).getShape())) {
    return success();
  }
  return op->emitOpError() << "shapes of " << nameA << ' ' << a << " and " << nameB << ' '
                           << b << " differ";
}

LogicalResult VerifyCompatible(Operation* op, StringRef nameA, Type a, StringRef nameB,
                               Type b) {
  if (CompatibleTypes(a, b)) return success();
  return op->emitOpError() << "types of " << nameA << ' ' << a << " and " << nameB << ' '
                           << b << " differ";
}

bool IsPromotable(Type from, Type to) {
  if (CompatibleElementTypes(from, to)) return true;
  auto complexFrom = dyn_cast<mlir::ComplexType>(from);
  auto complexTo = dyn_cast<mlir::ComplexType>(to);
  if (complexFrom && complexTo) {
    return IsPromotable(complexFrom.getElementType(), complexTo.getElementType());
  }
  auto quantFrom = dyn_cast<mlir::quant::QuantizedType>(from);
  auto quantTo = dyn_cast<mlir::quant::QuantizedType>(to);
  if (quantFrom && quantTo) {
    return quantFrom.getExpressedType() == quantTo.getExpressedType() &&
           quantFrom.getStorageTypeIntegralWidth() <=
               quantTo.getStorageTypeIntegralWidth();
  }
  auto intFrom = dyn_cast<mlir::IntegerType>(from);
  auto intTo = dyn_cast<mlir::IntegerType>(to);
  if (intFrom && intTo) {
    return intFrom.getSignedness() == intTo.getSignedness() &&
           intFrom.getWidth() <= intTo.getWidth() &&
           (intFrom.getWidth() == 1) == (intTo.getWidth() == 1);
  }
  auto floatFrom = dyn_cast<mlir::FloatType>(from);
  auto floatTo = dyn_cast<mlir::FloatType>(to);
  return floatFrom && floatTo && floatFrom.getWidth() <= floatTo.getWidth();
}

LogicalResult VerifyScalarArguments(Operation* op, StringRef name, mlir::Region& region,
                                    ArrayRef<Type> elementTypes) {
  if (region.getNumArguments() != elementTypes.size()) {
    return op->emitOpError() << name << " takes " << region.getNumArguments()
                             << " arguments, expected " << elementTypes.size();
  }
  for (auto [index, type, element] :
       llvm::enumerate(region.getArgumentTypes(), elementTypes)) {
    Type expected = RankedTensorType::get({}, element);
    if (!CompatibleTypes(type, expected)) {
      return op->emitOpError() << name << " argument " << index << " has type " << type
                               << ", expected " << expected;
    }
  }
  return success();
}

LogicalResult VerifyReturnsPred(Operation* op, StringRef name, mlir::Region& region) {
  mlir::TypeRange types = region.front().getTerminator()->getOperandTypes();
  auto expected = RankedTensorType::get({}, mlir::IntegerType::get(op->getContext(), 1));
  if (types.size() == 1 && types.front() == expected) return success();
  return op->emitOpError() << name << " must return one value of type " << expected
                           << ", returns (" << types << ')';
}

LogicalResult VerifyReducer(Operation* op, StringRef name, mlir::Region& region,
                            mlir::TypeRange inputs, mlir::TypeRange results) {
  SmallVector<Type> accumulators;
  for (auto [index, input, result] : llvm::enumerate(inputs, results)) {
    accumulators.push_back(ElementType(result));
    if (!IsPromotable(ElementType(input), accumulators.back())) {
      return op->emitOpError() << "element type of input " << index << " of type "
                               << input << " cannot be promoted to that of result type "
                               << result;
    }
  }
  SmallVector<Type> arguments(accumulators);
  arguments.append(accumulators);
  if (failed(VerifyScalarArguments(op, name, region, arguments))) return failure();
  mlir::TypeRange returned = region.front().getTerminator()->getOperandTypes();
  if (returned.size() != accumulators.size()) {
    return op->emitOpError() << name << " returns " << returned.size()
                             << " values, expected " << accumulators.size();
  }
  for (auto [index, type, element] : llvm::enumerate(returned, accumulators)) {
    Type expected = RankedTensorType::get({}, element);
    if (!CompatibleTypes(type, expected)) {
      return op->emitOpError() << name << " returns a value " << index << " of type "
                               << type << ", expected " << expected;
    }
  }
  return success();
}

FailureOr<SmallVector<WindowDim>> GetWindow(
    Operation* op, ArrayRef<int64_t> sizes, std::optional<ArrayRef<int64_t>> strides,
    std::optional<ArrayRef<int64_t>> baseDilations,
    std::optional<ArrayRef<int64_t>> windowDilations,
    std::optional<mlir::DenseIntElementsAttr> padding) {
  int64_t rank = static_cast<int64_t>(sizes.size());
  SmallVector<WindowDim> window(rank);
  for (auto [dim, size] : llvm::zip_equal(window, sizes)) dim.size = size;
  auto fill = [&](StringRef name, std::optional<ArrayRef<int64_t>> values,
                  int64_t WindowDim::* field) -> LogicalResult {
    if (!values) return success();
    if (failed(VerifySize(op, name, values->size(), rank)) ||
        failed(VerifyAtLeast(op, name, *values, 1))) {
      return failure();
    }
    for (auto [dim, value] : llvm::zip_equal(window, *values)) dim.*field = value;
    return success();
  };
  if (failed(fill("window strides", strides, &WindowDim::stride)) ||
      failed(fill("base dilation", baseDilations, &WindowDim::baseDilation)) ||
      failed(fill("window dilation", windowDilations, &WindowDim::windowDilation))) {
    return failure();
  }
  if (!padding) return window;
  if (padding->getType().getShape() != ArrayRef<int64_t>({rank, 2})) {
    return op->emitOpError() << "padding has type " << padding->getType()
                             << ", expected the shape [" << rank << ", 2]";
  }
  auto value = padding->getValues<int64_t>().begin();
  for (WindowDim& dim : window) {
    dim.low = *value++;
    dim.high = *value++;
  }
  return window;
}

FailureOr<int64_t> CountWindows(Operation* op, int64_t input, const WindowDim& window) {
  if (ShapedType::isDynamic(input) || ShapedType::isDynamic(window.size)) {
    return ShapedType::kDynamic;
  }
  // A product of two int64, and a sum of a few such products, fits in 128 bits.
  using Wide = __int128;
  auto dilate = [](int64_t size, int64_t dilation) {
    return size == 0 ? Wide{0} : (Wide{size} - 1) * dilation + 1;
  };
  Wide padded = Wide{window.low} + dilate(input, window.baseDilation) + window.high;
  Wide dilated = dilate(window.size, window.windowDilation);
  if (padded < 0) {
    return op->emitOpError() << "negative padding (" << window.low << ", " << window.high
                             << ") removes more than the size " << input;
  }
  if (padded == 0 || dilated > padded) return 0;
  Wide count = (padded - dilated) / window.stride + 1;
  if (count > std::numeric_limits<int64_t>::max()) {
    return op->emitOpError() << "number of windows over a dimension of size " << input
                             << " exceeds 64 bits";
  }
  return static_cast<int64_t>(count);
}

}  // namespace tenon::stablehlo
