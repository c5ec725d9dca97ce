#include "tenon/compiler/partition/part_builder.h"

namespace tenon::compiler::partition {

mlir::Value PartBuilder::Splat(mlir::RankedTensorType type, int64_t value) {
  auto element = llvm::cast<mlir::IntegerType>(type.getElementType());
  const llvm::APInt number(element.getWidth(), static_cast<uint64_t>(value),
                           /*isSigned=*/true, /*implicitTrunc=*/true);
  return stablehlo::ConstantOp::create(b_, location_,
                                       mlir::DenseElementsAttr::get(type, number));
}

mlir::Value PartBuilder::Zeros(mlir::RankedTensorType type) {
  mlir::Attribute zero = b_.getZeroAttr(type.getElementType());
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type.getElementType())) {
    mlir::Attribute part = b_.getZeroAttr(complex.getElementType());
    zero = b_.getArrayAttr({part, part});
  }
  return stablehlo::ConstantOp::create(b_, location_,
                                       mlir::DenseElementsAttr::get(type, zero));
}

mlir::Value PartBuilder::Broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<int64_t> dims) {
  if (TypeOf(value).getShape() == shape) return value;
  return stablehlo::BroadcastInDimOp::create(b_, location_, TypeOf(value).clone(shape),
                                             value, b_.getDenseI64ArrayAttr(dims));
}

mlir::Value PartBuilder::Convert(mlir::Value value, mlir::Type element) {
  if (TypeOf(value).getElementType() == element) return value;
  return stablehlo::ConvertOp::create(b_, location_, TypeOf(value).clone(element), value);
}

mlir::Value PartBuilder::Bitcast(mlir::Value value, mlir::Type element) {
  if (TypeOf(value).getElementType() == element) return value;
  return stablehlo::BitcastConvertOp::create(b_, location_, TypeOf(value).clone(element),
                                             value);
}

mlir::Value PartBuilder::Reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
  if (TypeOf(value).getShape() == shape) return value;
  return stablehlo::ReshapeOp::create(b_, location_, TypeOf(value).clone(shape), value);
}

mlir::Value PartBuilder::Apply(llvm::StringRef name, mlir::Value a, mlir::Value b) {
  mlir::OperationState state(location_, name);
  state.addOperands({a, b});
  state.addTypes(a.getType());
  return b_.create(state)->getResult(0);
}

mlir::Value PartBuilder::Compare(stablehlo::ComparisonDirection direction, mlir::Value a,
                                 mlir::Value b) {
  return stablehlo::CompareOp::create(b_, location_, a, b, direction);
}

mlir::Value PartBuilder::Select(mlir::Value predicate, mlir::Value a, mlir::Value b) {
  return stablehlo::SelectOp::create(b_, location_, a.getType(), predicate, a, b);
}

mlir::Value PartBuilder::Iota(mlir::RankedTensorType type, int64_t dim) {
  return stablehlo::IotaOp::create(b_, location_, type, static_cast<uint64_t>(dim));
}

mlir::Value PartBuilder::Slice(mlir::Value value, int64_t dim, int64_t start,
                               int64_t size) {
  llvm::SmallVector<int64_t> limits(TypeOf(value).getShape());
  if (limits[dim] == size) return value;
  llvm::SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  llvm::SmallVector<int64_t> shape = limits;
  starts[dim] = start;
  limits[dim] = start + size;
  shape[dim] = size;
  return stablehlo::SliceOp::create(
      b_, location_, TypeOf(value).clone(shape), value, b_.getDenseI64ArrayAttr(starts),
      b_.getDenseI64ArrayAttr(limits), b_.getDenseI64ArrayAttr(strides));
}

mlir::Value PartBuilder::Slice(mlir::Value value, int64_t dim, mlir::Value start,
                               int64_t size, mlir::Value zero) {
  llvm::SmallVector<int64_t> shape(TypeOf(value).getShape());
  if (shape[dim] == size) return value;
  shape[dim] = size;
  llvm::SmallVector<mlir::Value> starts(shape.size(), zero);
  starts[dim] = start;
  return stablehlo::DynamicSliceOp::create(b_, location_, TypeOf(value).clone(shape),
                                           value, starts, b_.getDenseI64ArrayAttr(shape));
}

mlir::Value PartBuilder::Concatenate(mlir::ValueRange values, int64_t dim) {
  if (values.size() == 1) return values.front();
  llvm::SmallVector<int64_t> shape(TypeOf(values.front()).getShape());
  shape[dim] = 0;
  for (mlir::Value value : values) shape[dim] += TypeOf(value).getDimSize(dim);
  return stablehlo::ConcatenateOp::create(b_, location_,
                                          TypeOf(values.front()).clone(shape), values,
                                          static_cast<uint64_t>(dim));
}

}  // namespace tenon::compiler::partition
