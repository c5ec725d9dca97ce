// Kernels of select_and_scatter: fill the result with the initial value, then select an
// element in each window and add the source's element there.
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/dialects/stablehlo/window_attributes.h"

namespace tenon::compiler {
namespace {

using Indices = llvm::ArrayRef<mlir::Value>;

class SelectAndScatterBuilder {
 public:
  SelectAndScatterBuilder(KernelFrame& frame, stablehlo::SelectAndScatterOp op)
      : frame_(frame),
        op_(op),
        shape_(ShapeOf(op.getOperand())),
        source_shape_(ShapeOf(op.getSource())) {
    for (size_t d = 0; d < shape_.size(); ++d) {
      bool is_free = stablehlo::EntryOr1(op.getWindowDimensions(), d) == 1 &&
                     stablehlo::EntryOr1(op.getWindowStrides(), d) == 1 &&
                     PaddingLow(d) == 0 && shape_[d] == source_shape_[d];
      (is_free ? free_dims_ : window_dims_).push_back(d);
    }
    lanes_ =
        !free_dims_.empty() && IsLastDim(free_dims_.back()) && source_shape_.back() > 1;
    for (int64_t d : window_dims_)
      window_sizes_.push_back(stablehlo::EntryOr1(op.getWindowDimensions(), d));
  }

  Status Build() {
    point_ns_ = 1.0 + 2.0 * Product(window_sizes_) * (lanes_ ? 0.2 : 1.0);
    frame_.built().estimated_ns =
        point_ns_ * Product(source_shape_) + 0.1 * Product(shape_);
    if (Product(shape_) == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(BuildPhase(/*fill=*/true));
    if (Product(source_shape_) == 0) return OkStatus();
    return BuildPhase(/*fill=*/false);
  }

 private:
  int64_t PaddingLow(size_t d) { return stablehlo::PaddingOf(op_.getPadding(), d).first; }
  bool IsLastDim(int64_t d) const { return d + 1 == static_cast<int64_t>(shape_.size()); }

  // One pass over the result (`fill`) or over the source.
  Status BuildPhase(bool fill) {
    llvm::SmallVector<int64_t> outer;
    for (int64_t d : free_dims_)
      if (!lanes_ || !IsLastDim(d)) outer.push_back(shape_[d]);
    int64_t rest =
        std::max<int64_t>(1, Product(shape_)) / std::max<int64_t>(1, Product(outer));
    KernelBlock phase(
        frame_, outer,
        frame_.cost().Grain(Product(outer),
                            (fill ? frame_.cost().moved_element_ns : point_ns_) * rest));
    PointBuilder& points = phase.points();
    llvm::SmallVector<mlir::Value> position(shape_.size());
    size_t next = 0;
    for (int64_t d : free_dims_)
      if (!lanes_ || !IsLastDim(d)) position[d] = phase.arguments()[next++];
    llvm::SmallVector<int64_t> sizes;
    for (int64_t d : window_dims_) sizes.push_back(fill ? shape_[d] : source_shape_[d]);
    auto point = [&](Indices source) -> Status {
      for (auto [d, iv] : llvm::zip_equal(window_dims_, source)) position[d] = iv;
      return fill ? Fill(points, position) : ScatterWindow(points, position);
    };
    if (!lanes_) return BuildSequentialLoops(points, sizes, point);
    // Lanes are the outermost loop, so that each lane keeps its own order.
    mlir::Value lower = points.index().Constant(0);
    mlir::Value upper = points.index().Constant(shape_.back());
    return BuildMap(points, lower, upper, shape_.back() - 1, [&](mlir::Value iv) {
      position[shape_.size() - 1] = iv;
      return BuildSequentialLoops(points, sizes, point);
    });
  }

  Status Fill(PointBuilder& points, Indices position) {
    TENON_ASSIGN_OR_RETURN(mlir::Value init, points.At(op_.getInitValue(), {}, nullptr));
    BuildStore(points, init, frame_.output(0), position);
    return OkStatus();
  }

  // Adds the element at `position` of the source to the selected element of its window.
  Status ScatterWindow(PointBuilder& points, Indices position) {
    IndexBuilder& index = points.index();
    LevelStack& levels = points.levels();
    mlir::OpBuilder b = levels.InnermostBuilder();
    mlir::Type position_type = mlir::RankedTensorType::get({}, b.getI64Type());
    mlir::Value none = points.IntegerConstant(position_type, -1);
    mlir::Value zero = points.IntegerConstant(ScalarTypeOf(op_.getOperand()), 0);
    TENON_ASSIGN_OR_RETURN(mlir::Value where,
                           SelectInWindow(points, position, zero, none));
    b = levels.InnermostBuilder();
    mlir::Value selected =
        ir::ToIndexOp::create(b, frame_.loc(), b.getIndexType(), where);
    mlir::Value found = index.InRange(selected, Product(shape_));
    auto target = index.Delinearize(selected, shape_);
    b = levels.InnermostBuilder();
    mlir::Value old = ir::LoadOp::create(b, frame_.loc(), zero.getType(),
                                         frame_.output(0), target, found, zero);
    TENON_ASSIGN_OR_RETURN(mlir::Value source_value,
                           points.At(op_.getSource(), position, nullptr));
    // Windows are visited in index order, so the left operand holds earlier updates. The
    // region need not be commutative.
    TENON_ASSIGN_OR_RETURN(auto sum,
                           points.InlineRegion(op_.getScatter(), {old, source_value}));
    BuildStore(points, sum[0], frame_.output(0), target, found);
    return OkStatus();
  }

  // Scans the window at `position` in order, and returns the linear position of the
  // selected element in the operand. `none` if no element of the window is inside it.
  StatusOr<mlir::Value> SelectInWindow(PointBuilder& points, Indices position,
                                       mlir::Value zero, mlir::Value none) {
    IndexBuilder& index = points.index();
    LevelStack& levels = points.levels();
    mlir::OpBuilder b = levels.InnermostBuilder();
    mlir::Type value_type = zero.getType(), position_type = none.getType();
    llvm::SmallVector<mlir::Type> types{value_type, position_type};
    auto loop = ir::ForOp::create(b, frame_.loc(), types, index.Constant(0),
                                  index.Constant(Product(window_sizes_)),
                                  mlir::ValueRange{zero, none});
    mlir::Block* body = b.createBlock(&loop.getBody());
    mlir::Value number = body->addArgument(b.getIndexType(), frame_.loc());
    mlir::Value best = body->addArgument(value_type, frame_.loc());
    mlir::Value where = body->addArgument(position_type, frame_.loc());
    index.SetRange(number, 0, Product(window_sizes_) - 1);
    levels.Push(body);
    mlir::Value inside;
    auto inner = OperandIndices(index, position, number, inside);
    TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(op_.getOperand(), inner, inside));
    TENON_ASSIGN_OR_RETURN(auto keep,
                           points.InlineRegion(op_.getSelect(), {best, value}));
    b = levels.InnermostBuilder();
    auto pred_type = mlir::RankedTensorType::get({}, b.getI1Type());
    mlir::Value linear = ir::FromIndexOp::create(b, frame_.loc(), position_type,
                                                 index.Linearize(inner, shape_));
    auto is_first = stablehlo::CompareOp::create(b, frame_.loc(), pred_type, where, none,
                                                 stablehlo::ComparisonDirection::EQ,
                                                 stablehlo::ComparisonTypeAttr());
    // Selects the value if none is selected yet, or if the selection prefers it.
    auto rejected = stablehlo::NotOp::create(b, frame_.loc(), pred_type, keep[0]);
    mlir::Value take =
        stablehlo::OrOp::create(b, frame_.loc(), pred_type, is_first, rejected);
    if (inside) {
      mlir::Value within = ir::FromPredOp::create(b, frame_.loc(), pred_type, inside);
      take = stablehlo::AndOp::create(b, frame_.loc(), pred_type, take, within);
    }
    mlir::Value next_best = points.Select(take, value, best);
    mlir::Value next_where = points.Select(take, linear, where);
    mlir::OpBuilder end = levels.InnermostBuilder();
    ir::YieldOp::create(end, frame_.loc(), mlir::ValueRange{next_best, next_where});
    levels.Pop();
    return loop.getResult(1);
  }

