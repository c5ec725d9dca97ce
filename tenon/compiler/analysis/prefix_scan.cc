#include "tenon/compiler/analysis/prefix_scan.h"

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

std::optional<PrefixScan> AsPrefixScan(mlir::Operation* op) {
  auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!window || window.getInputs().size() != 1) return std::nullopt;
  llvm::ArrayRef<int64_t> shape = ShapeOf(window.getInputs()[0]);
  if (shape != ShapeOf(window.getResult(0)) || Product(shape) == 0) return std::nullopt;
  auto all_one = [](std::optional<llvm::ArrayRef<int64_t>> values) {
    return !values || llvm::all_of(*values, [](int64_t value) { return value == 1; });
  };
  if (!all_one(window.getWindowStrides()) || !all_one(window.getBaseDilations()) ||
      !all_one(window.getWindowDilations()) || !window.getPadding())
    return std::nullopt;
  // Shorter windows are computed one by one in the loops of other ops. A scan whose lanes
  // are columns needs no shuffles, so it is faster from fewer elements on.
  constexpr int64_t kMinWindow = 8, kMinWindowOfColumns = 4, kMinColumns = 8;
  std::optional<PrefixScan> scan;
  for (auto [d, size] : llvm::enumerate(window.getWindowDimensions())) {
    auto padding = window.getPadding()->getValues<int64_t>();
    int64_t low = padding[{d, 0}], high = padding[{d, 1}];
    if (size == 1 && low == 0 && high == 0) continue;
    bool forward = low == size - 1 && high == 0, backward = low == 0 && high == size - 1;
    const bool has_columns = Product(shape.drop_front(d + 1)) >= kMinColumns;
    const int64_t min_window = has_columns ? kMinWindowOfColumns : kMinWindow;
    if (scan || size != shape[d] || size < min_window || (!forward && !backward))
      return std::nullopt;
    scan = PrefixScan{static_cast<int64_t>(d), backward};
  }
  return scan;
}

}  // namespace tenon::compiler
