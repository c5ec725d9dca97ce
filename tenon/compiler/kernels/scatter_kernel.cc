// Scatter: combines updates with elements of an array, which is updated in place.
#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/kernels/scatter_builder.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// Elements of updates that are worth several threads, though each goes through all
// indices or fills a copy of the array. The order of updates depends on it.
constexpr int64_t kMinParallelUpdates = 1 << 16;
// In rows this long, testing an index costs little in comparison.
constexpr int64_t kLongRowBytes = 512;
constexpr int64_t kParts = 4;

}  // namespace

ScatterBuilder::ScatterBuilder(KernelFrame& frame, stablehlo::ScatterOp scatter)
    : frame_(frame),
      scatter_(scatter),
      numbers_(scatter.getScatterDimensionNumbers()),
      shape_(ShapeOf(scatter.getInputs()[0])),
      update_shape_(ShapeOf(scatter.getUpdates()[0])) {
  for (int64_t d = 0; d < static_cast<int64_t>(update_shape_.size()); ++d) {
    bool window = llvm::is_contained(numbers_.getUpdateWindowDims(), d);
    if (!window) row_dims_.push_back(d);
    (window ? window_sizes_ : row_sizes_).push_back(update_shape_[d]);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(shape_.size()); ++d)
    if (!llvm::is_contained(numbers_.getInsertedWindowDims(), d) &&
        !llvm::is_contained(numbers_.getInputBatchingDims(), d))
      window_dims_.push_back(d);
}

Status ScatterBuilder::Build() {
  // One test and one address computation per row, and the elements of the window.
  row_ns_ = frame_.cost().scattered_row_ns +
            frame_.cost().scattered_element_ns * Product(window_sizes_);
  frame_.built().estimated_ns = row_ns_ * Product(row_sizes_);
  if (Product(update_shape_) == 0) return OkStatus();
  if (frame_.target().device) return BuildOnDevice();
  if (!numbers_.getInputBatchingDims().empty()) return BuildBatches();
  int64_t split = SplitDimension();
  if (split >= 0) return BuildParts(split);
  if (int64_t copies = Copies(); copies > 1) return BuildCopies(copies);
  KernelBlock phase(frame_, {1}, 1);
  return BuildSequentialLoops(phase.points(), row_sizes_, [&](Indices row) {
    return UpdateRow(phase.points(), row, InPlace(), nullptr);
  });
}

ScatterBuilder::AccessOf ScatterBuilder::InPlace() {
  return [this](size_t number, Indices target) {
    return Access{frame_.output(number), llvm::SmallVector<mlir::Value>(target)};
  };
}

int64_t ScatterBuilder::RowDimension(int64_t indices_dim) {
  return indices_dim > numbers_.getIndexVectorDim() ? indices_dim - 1 : indices_dim;
}

Status ScatterBuilder::BuildBatches() {
  llvm::SmallVector<int64_t> batch, sizes, rest;
  for (int64_t dim : numbers_.getScatterIndicesBatchingDims())
    batch.push_back(RowDimension(dim));
  for (auto [d, size] : llvm::enumerate(row_sizes_))
    (llvm::is_contained(batch, static_cast<int64_t>(d)) ? sizes : rest).push_back(size);
  KernelBlock phase(frame_, sizes,
                    frame_.cost().Grain(Product(sizes), row_ns_ * Product(rest)));
  llvm::SmallVector<mlir::Value> numbers = phase.arguments();
  return BuildSequentialLoops(phase.points(), rest, [&](Indices others) {
    llvm::SmallVector<mlir::Value> row;
    size_t next = 0, next_other = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(row_sizes_.size()); ++d)
      row.push_back(llvm::is_contained(batch, d) ? numbers[next++]
                                                 : others[next_other++]);
    return UpdateRow(phase.points(), row, InPlace(), nullptr);
  });
}

int64_t ScatterBuilder::SplitDimension() {
  if (numbers_.getScatterDimsToOperandDims().empty()) return -1;
  int64_t split = numbers_.getScatterDimsToOperandDims()[0];
  int64_t row_bytes =
      Product(window_sizes_) *
      ElementBytes(ir::ElementTypeOfShaped(scatter_.getInputs()[0].getType()));
  bool profitable = llvm::is_contained(numbers_.getInsertedWindowDims(), split) &&
                    shape_[split] >= 2 * kParts && row_bytes >= kLongRowBytes &&
                    Product(update_shape_) >= kMinParallelUpdates;
  return profitable ? split : -1;
}

Status ScatterBuilder::BuildParts(int64_t split) {
  int64_t part_size = (shape_[split] + kParts - 1) / kParts;
  KernelBlock phase(frame_, {kParts}, 1);
  IndexBuilder& index = phase.index();
  mlir::Value part = phase.arguments()[0];
  auto in_part = [&](Indices start) {
    return index.InRange(index.Sub(start[split], index.Mul(part, part_size)), part_size);
  };
  return BuildSequentialLoops(phase.points(), row_sizes_, [&](Indices row) {
    return UpdateRow(phase.points(), row, InPlace(), in_part);
  });
}

