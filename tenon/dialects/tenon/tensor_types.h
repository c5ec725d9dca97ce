// Shapes and element types of ranked tensors, and the memref views that hold them. All
// values of a program except tokens are ranked tensors.
#ifndef TENON_DIALECTS_TENON_TENSOR_TYPES_H_
#define TENON_DIALECTS_TENON_TENSOR_TYPES_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace tenon::compiler {

inline mlir::RankedTensorType TypeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}
inline llvm::ArrayRef<int64_t> ShapeOf(mlir::Value tensor) {
  return TypeOf(tensor).getShape();
}
inline mlir::Type ElementOf(mlir::Value tensor) {
  return TypeOf(tensor).getElementType();
}
// The type of one element: a tensor of rank 0.
inline mlir::RankedTensorType ScalarTypeOf(mlir::Value tensor) {
  return mlir::RankedTensorType::get({}, ElementOf(tensor));
}
inline bool IsRankZero(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

// The number of elements of an array with these sizes.
int64_t Product(llvm::ArrayRef<int64_t> sizes);
// The dense row-major view of a tensor type.
mlir::MemRefType ViewTypeOf(mlir::Type tensor);
// A view of the same elements with other sizes and strides (in elements).
mlir::MemRefType StridedView(mlir::Type element, llvm::ArrayRef<int64_t> sizes,
                             llvm::ArrayRef<int64_t> strides);
llvm::SmallVector<int64_t> RowMajorStrides(llvm::ArrayRef<int64_t> shape);

// Whether `dims`, in this order, can be traversed with one stride in a row-major tensor.
inline bool Collapses(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) {
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (shape[dim] == 1) continue;
    if (previous >= 0) {
      if (dim < previous) return false;
      for (int64_t between = previous + 1; between < dim; ++between)
        if (shape[between] != 1) return false;
    }
    previous = dim;
  }
  return true;
}

}  // namespace tenon::compiler

#endif  // TENON_DIALECTS_TENON_TENSOR_TYPES_H_
