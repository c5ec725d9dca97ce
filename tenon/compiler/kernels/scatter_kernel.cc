// Scatter: combines updates with elements of an array, which is updated in place.
#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

using Indices = llvm::ArrayRef<mlir::Value>;

// Elements of updates that are worth several threads, though each goes through all
// indices or fills a copy of the array. The order of updates depends on it.
constexpr int64_t kMinParallelUpdates = 1 << 16;
// In rows this long, testing an index costs little in comparison.
constexpr int64_t kLongRowBytes = 512;
constexpr int64_t kParts = 4;
// Items of a device that go through all indices.
constexpr int64_t kMaxItems = 1 << 14;

Status BuildIf(PointBuilder& points, mlir::Value condition,
               llvm::function_ref<Status()> then) {
  LevelStack& levels = points.levels();
  mlir::OpBuilder b = levels.InnermostBuilder();
  auto branch = ir::IfOp::create(b, levels.loc(), condition);
  levels.Push(b.createBlock(&branch.getBody()));
  Status status = then();
  levels.Pop();
  return status;
}

// A row is the window of the array at the position given by one scatter index.
class ScatterBuilder {
 public:
  ScatterBuilder(KernelFrame& frame, stablehlo::ScatterOp scatter)
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

  Status Build() {
    // One test and one address computation per row, and the elements of the window.
    row_ns_ = frame_.cost().scattered_row_ns +
              frame_.cost().scattered_element_ns * Product(window_sizes_);
    frame_.built().estimated_ns = row_ns_ * Product(row_sizes_);
    if (Product(update_shape_) == 0) return OkStatus();
    if (!numbers_.getInputBatchingDims().empty()) return BuildBatches();
    if (frame_.target().device)
      return scatter_.getUniqueIndices() ? BuildUniqueItems() : BuildOrderedItems();
    int64_t split = SplitDimension();
    if (split >= 0) return BuildParts(split);
    if (int64_t copies = Copies(); copies > 1) return BuildCopies(copies);
    KernelBlock phase(frame_, {1}, 1);
    return BuildSequentialLoops(phase.points(), row_sizes_, [&](Indices row) {
      return UpdateRow(phase.points(), row, InPlace(), nullptr);
    });
  }

 private:
  struct Access {
    mlir::Value view;
    llvm::SmallVector<mlir::Value> indices;
  };
  // The storage of the element at indices `target` of operand `number`.
  using AccessOf = std::function<Access(size_t number, Indices target)>;
  // A condition on a row's start indices in the array; null if there is none.
  using Condition = llvm::function_ref<mlir::Value(Indices start)>;

  AccessOf InPlace() {
    return [this](size_t number, Indices target) {
      return Access{frame_.output(number), llvm::SmallVector<mlir::Value>(target)};
    };
  }

  // The row dimension that corresponds to dimension `indices_dim` of the indices.
  int64_t RowDimension(int64_t indices_dim) {
    return indices_dim > numbers_.getIndexVectorDim() ? indices_dim - 1 : indices_dim;
  }

