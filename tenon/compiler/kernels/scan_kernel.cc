// Prefix scans, such as cumulative sums: windows that reach from the start of a
// dimension, or to its end.
#include "tenon/compiler/analysis/prefix_scan.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// Long rows are cut into blocks of this many elements, which are combined first. The size
// does not depend on the number of threads, so results do not either.
constexpr int64_t kBlock = 1 << 14;
// With fewer rows, the blocks of a long row are scanned in parallel.
constexpr int64_t kMinParallelRows = 8;
// Columns per chunk if the scanned dimension is not the innermost one.
constexpr int64_t kColumns = 64;

class ScanBuilder {
 public:
  ScanBuilder(KernelFrame& frame, stablehlo::ReduceWindowOp window, PrefixScan scan)
      : frame_(frame),
        window_(window),
        scan_(scan),
        shape_(ShapeOf(window.getResult(0))) {
    mlir::Block& body = window.getBody().front();
    any_order_ = stablehlo::IsReorderable(body);
    init_may_repeat_ = stablehlo::InitMayRepeat(body, window.getInitValues());
  }

  Status Build() {
    length_ = shape_[scan_.dim];
    int64_t inner = Product(llvm::ArrayRef<int64_t>(shape_).drop_front(scan_.dim + 1));
    int64_t rows = Product(shape_) / (length_ * inner);
    double point_ns = EstimatePointNs(frame_);
    // EstimatePointNs counts whole windows, which a scan does not compute.
    point_ns = std::max(0.2, point_ns - 0.06 * 4.0 * length_);
    frame_.built().estimated_ns = point_ns * Product(shape_);
    if (inner > 1) return BuildColumns(rows, inner, point_ns);
    if (rows < kMinParallelRows && length_ >= 2 * kBlock) return BuildBlocks(rows);
    return BuildRows(rows, point_ns);
  }

 private:
  // A reverse scan starts at the right end of its windows, so its accumulator is the
  // right operand of the combiner. If the combiner is not reorderable, the accumulator
  // must not contain the initial value, which is combined on the left when results are
  // stored.
  bool ScansFromRight() const { return scan_.reverse && !any_order_; }

  // The accumulator after `value` has been combined.
  StatusOr<mlir::Value> Next(PointBuilder& points, mlir::Value accumulated,
                             mlir::Value value) {
    llvm::SmallVector<mlir::Value> sides{accumulated, value};
    if (ScansFromRight()) std::swap(sides[0], sides[1]);
    TENON_ASSIGN_OR_RETURN(auto next, points.InlineRegion(window_.getBody(), sides));
    return next[0];
  }

  StatusOr<mlir::Value> ElementAt(PointBuilder& points, mlir::Value row, mlir::Value i,
                                  mlir::Value column) {
    return points.At(window_.getInputs()[0], IndicesAt(points, row, i, column), nullptr);
  }