int64_t ScatterBuilder::Copies() {
  int64_t updates = Product(update_shape_), targets = Product(shape_);
  if (scatter_.getInputs().size() != 1 || updates < kMinParallelUpdates) return 1;
  // Copies change the order of updates.
  if (!stablehlo::MayCombineUpdates(scatter_.getUpdateComputation().front())) return 1;
  identity_ = CombinerIdentity(scatter_.getUpdateComputation().front(), 0);
  if (!identity_) return 1;
  return updates >= 64 * targets ? 8 : updates >= 8 * targets ? 4 : 1;
}

Status ScatterBuilder::BuildCopies(int64_t copies) {
  int64_t targets = Product(shape_), rows = Product(row_sizes_);
  mlir::Type element = ElementOf(scatter_.getInputs()[0]);
  mlir::Value scratch =
      frame_.AddScratch(mlir::MemRefType::get({copies - 1, targets}, element));
  {
    KernelBlock phase(frame_, {copies}, 1);
    PointBuilder& points = phase.points();
    IndexBuilder& index = phase.index();
    mlir::Value part = phase.arguments()[0];
    auto [lower, upper] = index.BlockBounds(part, (rows + copies - 1) / copies, rows);
    auto update = [&, lower = lower, upper = upper](const AccessOf& access_of) {
      return BuildFor(points, lower, upper, rows - 1, [&](mlir::Value number) {
        return UpdateRow(points, index.Delinearize(number, row_sizes_), access_of,
                         nullptr);
      });
    };
    TENON_RETURN_IF_ERROR(
        BuildIf(points, index.Equal(part, 0), [&] { return update(InPlace()); }));
    mlir::Value copy = index.Sub(part, index.Constant(1));
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    mlir::Value identity = stablehlo::ConstantOp::create(b, frame_.loc(), *identity_);
    TENON_RETURN_IF_ERROR(
        BuildIf(points, index.InRange(copy, copies - 1), [&]() -> Status {
          TENON_RETURN_IF_ERROR(
              BuildMap(points, index.Constant(0), index.Constant(targets), targets - 1,
                       [&](mlir::Value iv) {
                         BuildStore(points, identity, scratch, {copy, iv});
                         return OkStatus();
                       }));
          return update([&](size_t, Indices target) {
            return Access{scratch, {copy, index.Linearize(target, shape_)}};
          });
        }));
  }
  constexpr int64_t kBlock = 1 << 12;
  int64_t blocks = (targets + kBlock - 1) / kBlock;
  KernelBlock phase(
      frame_, {blocks},
      frame_.cost().Grain(blocks, kBlock * copies * frame_.cost().loaded_element_ns));
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  auto [lower, upper] = index.BlockBounds(phase.arguments()[0], kBlock, targets);
  return BuildMap(points, lower, upper, targets - 1, [&](mlir::Value iv) -> Status {
    llvm::SmallVector<mlir::Value> target = index.Delinearize(iv, shape_);
    mlir::Value sum = points.Load(frame_.output(0), target, nullptr);
    for (int64_t copy = 0; copy < copies - 1; ++copy) {
      mlir::Value more = points.Load(scratch, {index.Constant(copy), iv}, nullptr);
      TENON_ASSIGN_OR_RETURN(
          auto results,
          points.InlineRegion(scatter_.getUpdateComputation(), {sum, more}));
      sum = results[0];
    }
    BuildStore(points, sum, frame_.output(0), target);
    return OkStatus();
  });
}

StatusOr<ScatterBuilder::Start> ScatterBuilder::StartOf(PointBuilder& points,
                                                        Indices row) {
  IndexBuilder& index = points.index();
  LevelStack& levels = points.levels();
  Start start{llvm::SmallVector<mlir::Value>(shape_.size()), nullptr};
  for (auto [component, dim] : llvm::enumerate(numbers_.getScatterDimsToOperandDims())) {
    TENON_ASSIGN_OR_RETURN(
        mlir::Value scalar,
        points.StartIndexScalar(scatter_.getScatterIndices(), row,
                                numbers_.getIndexVectorDim(), component, nullptr));
    mlir::OpBuilder b = levels.Builder(levels.LevelOf(scalar));
    start.indices[dim] = ir::ToIndexOp::create(b, frame_.loc(), b.getIndexType(), scalar);
    int64_t extent = 1;
    for (auto [size, window_dim] : llvm::zip_equal(window_sizes_, window_dims_))
      if (window_dim == dim) extent = size;
    start.inside = index.And(start.inside,
                             index.InRange(start.indices[dim], shape_[dim] - extent + 1));
  }
  for (auto [operand_dim, indices_dim] : llvm::zip_equal(
           numbers_.getInputBatchingDims(), numbers_.getScatterIndicesBatchingDims()))
    start.indices[operand_dim] = row[RowDimension(indices_dim)];
  return start;
}

