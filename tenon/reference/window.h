// Windows over padded and dilated tensors. Immutable after construction.
#ifndef TENON_REFERENCE_WINDOW_H_
#define TENON_REFERENCE_WINDOW_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/types/shape.h"

namespace tenon::reference {

// The movement of a window along one dimension.
struct WindowDim {
  int64_t size = 1;  // of the window
  int64_t stride = 1;
  int64_t base_dilation = 1;    // distance of the elements of the tensor
  int64_t window_dilation = 1;  // distance of the elements of the window
  int64_t low = 0, high = 0;    // padding

  // Returns the number of positions of the window over `tensor` elements.
  int64_t Count(int64_t tensor) const {
    const int64_t dilated = tensor == 0 ? 0 : (tensor - 1) * base_dilation + 1;
    const int64_t padded = low + dilated + high;
    const int64_t span = size == 0 ? 0 : (size - 1) * window_dilation + 1;
    return padded == 0 || span > padded ? 0 : (padded - span) / stride + 1;
  }
  // Returns the tensor element under element `k` of the window at `position`; -1 in
  // padding or in a hole.
  int64_t Source(int64_t position, int64_t k, int64_t tensor) const {
    const int64_t padded_index = position * stride + k * window_dilation - low;
    if (padded_index < 0 || padded_index % base_dilation != 0) return -1;
    return padded_index / base_dilation < tensor ? padded_index / base_dilation : -1;
  }
};

// Builds windows from an op's attributes. An absent attribute is all ones; absent padding
// is zero.
std::vector<WindowDim> MakeWindow(size_t rank, llvm::ArrayRef<int64_t> sizes,
                                  std::optional<llvm::ArrayRef<int64_t>> strides,
                                  std::optional<llvm::ArrayRef<int64_t>> base_dilations,
                                  std::optional<llvm::ArrayRef<int64_t>> window_dilations,
                                  std::optional<mlir::DenseIntElementsAttr> padding);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_WINDOW_H_
