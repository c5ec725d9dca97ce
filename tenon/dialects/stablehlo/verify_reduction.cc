// Verifiers of the ops that apply a region to elements.
#include "tenon/dialects/stablehlo/reduction_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace tenon::stablehlo {
namespace {

ArrayRef<int64_t> Shape(mlir::Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

// There are as many inputs as initial values and results, at least one. The inputs have
// the same shape. The initial values are scalars of the inputs' element types. (reduce_c1
// to c3, reduce_window_c1 to c3)
LogicalResult VerifyInputsAndInits(Operation* op) {
  unsigned operands = op->getNumOperands();
  if (operands == 0 || operands % 2 != 0 || op->getNumResults() != operands / 2) {
    return op->emitOpError()
           << "has " << operands << " operands and " << op->getNumResults()
           << " results, expected one input and one initial value per result";
  }
  TypeRange types = op->getOperandTypes();
  TypeRange inputs = types.take_front(operands / 2);
  for (auto [input, init] : llvm::zip_equal(inputs, types.drop_front(operands / 2))) {
    if (failed(VerifySameShape(op, "inputs", inputs.front(), "and", input)))
      return failure();
    if (cast<RankedTensorType>(init).getRank() != 0) {
      return op->emitOpError() << "initial value must be a scalar, got " << init;
    }
    if (!CompatibleElementTypes(ElementType(input), ElementType(init))) {
      return op->emitOpError() << "element types of input " << input
                               << " and initial value " << init << " differ";
    }
  }
  return success();
}

// There is one window size per dimension, all positive.
LogicalResult VerifyWindowSizes(Operation* op, ArrayRef<int64_t> sizes, int64_t rank) {
  return LogicalResult::success(
      mlir::succeeded(VerifySize(op, "window_dimensions", sizes.size(), rank)) &&
      mlir::succeeded(VerifyAtLeast(op, "window_dimensions", sizes, 1)));
}

mlir::FailureOr<SmallVector<int64_t>> WindowCounts(Operation* op, ArrayRef<int64_t> input,
                                                   ArrayRef<WindowDim> window) {
  SmallVector<int64_t> counts;
  for (auto [size, dim] : llvm::zip_equal(input, window)) {
    mlir::FailureOr<int64_t> count = CountWindows(op, size, dim);
    if (failed(count)) return failure();
    counts.push_back(*count);
  }
  return counts;
}

}  // namespace

LogicalResult ReduceOp::verify() {
  if (failed(VerifyInputsAndInits(*this))) return failure();
  ArrayRef<int64_t> input = Shape(getInputs().front());
  if (failed(
          VerifyDims(*this, "dimensions", getDimensions(), input.size())) ||  // reduce_c4
      failed(VerifyUnique(*this, "dimensions", getDimensions()))) {           // reduce_c5
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(input)) {
    if (!llvm::is_contained(getDimensions(), static_cast<int64_t>(dim))) {
      shape.push_back(size);
    }
  }
  for (unsigned i = 0; i < getNumResults(); ++i) {  // reduce_c7
    if (failed(VerifyResultShape(*this, shape, i))) return failure();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {  // reduce_c6, reduce_c8
  return VerifyReducer(*this, "body", getBody(), getInputs().getTypes(),
                       getResultTypes());
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(VerifyInputsAndInits(*this))) return failure();
  ArrayRef<int64_t> input = Shape(getInputs().front());
  if (failed(VerifyWindowSizes(*this, getWindowDimensions(), input.size()))) {  // c4, c5
    return failure();
  }
  auto window = GetWindow(*this, getWindowDimensions(), getWindowStrides(),
                          getBaseDilations(), getWindowDilations(), getPadding());
  if (failed(window)) return failure();  // reduce_window_c6 to c12
  auto shape = WindowCounts(*this, input, *window);
  if (failed(shape)) return failure();
  for (unsigned i = 0; i < getNumResults(); ++i) {  // reduce_window_c14, c15
    if (failed(VerifyResultShape(*this, *shape, i))) return failure();
  }
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() {  // reduce_window_c13, c16
  return VerifyReducer(*this, "body", getBody(), getInputs().getTypes(),
                       getResultTypes());
}

LogicalResult SelectAndScatterOp::verify() {
  Type operand = getOperand().getType();
  ArrayRef<int64_t> input = Shape(getOperand());
  for (mlir::Value other : {getSource(), getInitValue()}) {
    if (!CompatibleElementTypes(ElementType(operand), ElementType(other.getType()))) {
      return emitOpError() << "element types of operand " << operand << " and "
                           << other.getType() << " differ";  // c1, c3
    }
  }
  if (!Shape(getInitValue()).empty()) {
    return emitOpError() << "initial value must be a scalar, got "
                         << getInitValue().getType();
  }
  if (failed(VerifySameShape(*this, "operand", operand, "result", getType()))) {  // c11
    return failure();
  }
  ArrayRef<int64_t> sizes = getWindowDimensions().value_or(ArrayRef<int64_t>());
  if (failed(VerifyWindowSizes(*this, sizes, input.size()))) return failure();  // c4, c5
  auto window = GetWindow(*this, sizes, getWindowStrides(), std::nullopt, std::nullopt,
                          getPadding());
  if (failed(window)) return failure();  // select_and_scatter_c6 to c8
  auto counts = WindowCounts(*this, input, *window);
  if (failed(counts)) return failure();
  if (!CompatibleShapes(*counts, Shape(getSource()))) {  // select_and_scatter_c2
    return emitOpError() << "source type " << getSource().getType()
                         << " does not have the inferred shape " << ToString(*counts);
  }
  return success();
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  Type element = ElementType(getOperand().getType());
  if (failed(VerifyScalarArguments(*this, "select", getSelect(), {element, element})) ||
      failed(VerifyReturnsPred(*this, "select", getSelect()))) {  // select_and_scatter_c9
    return failure();
  }
  return VerifyReducer(*this, "scatter", getScatter(), getOperand().getType(),
                       getType());  // select_and_scatter_c10, c12
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return emitOpError() << "has no inputs";  // sort_c1
  if (failed(VerifySize(*this, "results", getNumResults(), getInputs().size()))) {
    return failure();
  }
  for (auto [input, result] : llvm::zip_equal(getInputs().getTypes(), getResultTypes())) {
    if (failed(VerifyCompatible(*this, "input", input, "result", result))) {  // sort_c2
      return failure();
    }
  }
  int64_t rank = Shape(getInputs().front()).size();
  int64_t dimension = getDimension();
  if (dimension >= -rank && dimension < rank) return success();  // sort_c4
  return emitOpError() << "dimension = " << dimension << " is not in the range [" << -rank
                       << ", " << rank << ')';
}

LogicalResult SortOp::verifyRegions() {  // sort_c5
  SmallVector<Type> elements;
  for (Type type : getInputs().getTypes()) elements.append(2, ElementType(type));
  if (failed(VerifyScalarArguments(*this, "comparator", getComparator(), elements))) {
    return failure();
  }
  return VerifyReturnsPred(*this, "comparator", getComparator());
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) return emitOpError() << "has no inputs";  // map_c2
  auto all = llvm::to_vector(
      llvm::seq<int64_t>(0, Shape(getInputs().front()).size()));  // map_c3
  if (getDimensions() == ArrayRef<int64_t>(all)) return success();
  return emitOpError() << "dimensions = " << ToString(getDimensions()) << ", expected "
                       << ToString(all);
}

LogicalResult MapOp::verifyRegions() {  // map_c4
  SmallVector<Type> elements(llvm::map_range(
      getInputs().getTypes(), [](Type type) { return ElementType(type); }));
  if (failed(VerifyScalarArguments(*this, "computation", getComputation(), elements))) {
    return failure();
  }
  TypeRange returned = getComputation().front().getTerminator()->getOperandTypes();
  Type expected = RankedTensorType::get({}, ElementType(getType()));
  if (returned.size() == 1 && CompatibleTypes(returned.front(), expected))
    return success();
  return emitOpError() << "computation must return one value of type " << expected
                       << ", returns (" << returned << ')';
}

}  // namespace tenon::stablehlo