llvm::SmallVector<mlir::Value> ScatterBuilder::UpdateIndices(Indices row,
                                                             Indices window) {
  llvm::SmallVector<mlir::Value> update(update_shape_.size());
  for (auto [dim, iv] : llvm::zip_equal(row_dims_, row)) update[dim] = iv;
  for (auto [dim, iv] : llvm::zip_equal(numbers_.getUpdateWindowDims(), window))
    update[dim] = iv;
  return update;
}

llvm::SmallVector<mlir::Value> ScatterBuilder::TargetIndices(PointBuilder& points,
                                                             Indices start,
                                                             Indices window) {
  IndexBuilder& index = points.index();
  llvm::SmallVector<mlir::Value> target(start);
  for (auto [dim, iv] : llvm::zip_equal(window_dims_, window))
    target[dim] = target[dim] ? index.Add(target[dim], iv) : iv;
  for (mlir::Value& position : target)
    if (!position) position = index.Constant(0);
  return target;
}

StatusOr<llvm::SmallVector<mlir::Value>> ScatterBuilder::Updates(PointBuilder& points,
                                                                 Indices indices,
                                                                 mlir::Value mask) {
  llvm::SmallVector<mlir::Value> values;
  for (mlir::Value operand : scatter_.getUpdates()) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(operand, indices, mask));
    values.push_back(value);
  }
  return values;
}

Status ScatterBuilder::UpdateRow(PointBuilder& points, Indices row,
                                 const AccessOf& access_of, Condition condition,
                                 const Indices* element) {
  TENON_ASSIGN_OR_RETURN(Start start, StartOf(points, row));
  mlir::Value inside = start.inside;
  if (condition) inside = points.index().And(inside, condition(start.indices));
  auto update = [&] {
    if (element) return UpdateElement(points, row, start.indices, *element, access_of);
    return EachOfWindow(points, [&](Indices window) {
      return UpdateElement(points, row, start.indices, window, access_of);
    });
  };
  return inside ? BuildIf(points, inside, update) : update();
}

Status ScatterBuilder::EachOfWindow(PointBuilder& points,
                                    llvm::function_ref<Status(Indices)> point) {
  constexpr int64_t kMaxShort = 256, kMaxPiece = 64;
  if (window_sizes_.empty() || window_sizes_.back() >= kMaxShort)
    return BuildLoops(points, window_sizes_, point);
  llvm::ArrayRef<int64_t> sizes = window_sizes_;
  return BuildSequentialLoops(points, sizes.drop_back(), [&](Indices outer) -> Status {
    IndexBuilder& index = points.index();
    int64_t first = 0;
    for (int64_t piece = kMaxPiece; piece > 0; piece /= 2) {
      int64_t last = first + (sizes.back() - first) / piece * piece;
      if (last == first) continue;
      TENON_RETURN_IF_ERROR(BuildMap(points, index.Constant(first), index.Constant(last),
                                     last - 1, [&](mlir::Value iv) {
                                       llvm::SmallVector<mlir::Value> indices(outer);
                                       indices.push_back(iv);
                                       return point(indices);
                                     }));
      first = last;
    }
    return OkStatus();
  });
}

Status ScatterBuilder::UpdateElement(PointBuilder& points, Indices row, Indices start,
                                     Indices window, const AccessOf& access_of) {
  llvm::SmallVector<mlir::Value> target = TargetIndices(points, start, window);
  llvm::SmallVector<mlir::Value> arguments;
  // These loads must not move, because earlier updates may change the elements.
  for (size_t number = 0; number < scatter_.getInputs().size(); ++number) {
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    Access access = access_of(number, target);
    arguments.push_back(
        ir::LoadOp::create(b, frame_.loc(), ScalarTypeOf(scatter_.getInputs()[number]),
                           access.view, access.indices, mlir::Value(), mlir::Value()));
  }
  TENON_ASSIGN_OR_RETURN(auto updates,
                         Updates(points, UpdateIndices(row, window), nullptr));
  llvm::append_range(arguments, updates);
  TENON_ASSIGN_OR_RETURN(auto results,
                         points.InlineRegion(scatter_.getUpdateComputation(), arguments));
  for (auto [number, value] : llvm::enumerate(results)) {
    Access access = access_of(number, target);
    BuildStore(points, value, access.view, access.indices);
  }
  return OkStatus();
}

Status BuildScatterKernel(KernelFrame& frame) {
  auto scatter = frame.yields()[0].getDefiningOp<stablehlo::ScatterOp>();
  if (!scatter) return Internal("a scatter fusion must end in scatter");
  llvm::SmallVector<int64_t> updated;
  bool only_updated = true;
  for (mlir::Value input : scatter.getInputs()) {
    TENON_ASSIGN_OR_RETURN(int64_t number, UpdatedOperand(input));
    updated.push_back(number);
    only_updated &= frame.region().getArgument(number).hasOneUse();
  }
  frame.built().in_place.assign(updated.begin(), updated.end());
  frame.AddInputs(only_updated ? llvm::ArrayRef<int64_t>(updated)
                               : llvm::ArrayRef<int64_t>());
  frame.AddOutputs();
  return ScatterBuilder(frame, scatter).Build();
}

}  // namespace tenon::compiler