  // The operand's indices of element `number` of the window at `position`. Conjoins to
  // `inside` whether they are within the operand.
  llvm::SmallVector<mlir::Value> OperandIndices(IndexBuilder& index, Indices position,
                                                mlir::Value number, mlir::Value& inside) {
    llvm::SmallVector<mlir::Value> inner(position);
    auto window_index = index.Delinearize(number, window_sizes_);
    for (auto [d, offset] : llvm::zip_equal(window_dims_, window_index)) {
      mlir::Value start =
          index.Mul(position[d], stablehlo::EntryOr1(op_.getWindowStrides(), d));
      inner[d] = index.Sub(index.Add(start, offset), index.Constant(PaddingLow(d)));
      inside = index.And(inside, index.InRange(inner[d], shape_[d]));
    }
    return inner;
  }

  KernelFrame& frame_;
  stablehlo::SelectAndScatterOp op_;
  llvm::ArrayRef<int64_t> shape_, source_shape_;
  // Dimensions with a window of one element are independent of each other. They run in
  // parallel, and the innermost one in lanes.
  llvm::SmallVector<int64_t> free_dims_, window_dims_;
  llvm::SmallVector<int64_t> window_sizes_;  // of window_dims_
  bool lanes_ = false;
  double point_ns_ = 0;
};

}  // namespace

Status BuildSelectAndScatterKernel(KernelFrame& frame) {
  auto op = frame.yields()[0].getDefiningOp<stablehlo::SelectAndScatterOp>();
  if (!op) return Internal("a select_and_scatter fusion must end in select_and_scatter");
  frame.AddInputs();
  frame.AddOutputs();
  return SelectAndScatterBuilder(frame, op).Build();
}

}  // namespace tenon::compiler