  Status StoreAt(PointBuilder& points, mlir::Value row, mlir::Value i, mlir::Value column,
                 mlir::Value accumulated) {
    if (ScansFromRight()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value init, Init(points));
      TENON_ASSIGN_OR_RETURN(auto whole,
                             points.InlineRegion(window_.getBody(), {init, accumulated}));
      accumulated = whole[0];
    }
    auto indices = IndicesAt(points, row, i, column);
    points.BindPoint(window_.getResult(0), indices, accumulated);
    return StoreResults(frame_, points, indices);
  }

  // The indices of the element that is scanned at step `i` of row number `row`.
  llvm::SmallVector<mlir::Value> IndicesAt(PointBuilder& points, mlir::Value row,
                                           mlir::Value i, mlir::Value column) {
    IndexBuilder& index = points.index();
    llvm::ArrayRef<int64_t> shape(shape_);
    auto indices = index.Delinearize(row, shape.take_front(scan_.dim));
    indices.push_back(scan_.reverse ? index.Sub(index.Constant(length_ - 1), i) : i);
    if (column)
      llvm::append_range(indices,
                         index.Delinearize(column, shape.drop_front(scan_.dim + 1)));
    indices.resize(shape_.size(), index.Constant(0));
    return indices;
  }

  StatusOr<mlir::Value> Init(PointBuilder& points) {
    return points.At(window_.getInitValues()[0], {}, nullptr);
  }

  // Builds a tenon.scan of [lower, upper) of a row, starting with `carry`.
  Status BuildScan(PointBuilder& points, mlir::Value lower, mlir::Value upper,
                   mlir::Value carry, mlir::Value row, mlir::Value column) {
    LevelStack& levels = points.levels();
    mlir::Location loc = frame_.loc();
    mlir::OpBuilder b = levels.InnermostBuilder();
    auto scan = ir::ScanOp::create(b, loc, lower, upper, carry);
    auto region = [&](mlir::Region& region, llvm::ArrayRef<mlir::Type> arguments,
                      llvm::function_ref<StatusOr<llvm::SmallVector<mlir::Value>>(
                          llvm::ArrayRef<mlir::Value>)>
                          build) -> Status {
      mlir::Block* block = b.createBlock(&region);
      for (mlir::Type type : arguments) {
        mlir::Value argument = block->addArgument(type, loc);
        if (type.isIndex()) points.index().SetRange(argument, 0, length_ - 1);
      }
      levels.Push(block);
      auto values = build(llvm::SmallVector<mlir::Value>(block->getArguments()));
      levels.Pop();
      TENON_RETURN_IF_ERROR(values.status());
      mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(block);
      ir::YieldOp::create(end, loc, *values);
      return OkStatus();
    };
    using Arguments = llvm::ArrayRef<mlir::Value>;
    using Results = StatusOr<llvm::SmallVector<mlir::Value>>;
    mlir::Type type = carry.getType(), index_type = b.getIndexType();
    TENON_RETURN_IF_ERROR(
        region(scan.getBody(), {index_type}, [&](Arguments arguments) -> Results {
          TENON_ASSIGN_OR_RETURN(mlir::Value value,
                                 ElementAt(points, row, arguments[0], column));
          return llvm::SmallVector<mlir::Value>{value};
        }));
    TENON_RETURN_IF_ERROR(
        region(scan.getCombiner(), {type, type}, [&](Arguments arguments) -> Results {
          TENON_ASSIGN_OR_RETURN(mlir::Value next,
                                 Next(points, arguments[0], arguments[1]));
          return llvm::SmallVector<mlir::Value>{next};
        }));
    return region(
        scan.getStore(), {index_type, type}, [&](Arguments arguments) -> Results {
          TENON_RETURN_IF_ERROR(StoreAt(points, row, arguments[0], column, arguments[1]));
          return llvm::SmallVector<mlir::Value>();
        });
  }

  // Scans a whole row.
  Status BuildRow(PointBuilder& points, mlir::Value row, mlir::Value column) {
    IndexBuilder& index = points.index();
    mlir::Value start = index.Constant(0), carry;
    if (ScansFromRight()) {
      TENON_ASSIGN_OR_RETURN(carry, ElementAt(points, row, start, column));
      TENON_RETURN_IF_ERROR(StoreAt(points, row, start, column, carry));
      start = index.Constant(1);
    } else {
      TENON_ASSIGN_OR_RETURN(carry, Init(points));
    }
    return BuildScan(points, start, index.Constant(length_), carry, row, column);
  }

  Status BuildRows(int64_t rows, double point_ns) {
    KernelBlock phase(frame_, {rows}, frame_.cost().Grain(rows, point_ns * length_));
    return BuildRow(phase.points(), phase.arguments()[0], nullptr);
  }

  // Two passes. The first combines each block but the last to one value. The second scans
  // each block, starting with the combined value of all earlier blocks.
  Status BuildBlocks(int64_t rows) {
    int64_t blocks = (length_ + kBlock - 1) / kBlock;
    mlir::Value sums = frame_.AddScratch(
        mlir::MemRefType::get({rows, blocks - 1}, ElementOf(window_.getResult(0))));
    {
      KernelBlock phase(frame_, {rows, blocks - 1}, 1);
      PointBuilder& points = phase.points();
      IndexBuilder& index = phase.index();
      mlir::Value row = phase.arguments()[0], number = phase.arguments()[1];
      mlir::Value start = index.Mul(number, kBlock), first;
      // The first block's sum includes the initial value in any case.
      bool from_init = any_order_ && init_may_repeat_;
      if (from_init) {
        TENON_ASSIGN_OR_RETURN(first, Init(points));
      } else {
        TENON_ASSIGN_OR_RETURN(first, ElementAt(points, row, start, nullptr));
        start = index.Add(start, index.Constant(1));
      }
      using Results = StatusOr<llvm::SmallVector<mlir::Value>>;
      TENON_ASSIGN_OR_RETURN(
          auto sum,
          points.Reduce(
              {from_init ? kBlock : kBlock - 1}, first,
              [&](llvm::ArrayRef<mlir::Value> arguments) -> Results {
                TENON_ASSIGN_OR_RETURN(mlir::Value next,
                                       Next(points, arguments[0], arguments[1]));
                return llvm::SmallVector<mlir::Value>{next};
              },
              /*level=*/0,
              [&](llvm::ArrayRef<mlir::Value> inner) -> Results {
                TENON_ASSIGN_OR_RETURN(
                    mlir::Value value,
                    ElementAt(points, row, index.Add(start, inner[0]), nullptr));
                return llvm::SmallVector<mlir::Value>{value};
              }));
      BuildStore(points, sum[0], sums, {row, number});
    }
    KernelBlock phase(frame_, {rows, blocks}, 1);
    LevelStack& levels = phase.levels();
    PointBuilder& points = phase.points();
    IndexBuilder& index = phase.index();
    mlir::Value row = phase.arguments()[0], number = phase.arguments()[1];
    // The start value of a block: the initial value combined with earlier blocks. A scan
    // to the left starts its first block without a start value; the one computed for it
    // is not used.
    mlir::Value first_sum = index.Constant(0), init;
    if (ScansFromRight()) {
      init = points.Load(sums, {row, first_sum}, nullptr);
      first_sum = index.Min(number, index.Constant(1));
    } else {
      TENON_ASSIGN_OR_RETURN(init, Init(points));
    }
    mlir::OpBuilder b = levels.InnermostBuilder();
    auto before =
        ir::ForOp::create(b, frame_.loc(), init.getType(), first_sum, number, init);
    mlir::Block* body = b.createBlock(&before.getBody());
    mlir::Value earlier = body->addArgument(b.getIndexType(), frame_.loc());
    mlir::Value carry = body->addArgument(init.getType(), frame_.loc());
    index.SetRange(earlier, 0, blocks - 2);
    levels.Push(body);
    mlir::Value sum = points.Load(sums, {row, earlier}, nullptr);
    TENON_ASSIGN_OR_RETURN(mlir::Value next, Next(points, carry, sum));
    mlir::OpBuilder end = levels.InnermostBuilder();
    ir::YieldOp::create(end, frame_.loc(), next);
    levels.Pop();
    auto [lower, upper] = index.BlockBounds(number, kBlock, length_);
    mlir::Value start = before.getResult(0);
    if (ScansFromRight()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value element, ElementAt(points, row, lower, nullptr));
      TENON_ASSIGN_OR_RETURN(mlir::Value joined, Next(points, start, element));
      start = points.Select(index.Equal(number, 0), element, joined);
      TENON_RETURN_IF_ERROR(StoreAt(points, row, lower, nullptr, start));
      lower = index.Add(lower, index.Constant(1));
    }
    return BuildScan(points, lower, upper, start, row, nullptr);
  }

  Status BuildColumns(int64_t rows, int64_t inner, double point_ns) {
    int64_t blocks = (inner + kColumns - 1) / kColumns;
    double block_ns = point_ns * length_ * std::min(inner, kColumns);
    KernelBlock phase(frame_, {rows, blocks},
                      frame_.cost().Grain(rows * blocks, block_ns));
    PointBuilder& points = phase.points();
    IndexBuilder& index = phase.index();
    mlir::Value row = phase.arguments()[0], block = phase.arguments()[1];
    auto [lower, upper] = index.BlockBounds(block, kColumns, inner);
    return BuildMap(points, lower, upper, inner - 1,
                    [&](mlir::Value column) { return BuildRow(points, row, column); });
  }

  KernelFrame& frame_;
  stablehlo::ReduceWindowOp window_;
  PrefixScan scan_;
  llvm::SmallVector<int64_t> shape_;
  int64_t length_ = 0;
  bool any_order_ = false, init_may_repeat_ = false;  // proven for the combiner
};

}  // namespace

Status BuildScanKernel(KernelFrame& frame) {
  for (mlir::Operation& op : frame.region()) {
    if (auto scan = AsPrefixScan(&op)) {
      frame.AddInputs();
      frame.AddOutputs();
      return ScanBuilder(frame, llvm::cast<stablehlo::ReduceWindowOp>(op), *scan).Build();
    }
  }
  return Internal("a scan fusion lacks its window");
}

}  // namespace tenon::compiler