  // Parallel over batches, whose targets are disjoint.
  Status BuildBatches() {
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

  // On a device, one item for each element of the updates: no two have the same target.
  Status BuildUniqueItems() {
    llvm::SmallVector<int64_t> sizes{1};
    llvm::append_range(sizes, row_sizes_);
    llvm::append_range(sizes, window_sizes_);
    KernelBlock phase(frame_, sizes, 1);
    llvm::SmallVector<mlir::Value> all = phase.arguments();
    Indices row = Indices(all).slice(1, row_sizes_.size());
    Indices window = Indices(all).drop_front(1 + row_sizes_.size());
    return UpdateRow(phase.points(), row, InPlace(), nullptr, &window);
  }

  // On a device, one item for each element of the window and each part of the array. An
  // item goes through all indices, so that the updates of each target keep their order.
  Status BuildOrderedItems() {
    llvm::ArrayRef<int64_t> indexed = numbers_.getScatterDimsToOperandDims();
    int64_t parts = 1, part_size = 1;
    bool splits = !indexed.empty() &&
                  llvm::is_contained(numbers_.getInsertedWindowDims(), indexed[0]);
    if (splits) {
      int64_t wanted = std::max<int64_t>(1, kMaxItems / Product(window_sizes_));
      part_size = std::max<int64_t>(1, CeilDiv(shape_[indexed[0]], wanted));
      parts = CeilDiv(shape_[indexed[0]], part_size);
    }
    llvm::SmallVector<int64_t> sizes{parts};
    llvm::append_range(sizes, window_sizes_);
    KernelBlock phase(frame_, sizes, 1);
    IndexBuilder& index = phase.index();
    llvm::SmallVector<mlir::Value> all = phase.arguments();
    Indices window = Indices(all).drop_front(1);
    auto in_part = [&](Indices start) {
      return index.InRange(index.Sub(start[indexed[0]], index.Mul(all[0], part_size)),
                           part_size);
    };
    return BuildSequentialLoops(phase.points(), row_sizes_, [&](Indices row) {
      return UpdateRow(phase.points(), row, InPlace(),
                       splits ? Condition(in_part) : Condition(), &window);
    });
  }

  // Returns the first indexed dimension if it pays to split it into parts, one per
  // thread, each of which visits all indices; else -1.
  int64_t SplitDimension() {
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

  // Parallel over parts of the array. The updates of each part keep their order.
  Status BuildParts(int64_t split) {
    int64_t part_size = (shape_[split] + kParts - 1) / kParts;
    KernelBlock phase(frame_, {kParts}, 1);
    IndexBuilder& index = phase.index();
    mlir::Value part = phase.arguments()[0];
    auto in_part = [&](Indices start) {
      return index.InRange(index.Sub(start[split], index.Mul(part, part_size)),
                           part_size);
    };
    return BuildSequentialLoops(phase.points(), row_sizes_, [&](Indices row) {
      return UpdateRow(phase.points(), row, InPlace(), in_part);
    });
  }

  // The number of copies of the array, itself included, that threads update in parallel.
  // 1 if copies would cost too much, or if the combiner has no identity to fill them
  // with.
  int64_t Copies() {
    int64_t updates = Product(update_shape_), targets = Product(shape_);
    if (scatter_.getInputs().size() != 1 || updates < kMinParallelUpdates) return 1;
    // Copies change the order of updates.
    if (!stablehlo::IsReorderable(scatter_.getUpdateComputation().front())) return 1;
    identity_ = CombinerIdentity(scatter_.getUpdateComputation().front(), 0);
    if (!identity_) return 1;
    return updates >= 64 * targets ? 8 : updates >= 8 * targets ? 4 : 1;
  }

  // The first part of the updates goes to the array itself, every other part to a copy.
  Status BuildCopies(int64_t copies) {
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

  // Updates the window of row `row` if `condition` holds and the window lies completely
  // inside the array, as in XLA's CPU backend. If `element` is not null, updates only
  // this element of the window.
  Status UpdateRow(PointBuilder& points, Indices row, const AccessOf& access_of,
                   Condition condition, const Indices* element = nullptr) {
    IndexBuilder& index = points.index();
    LevelStack& levels = points.levels();
    llvm::SmallVector<mlir::Value> start(shape_.size());
    mlir::Value inside;
    for (auto [component, dim] :
         llvm::enumerate(numbers_.getScatterDimsToOperandDims())) {
      TENON_ASSIGN_OR_RETURN(
          mlir::Value scalar,
          points.StartIndexScalar(scatter_.getScatterIndices(), row,
                                  numbers_.getIndexVectorDim(), component, nullptr));
      mlir::OpBuilder b = levels.Builder(levels.LevelOf(scalar));
      start[dim] = ir::ToIndexOp::create(b, frame_.loc(), b.getIndexType(), scalar);
      int64_t extent = 1;
      for (auto [size, window_dim] : llvm::zip_equal(window_sizes_, window_dims_))
        if (window_dim == dim) extent = size;
      inside = index.And(inside, index.InRange(start[dim], shape_[dim] - extent + 1));
    }
    for (auto [operand_dim, indices_dim] : llvm::zip_equal(
             numbers_.getInputBatchingDims(), numbers_.getScatterIndicesBatchingDims()))
      start[operand_dim] = row[RowDimension(indices_dim)];
    if (condition) inside = index.And(inside, condition(start));
    auto update = [&] {
      if (element) return UpdateElement(points, row, start, *element, access_of);
      return EachOfWindow(points, [&](Indices window) {
        return UpdateElement(points, row, start, window, access_of);
      });
    };
    return inside ? BuildIf(points, inside, update) : update();
  }

  // Visits the elements of a window. Cuts short rows into pieces of whole registers. The
  // reason is store forwarding: a masked store of an earlier update cannot be forwarded
  // to a load of the same row, and the load stalls; a whole register can be forwarded.
  Status EachOfWindow(PointBuilder& points, llvm::function_ref<Status(Indices)> point) {
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
        TENON_RETURN_IF_ERROR(BuildMap(points, index.Constant(first),
                                       index.Constant(last), last - 1,
                                       [&](mlir::Value iv) {
                                         llvm::SmallVector<mlir::Value> indices(outer);
                                         indices.push_back(iv);
                                         return point(indices);
                                       }));
        first = last;
      }
      return OkStatus();
    });
  }

