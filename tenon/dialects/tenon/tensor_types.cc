#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

int64_t Product(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

mlir::MemRefType ViewTypeOf(mlir::Type tensor) {
  auto type = llvm::cast<mlir::RankedTensorType>(tensor);
  return mlir::MemRefType::get(type.getShape(), type.getElementType());
}

llvm::SmallVector<int64_t> RowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

mlir::MemRefType StridedView(mlir::Type element, llvm::ArrayRef<int64_t> sizes,
                             llvm::ArrayRef<int64_t> strides) {
  return mlir::MemRefType::get(
      sizes, element, mlir::StridedLayoutAttr::get(element.getContext(), 0, strides));
}

}  // namespace tenon::compiler
