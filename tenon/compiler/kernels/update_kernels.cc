// Kernels that update part of an array in place: dynamic_update_slice and
// select_and_scatter.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/dialects/tenon/element_types.h"

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

Status BuildSelectAndScatterKernel(KernelFrame& frame) {
  auto op = frame.yields()[0].getDefiningOp<stablehlo::SelectAndScatterOp>();
  if (!op) return Internal("a select_and_scatter fusion must end in select_and_scatter");
  frame.AddInputs();
  frame.AddOutputs();
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  llvm::ArrayRef<int64_t> source_shape = ShapeOf(op.getSource());
  size_t rank = shape.size();
  auto entry = [](std::optional<llvm::ArrayRef<int64_t>> values, size_t d) {
    return values && !values->empty() ? (*values)[d] : int64_t{1};
  };
  auto padding_low = [&](size_t d) {
    auto padding = op.getPadding();
    return padding ? padding->getValues<int64_t>()[{d, 0}] : int64_t{0};
  };
  // Dimensions with a window of one element are independent of each other. They run in
  // parallel, and the innermost one in lanes.
  llvm::SmallVector<int64_t> free_dims, window_dims;
  for (size_t d = 0; d < rank; ++d) {
    bool is_free = entry(op.getWindowDimensions(), d) == 1 &&
                   entry(op.getWindowStrides(), d) == 1 && padding_low(d) == 0 &&
                   shape[d] == source_shape[d];
    (is_free ? free_dims : window_dims).push_back(d);
  }
  bool lanes = !free_dims.empty() && free_dims.back() == static_cast<int64_t>(rank) - 1 &&
               source_shape.back() > 1;
  double window = 1;
  for (int64_t d : window_dims) window *= entry(op.getWindowDimensions(), d);
  double point_ns = 1.0 + 2.0 * window * (lanes ? 0.2 : 1.0);
  frame.built().estimated_ns = point_ns * Product(source_shape) + 0.1 * Product(shape);

  auto build_phase = [&](bool fill) -> Status {
    llvm::SmallVector<int64_t> outer;
    for (int64_t d : free_dims)
      if (!lanes || d + 1 != static_cast<int64_t>(rank)) outer.push_back(shape[d]);
    int64_t rest =
        std::max<int64_t>(1, Product(shape)) / std::max<int64_t>(1, Product(outer));
    KernelBlock phase(
        frame, outer,
        frame.cost().Grain(Product(outer),
                           (fill ? frame.cost().moved_element_ns : point_ns) * rest));
    LevelStack& levels = phase.levels();
    PointBuilder& points = phase.points();
    IndexBuilder& index = phase.index();
    llvm::SmallVector<mlir::Value> position(rank);
    size_t next = 0;
    for (int64_t d : free_dims) {
      if (lanes && d + 1 == static_cast<int64_t>(rank)) continue;
      position[d] = phase.arguments()[next++];
    }
    llvm::SmallVector<int64_t> sizes;
    for (int64_t d : window_dims) sizes.push_back(fill ? shape[d] : source_shape[d]);
    auto point = [&](llvm::ArrayRef<mlir::Value> source) -> Status {
      for (auto [d, iv] : llvm::zip_equal(window_dims, source)) position[d] = iv;
      TENON_ASSIGN_OR_RETURN(mlir::Value init, points.At(op.getInitValue(), {}, nullptr));
      if (fill) {
        BuildStore(points, init, frame.output(0), position);
        return OkStatus();
      }
      // Scans the window in order, and carries the selected value and its position.
      llvm::SmallVector<int64_t> window_sizes;
      for (int64_t d : window_dims)
        window_sizes.push_back(entry(op.getWindowDimensions(), d));
      mlir::OpBuilder b = levels.InnermostBuilder();
      mlir::Type position_type = mlir::RankedTensorType::get({}, b.getI64Type());
      mlir::Type value_type = ScalarTypeOf(op.getOperand());
      mlir::Value none = points.IntegerConstant(position_type, -1);
      mlir::Value zero = points.IntegerConstant(value_type, 0);
      llvm::SmallVector<mlir::Type> types{value_type, position_type};
      auto loop = ir::ForOp::create(b, frame.loc(), types, index.Constant(0),
                                    index.Constant(Product(window_sizes)),
                                    mlir::ValueRange{zero, none});
      mlir::Block* body = b.createBlock(&loop.getBody());
      mlir::Value number = body->addArgument(b.getIndexType(), frame.loc());
      mlir::Value best = body->addArgument(value_type, frame.loc());
      mlir::Value where = body->addArgument(position_type, frame.loc());
      index.SetRange(number, 0, Product(window_sizes) - 1);
      levels.Push(body);
      llvm::SmallVector<mlir::Value> inner(position);
      mlir::Value inside;
      auto window_index = index.Delinearize(number, window_sizes);
      for (auto [d, offset] : llvm::zip_equal(window_dims, window_index)) {
        inner[d] = index.Sub(
            index.Add(index.Mul(position[d], entry(op.getWindowStrides(), d)), offset),
            index.Constant(padding_low(d)));
        inside = index.And(inside, index.InRange(inner[d], shape[d]));
      }
      TENON_ASSIGN_OR_RETURN(mlir::Value value,
                             points.At(op.getOperand(), inner, inside));
      TENON_ASSIGN_OR_RETURN(auto keep,
                             points.InlineRegion(op.getSelect(), {best, value}));
      mlir::OpBuilder inner_b = levels.InnermostBuilder();
      auto pred_type = mlir::RankedTensorType::get({}, b.getI1Type());
      mlir::Value linear = ir::FromIndexOp::create(inner_b, frame.loc(), position_type,
                                                   index.Linearize(inner, shape));
      auto compare = stablehlo::CompareOp::create(
          inner_b, frame.loc(), pred_type, where, none,
          stablehlo::ComparisonDirection::EQ, stablehlo::ComparisonTypeAttr());
      // Selects the value if none is selected yet, or if the selection prefers it.
      auto rejected = stablehlo::NotOp::create(inner_b, frame.loc(), pred_type, keep[0]);
      mlir::Value take =
          stablehlo::OrOp::create(inner_b, frame.loc(), pred_type, compare, rejected);
      if (inside) {
        mlir::Value within =
            ir::FromPredOp::create(inner_b, frame.loc(), pred_type, inside);
        take = stablehlo::AndOp::create(inner_b, frame.loc(), pred_type, take, within);
      }
      mlir::Value next_best = points.Select(take, value, best);
      mlir::Value next_where = points.Select(take, linear, where);
      mlir::OpBuilder end = levels.InnermostBuilder();
      ir::YieldOp::create(end, frame.loc(), mlir::ValueRange{next_best, next_where});
      levels.Pop();

      mlir::OpBuilder after = levels.InnermostBuilder();
      mlir::Value selected = ir::ToIndexOp::create(
          after, frame.loc(), after.getIndexType(), loop.getResult(1));
      mlir::Value found = index.InRange(selected, Product(shape));
      auto target = index.Delinearize(selected, shape);
      after = levels.InnermostBuilder();
      mlir::Value old = ir::LoadOp::create(after, frame.loc(), value_type,
                                           frame.output(0), target, found, zero);
      TENON_ASSIGN_OR_RETURN(mlir::Value source_value,
                             points.At(op.getSource(), position, nullptr));
      // Windows are visited in index order, so the left operand holds earlier updates.
      // The region need not be commutative.
      TENON_ASSIGN_OR_RETURN(auto sum,
                             points.InlineRegion(op.getScatter(), {old, source_value}));
      BuildStore(points, sum[0], frame.output(0), target, found);
      return OkStatus();
    };
    if (!lanes) return BuildSequentialLoops(points, sizes, point);
    // Lanes are the outermost loop, so that each lane keeps its own order.
    mlir::Value lower = index.Constant(0), upper = index.Constant(shape.back());
    return BuildMap(points, lower, upper, shape.back() - 1, [&](mlir::Value iv) {
      position[rank - 1] = iv;
      return BuildSequentialLoops(points, sizes, point);
    });
  };
  if (Product(shape) == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(build_phase(/*fill=*/true));
  if (Product(source_shape) == 0) return OkStatus();
  return build_phase(/*fill=*/false);
}

}  // namespace tenon::compiler