  Status UpdateElement(PointBuilder& points, Indices row, Indices start, Indices window,
                       const AccessOf& access_of) {
    IndexBuilder& index = points.index();
    llvm::SmallVector<mlir::Value> update(update_shape_.size()), target(start);
    for (auto [dim, iv] : llvm::zip_equal(row_dims_, row)) update[dim] = iv;
    for (auto [dim, iv] : llvm::zip_equal(numbers_.getUpdateWindowDims(), window))
      update[dim] = iv;
    for (auto [dim, iv] : llvm::zip_equal(window_dims_, window))
      target[dim] = target[dim] ? index.Add(target[dim], iv) : iv;
    for (mlir::Value& position : target)
      if (!position) position = index.Constant(0);
    llvm::SmallVector<mlir::Value> arguments;
    // These loads must not move, because earlier updates may change the elements.
    for (size_t number = 0; number < scatter_.getInputs().size(); ++number) {
      mlir::OpBuilder b = points.levels().InnermostBuilder();
      Access access = access_of(number, target);
      arguments.push_back(
          ir::LoadOp::create(b, frame_.loc(), ScalarTypeOf(scatter_.getInputs()[number]),
                             access.view, access.indices, mlir::Value(), mlir::Value()));
    }
    for (mlir::Value operand : scatter_.getUpdates()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(operand, update, nullptr));
      arguments.push_back(value);
    }
    TENON_ASSIGN_OR_RETURN(
        auto results, points.InlineRegion(scatter_.getUpdateComputation(), arguments));
    for (auto [number, value] : llvm::enumerate(results)) {
      Access access = access_of(number, target);
      BuildStore(points, value, access.view, access.indices);
    }
    return OkStatus();
  }

  KernelFrame& frame_;
  stablehlo::ScatterOp scatter_;
  stablehlo::ScatterDimensionNumbersAttr numbers_;
  llvm::ArrayRef<int64_t> shape_, update_shape_;
  // The update dimensions that number the rows, and their sizes; the sizes of the window,
  // and the array dimensions that it covers.
  llvm::SmallVector<int64_t> row_dims_, row_sizes_, window_sizes_, window_dims_;
  double row_ns_ = 0;
  std::optional<mlir::DenseElementsAttr> identity_;
};

}  // namespace

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
