// Kernels of dynamic_update_slice, which update part of an array in place.
#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {
Status BuildUpdateSliceKernel(KernelFrame& frame) {
  auto update = frame.yields()[0].getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  if (!update) return Internal("an update_slice fusion must end in dynamic_update_slice");
  TENON_ASSIGN_OR_RETURN(int64_t old, UpdatedOperand(update.getOperand()));
  frame.built().in_place = {old};
  // If other ops read the old array, too, they need a view of their own.
  bool only_updated = frame.region().getArgument(old).hasOneUse();
  frame.AddInputs(only_updated ? llvm::ArrayRef<int64_t>(old)
                               : llvm::ArrayRef<int64_t>());
  frame.AddOutputs();
  llvm::SmallVector<int64_t> shape(ShapeOf(update.getUpdate()));
  double point_ns = std::max(frame.cost().moved_element_ns, EstimatePointNs(frame));
  frame.built().estimated_ns = point_ns * Product(shape);
  if (Product(shape) == 0) return OkStatus();
  llvm::ArrayRef<int64_t> sizes(shape);
  llvm::ArrayRef<int64_t> outer = sizes.empty() ? sizes : sizes.drop_back();
  double row_ns = sizes.empty() ? point_ns : point_ns * sizes.back();
  KernelBlock phase(frame, outer, frame.cost().Grain(Product(outer), row_ns));
  PointBuilder& points = phase.points();
  llvm::SmallVector<mlir::Value> indices = phase.arguments();
  llvm::SmallVector<mlir::Value> starts;
  for (auto [start, full, part] :
       llvm::zip_equal(update.getStartIndices(), ShapeOf(update.getOperand()), sizes)) {
    if (full == part) {
      starts.push_back(points.index().Constant(0));
      continue;
    }
    TENON_ASSIGN_OR_RETURN(mlir::Value scalar, points.At(start, {}, nullptr));
    starts.push_back(points.ClampedIndex(scalar, full - part));
  }
  return BuildLoops(points, sizes.drop_front(outer.size()),
                    [&](llvm::ArrayRef<mlir::Value> rest) -> Status {
                      llvm::SmallVector<mlir::Value> all(indices);
                      llvm::append_range(all, rest);
                      TENON_ASSIGN_OR_RETURN(mlir::Value value,
                                             points.At(update.getUpdate(), all, nullptr));
                      for (auto [index, start] : llvm::zip_equal(all, starts))
                        index = points.index().Add(index, start);
                      BuildStore(points, value, frame.output(0), all);
                      return OkStatus();
                    });
}

}  // namespace tenon::compiler
