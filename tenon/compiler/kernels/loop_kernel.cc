// Kernels whose results all have one shape: elementwise chains, data movement, reductions
// and the ops around them.
#include <numeric>

#include "llvm/ADT/bit.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/kernels/column_reduce.h"
#include "tenon/compiler/kernels/inner_rank.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/compiler/kernels/row_values.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// Smaller arrays stay in the cache in any order of access.
constexpr int64_t kTileElements = 1 << 10;
constexpr int64_t kTileBlock = 64;

// Whether elements of the broadcast array differ along dimension `dim` of the result.
bool VariesAlong(stablehlo::BroadcastInDimOp broadcast, int64_t dim) {
  llvm::ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
  const auto* at = llvm::find(dims, dim);
  return at != dims.end() && ShapeOf(broadcast.getOperand())[at - dims.begin()] > 1;
}

// Whether elements of `value` come from an array that varies along both dimensions. If
// not, as in an outer product, no order of them makes lanes read with a stride.
bool VariesAlongBoth(mlir::Value value, int64_t first, int64_t second,
                     llvm::SmallPtrSetImpl<mlir::Value>& visited) {
  if (!visited.insert(value).second) return false;
  mlir::Operation* op = value.getDefiningOp();
  if (op && IsSplatConstant(op)) return false;
  if (auto broadcast = llvm::dyn_cast_if_present<stablehlo::BroadcastInDimOp>(op))
    return VariesAlong(broadcast, first) && VariesAlong(broadcast, second);
  if (!op || !IsElementwise(op)) return true;
  return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
    return ShapeOf(operand) == ShapeOf(value) &&
           VariesAlongBoth(operand, first, second, visited);
  });
}

// The result dimension along which a transposed operand is contiguous. Nullopt if there
// is no such operand, or if reading it needs no tiles.
std::optional<int64_t> TransposedDimension(KernelFrame& frame,
                                           llvm::ArrayRef<int64_t> shape) {
  if (shape.size() < 2 || shape.back() < ir::kMinTileSide ||
      Product(shape) < kTileElements)
    return std::nullopt;
  std::optional<int64_t> found;
  for (mlir::Operation& op : frame.region()) {
    if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op))
      return std::nullopt;
    auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(op);
    if (!transpose || found || ShapeOf(transpose.getResult()) != shape) continue;
    int64_t last = static_cast<int64_t>(shape.size()) - 1;
    int64_t dim =
        llvm::find(transpose.getPermutation(), last) - transpose.getPermutation().begin();
    llvm::SmallPtrSet<mlir::Value, 16> visited;
    if (dim != last && shape[dim] >= ir::kMinTileSide &&
        VariesAlongBoth(transpose.getOperand(), transpose.getPermutation()[last], last,
                        visited))
      found = dim;
  }
  return found;
}

// Tiles dimension `dim` and the last dimension.
Status BuildTiles(KernelFrame& frame, llvm::ArrayRef<int64_t> shape, int64_t dim,
                  double point_ns) {
  llvm::SmallVector<int64_t> sizes(shape);
  sizes[dim] = (shape[dim] + kTileBlock - 1) / kTileBlock;
  sizes.back() = (shape.back() + kTileBlock - 1) / kTileBlock;
  KernelBlock phase(
      frame, sizes,
      frame.cost().Grain(Product(sizes), point_ns * kTileBlock * kTileBlock));
  llvm::SmallVector<mlir::Value> indices = phase.arguments();
  mlir::OpBuilder b = phase.levels().InnermostBuilder();
  auto tile = ir::TileOp::create(b, frame.loc(), {shape[dim], shape.back()}, kTileBlock,
                                 indices[dim], indices.back());
  mlir::Block* body = b.createBlock(&tile.getBody());
  for (int64_t d : {dim, static_cast<int64_t>(shape.size()) - 1}) {
    indices[d] = body->addArgument(b.getIndexType(), frame.loc());
    phase.index().SetRange(indices[d], 0, shape[d] - 1);
  }
  phase.levels().Push(body);
  return StoreResults(frame, phase.points(), indices);
}

// Whether an operand is constant along the last `rank` dimensions of `shape`, but not
// along the one before them. If that one is collapsed too, the operand's index is divided
// for each element.
bool HasOperandPerRow(KernelFrame& frame, llvm::ArrayRef<int64_t> shape, size_t rank) {
  const int64_t first = static_cast<int64_t>(shape.size() - rank);
  return llvm::any_of(
      frame.region().getOps<stablehlo::BroadcastInDimOp>(), [&](auto broadcast) {
        auto varies = [&](int64_t dim) { return VariesAlong(broadcast, dim); };
        return ShapeOf(broadcast.getResult()) == shape && varies(first - 1) &&
               llvm::none_of(llvm::seq<int64_t>(first, shape.size()), varies);
      });
}

// The number of trailing dimensions of a loop's rows: `InnerRank`, but less if an operand
// has one element for each shorter row and the lanes of its index repeat after too many
// registers to be constants (codegen/kernel/row_periods). On devices, each item divides
// for itself.
size_t RowRankOfOperands(KernelFrame& frame, llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kLanes = 8, kMaxRegisters = 16;
  const size_t inner = InnerRank(shape);
  if (frame.target().device) return inner;
  for (size_t rank = 1; rank < inner; ++rank) {
    const int64_t row = Product(shape.take_back(rank));
    if (row >= kShortRow && row / std::gcd(row, kLanes) > kMaxRegisters &&
        HasOperandPerRow(frame, shape, rank))
      return rank;
  }
  return inner;
}

// The length of the short rows between which a loop over `inner`, collapsed, is cut; 1 if
// it may be cut anywhere.
int64_t CollapsedRow(llvm::ArrayRef<int64_t> inner) {
  return inner.size() > 1 && inner.back() < kShortRow ? inner.back() : 1;
}

// Whether the fusion gathers whole rows of `shape`. If rows are not collapsed, each row
// computes its start index once.
bool GathersRows(KernelFrame& frame, llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMinGathered = 4;
  if (shape.size() < 2 || shape.back() < kMinGathered) return false;
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  return llvm::any_of(frame.region().getOps<stablehlo::GatherOp>(), [&](auto gather) {
    return ShapeOf(gather.getResult()) == shape &&
           llvm::is_contained(gather.getDimensionNumbers().getOffsetDims(), last);
  });
}

// Whether the fusion has windows along the last dimension of `shape` and another one. If
// rows are not collapsed, it is known which lanes are outside of the windows' array. That
// costs more than it gains if windows are short.
bool HasWindowsAlongRows(KernelFrame& frame, llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMinRow = 4;
  if (frame.target().device || shape.size() < 2 || shape.back() < kMinRow) return false;
  return llvm::any_of(
      frame.region().getOps<stablehlo::ReduceWindowOp>(),
      [&](stablehlo::ReduceWindowOp window) {
        llvm::ArrayRef<int64_t> sizes = window.getWindowDimensions();
        return ShapeOf(window.getResult(0)) == shape && sizes.back() > 1 &&
               llvm::any_of(sizes.drop_back(), [](int64_t size) { return size > 1; });
      });
}

// The number of points of a block of a row of `length` points. Long rows are cut at
// multiples of `unit`.
int64_t ChooseBlock(KernelFrame& frame, int64_t length, double point_ns,
                    int64_t unit = 1) {
  if (frame.target().device) {
    // A few points for each item of a group, but at first enough groups.
    constexpr int64_t kManyBlocks = 1024, kMinBlock = 256, kMaxBlock = 2048;
    constexpr int64_t kVector = 16;  // elements of the widest access of an item
    const auto fair = static_cast<int64_t>(
        llvm::bit_floor(static_cast<uint64_t>(length / kManyBlocks)));
    const int64_t step = std::lcm(kVector, unit);
    const int64_t block = std::clamp(fair, kMinBlock, kMaxBlock);
    return std::min(length, (block + step - 1) / step * step);
  }
  constexpr int64_t kRegisters = 256;  // a multiple of all vector lengths
  int64_t block = frame.cost().Grain(length, point_ns), step = std::lcm(kRegisters, unit);
  return std::min(length, block < length ? (block + step - 1) / step * step : block);
}

// A dimension of few elements, which come from different operands of a concatenate.
// Nullopt if there is none.
std::optional<int64_t> UnrolledDimension(KernelFrame& frame,
                                         llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMaxSize = 4, kMinOthers = 16;
  if (shape.size() < 2) return std::nullopt;
  for (mlir::Operation& op : frame.region()) {
    if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op))
      return std::nullopt;
    auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op);
    if (!concatenate) continue;
    int64_t size = ShapeOf(concatenate.getResult())[concatenate.getDimension()];
    if (size > kMaxSize || Product(shape) < kMinOthers * size) continue;
    // If several dimensions have this size, any of them will do.
    auto dim = std::find(shape.rbegin(), shape.rend(), size);
    if (dim != shape.rend()) return shape.rend() - dim - 1;
  }
  return std::nullopt;
}

// Stores the results at each of `elements`. All loads come before all stores, as in
// StoreResults.
Status StoreElements(KernelFrame& frame, PointBuilder& points,
                     llvm::ArrayRef<llvm::SmallVector<mlir::Value>> elements) {
  llvm::SmallVector<mlir::Value> values;
  for (llvm::ArrayRef<mlir::Value> element : elements) {
    for (mlir::Value yield : frame.yields()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(yield, element, nullptr));
      values.push_back(value);
    }
  }
  size_t next = 0;
  for (llvm::ArrayRef<mlir::Value> element : elements)
    for (size_t number = 0; number < frame.yields().size(); ++number)
      BuildStore(points, values[next++], frame.output(number), element);
  return OkStatus();
}

// Vectorizes over the other dimensions, and computes the elements of `dim` one after
// another in each lane. Each element then has a known operand of the concatenate, and the
// elements share common subexpressions.
Status BuildUnrolledDimension(KernelFrame& frame, llvm::ArrayRef<int64_t> shape,
                              int64_t dim, double point_ns) {
  constexpr int64_t kMinRow = 16;
  llvm::SmallVector<int64_t> others(shape);
  others.erase(others.begin() + dim);
  // A single long row, if its points have a constant stride.
  bool rows = dim + 1 < static_cast<int64_t>(shape.size()) && others.back() >= kMinRow;
  auto inner = llvm::ArrayRef<int64_t>(others).take_back(rows ? 1 : others.size());
  llvm::SmallVector<int64_t> sizes(others.begin(), others.end() - inner.size());
  point_ns *= shape[dim];
  int64_t length = Product(inner),
          block = ChooseBlock(frame, length, point_ns, CollapsedRow(inner));
  sizes.push_back((length + block - 1) / block);
  KernelBlock phase(frame, sizes, frame.cost().Grain(Product(sizes), point_ns * block));
  IndexBuilder& index = phase.index();
  llvm::SmallVector<mlir::Value> outer = phase.arguments();
  mlir::Value number = outer.pop_back_val();
  auto [lower, upper] = index.BlockBounds(number, block, length);
  auto body = [&](mlir::Value iv) -> Status {
    llvm::SmallVector<mlir::Value> all(outer);
    llvm::append_range(all, index.Delinearize(iv, inner));
    all.insert(all.begin() + dim, mlir::Value());
    llvm::SmallVector<llvm::SmallVector<mlir::Value>> elements;
    for (int64_t i = 0; i < shape[dim]; ++i) {
      all[dim] = index.Constant(i);
      elements.push_back(all);
    }
    return StoreElements(frame, phase.points(), elements);
  };
  if (rows) return BuildRowMap(frame, phase.points(), lower, upper, length, body);
  return BuildMap(phase.points(), lower, upper, length - 1, body);
}

// Rows of at most this many elements are unrolled, whatever their operations.
constexpr int64_t kMaxUnrolledElements = 4;

// Estimates the instructions of a row if it is fully unrolled. `rows` is the number of
// rows, so that values of several rows count in proportion.
int64_t UnrolledOps(KernelFrame& frame, int64_t rows) {
  constexpr int64_t kCostly = 12;
  int64_t ops = 0;
  for (mlir::Operation& op : frame.region().without_terminator()) {
    auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
    mlir::Value points = reduce ? reduce.getInputs()[0] : op.getResult(0);
    int64_t each = 1;
    if (reduce)
      each = reduce.getBody().front().getOperations().size();
    else if (IsElementwise(&op) && IsCostly(&op))
      each = kCostly;
    ops += each * (Product(ShapeOf(points)) + rows - 1) / rows;
  }
  return ops;
}

// The rows of `shape` are its dimensions from `rows` on. If they are so short that each
// lane should compute a whole row, returns the number of elements of a row, or of its
// longest reduction if that is larger.
std::optional<int64_t> TinyRowElements(KernelFrame& frame, llvm::ArrayRef<int64_t> shape,
                                       int64_t rows) {
  constexpr int64_t kMinRows = 64;  // fill the lanes of several registers
  if (Product(shape.take_front(rows)) < kMinRows || frame.fusion()->hasAttr("row_starts"))
    return std::nullopt;
  int64_t longest = Product(shape.drop_front(rows));
  for (mlir::Operation& op : frame.region()) {
    auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op);
    if (!reduce) continue;
    int64_t elements = 1;
    for (int64_t dim : reduce.getDimensions())
      elements *= ShapeOf(reduce.getInputs()[0])[dim];
    longest = std::max(longest, elements);
  }
  // These limit compile time (docs/design/0004, "Short rows"): compiling an unrolled row
  // takes as long as computing thousands of rows.
  constexpr int64_t kMaxElements = 16, kManyRows = 4096, kMaxOps = 400,
                    kMaxOpsOfFewRows = 128;
  if (longest <= kMaxUnrolledElements) return longest;
  auto is_complex = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && llvm::isa<mlir::ComplexType>(tensor.getElementType());
  };
  int64_t count = Product(shape.take_front(rows));
  if (longest > kMaxElements ||
      llvm::any_of(frame.region().getArgumentTypes(), is_complex) ||
      llvm::any_of(frame.region().getTerminator()->getOperandTypes(), is_complex) ||
      UnrolledOps(frame, count) > (count < kManyRows ? kMaxOpsOfFewRows : kMaxOps))
    return std::nullopt;
  return longest;
}

// Vectorizes over rows and fully unrolls each row, so that reductions need no loops.
Status BuildTinyRows(KernelFrame& frame, llvm::ArrayRef<int64_t> shape, int64_t rows,
                     int64_t longest, double point_ns) {
  llvm::ArrayRef<int64_t> elements = shape.drop_front(rows),
                          others = shape.take_front(rows);
  // Vectorizes over a single long dimension if there is one: indices need no division.
  constexpr int64_t kLongRow = 16;
  auto inner = others.take_back(others.back() >= kLongRow ? 1 : others.size());
  llvm::SmallVector<int64_t> sizes(others.drop_back(inner.size()));
  point_ns *= Product(elements);
  int64_t length = Product(inner),
          block = ChooseBlock(frame, length, point_ns, CollapsedRow(inner));
  sizes.push_back((length + block - 1) / block);
  KernelBlock phase(frame, sizes, frame.cost().Grain(Product(sizes), point_ns * block));
  PointBuilder& points = phase.points();
  points.UnrollReductions();
  IndexBuilder& index = phase.index();
  llvm::SmallVector<mlir::Value> outer = phase.arguments();
  auto [lower, upper] = index.BlockBounds(outer.pop_back_val(), block, length);
  constexpr int64_t kMaxLanes = 64;
  return BuildMap(points, lower, upper, length - 1, [&](mlir::Value iv) -> Status {
    mlir::Operation* map = iv.getParentBlock()->getParentOp();
    if (longest > kMaxUnrolledElements && length >= kMaxLanes)
      map->setAttr(ir::kOverlapTailAttr, mlir::UnitAttr::get(map->getContext()));
    llvm::SmallVector<mlir::Value> row(outer);
    llvm::append_range(row, index.Delinearize(iv, inner));
    llvm::SmallVector<llvm::SmallVector<mlir::Value>> all;
    for (int64_t element = 0; element < Product(elements); ++element) {
      all.push_back(row);
      llvm::append_range(all.back(),
                         index.Delinearize(index.Constant(element), elements));
    }
    return StoreElements(frame, points, all);
  });
}

// The number of row dimensions, if reductions run row by row before the inner loop.
std::optional<int64_t> RowRank(KernelFrame& frame) {
  auto rows = frame.fusion()->getAttrOfType<mlir::IntegerAttr>("rows");
  if (!rows) return std::nullopt;
  // Short rows are faster with a lane for each row.
  int64_t longest = 0;
  for (mlir::Operation& op : frame.region()) {
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
      llvm::ArrayRef<int64_t> shape = ShapeOf(reduce.getInputs()[0]);
      for (int64_t dim : reduce.getDimensions()) longest = std::max(longest, shape[dim]);
    }
  }
  llvm::ArrayRef<int64_t> shape = ShapeOf(frame.yields()[0]);
  bool is_point = rows.getInt() == static_cast<int64_t>(shape.size());
  if (is_point && longest < 8 && !shape.empty() && shape.back() >= 8) return std::nullopt;
  return rows.getInt();
}

// Writes the result of a concatenation piece by piece, each in a loop over one operand.
class ConcatenateBuilder {
 public:
  ConcatenateBuilder(KernelFrame& frame, stablehlo::ConcatenateOp op)
      : frame_(frame),
        op_(op),
        dim_(op.getDimension()),
        shape_(ShapeOf(op.getResult())),
        point_ns_(std::max(frame.cost().moved_element_ns, EstimatePointNs(frame))) {}

  Status Build() {
    frame_.built().estimated_ns = point_ns_ * Product(shape_);
    // If there are enough rows to parallelize, each chunk writes whole rows of the
    // result.
    constexpr int64_t kMinParallelRows = 16;  // several per thread
    return Product(shape_.take_front(dim_)) >= kMinParallelRows ? BuildRows()
                                                                : BuildPieces();
  }

 private:
  using Indices = llvm::ArrayRef<mlir::Value>;
  using Bounds = std::pair<mlir::Value, mlir::Value>;

  // One phase over rows. Each chunk writes the pieces of its rows.
  Status BuildRows() {
    double row_ns = point_ns_ * Product(shape_.drop_front(dim_));
    KernelBlock phase = AddPhase(shape_.take_front(dim_), row_ns);
    PointBuilder& points = phase.points();
    return EachPiece([&](mlir::Value input, int64_t offset) {
      IndexBuilder& index = points.index();
      int64_t length = Product(ShapeOf(input).take_back(CollapsedRank(input)));
      return BuildPiece(points, phase.arguments(),
                        {index.Constant(0), index.Constant(length)}, input, offset);
    });
  }

  // A phase for each piece.
  Status BuildPieces() {
    return EachPiece([&](mlir::Value input, int64_t offset) {
      llvm::ArrayRef<int64_t> shape = ShapeOf(input);
      size_t inner = CollapsedRank(input);
      int64_t length = Product(shape.take_back(inner));
      int64_t block = inner == 1 ? length : ChooseBlock(frame_, length, point_ns_);
      llvm::SmallVector<int64_t> sizes(shape.drop_back(inner));
      sizes.push_back((length + block - 1) / block);
      KernelBlock phase = AddPhase(sizes, point_ns_ * block);
      llvm::SmallVector<mlir::Value> outer = phase.arguments();
      mlir::Value number = outer.pop_back_val();
      Bounds bounds = phase.index().BlockBounds(number, block, length);
      return BuildPiece(phase.points(), outer, bounds, input, offset);
    });
  }

  KernelBlock AddPhase(llvm::ArrayRef<int64_t> sizes, double unit_ns) {
    return KernelBlock(frame_, sizes, frame_.cost().Grain(Product(sizes), unit_ns));
  }

  Status EachPiece(llvm::function_ref<Status(mlir::Value, int64_t)> build) {
    int64_t offset = 0;
    for (mlir::Value input : op_.getInputs()) {
      if (Product(ShapeOf(input)) > 0) TENON_RETURN_IF_ERROR(build(input, offset));
      offset += ShapeOf(input)[dim_];
    }
    return OkStatus();
  }

  // Collapses short rows, as far as an operand's rows are contiguous in the result.
  size_t CollapsedRank(mlir::Value input) {
    return std::min<size_t>(InnerRank(ShapeOf(input)), shape_.size() - dim_);
  }

  // `outer` are the phase's indices. The other dimensions are loops inside it; the
  // innermost one has the given bounds.
  Status BuildPiece(PointBuilder& points, Indices outer, Bounds bounds, mlir::Value input,
                    int64_t offset) {
    llvm::ArrayRef<int64_t> shape = ShapeOf(input);
    llvm::ArrayRef<int64_t> inner = shape.take_back(CollapsedRank(input));
    llvm::ArrayRef<int64_t> between =
        shape.drop_front(outer.size()).drop_back(inner.size());
    auto element = [&](Indices before, mlir::Value iv) -> Status {
      llvm::SmallVector<mlir::Value> all(outer);
      llvm::append_range(all, before);
      llvm::append_range(all, points.index().Delinearize(iv, inner));
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(input, all, nullptr));
      all[dim_] = points.index().Add(all[dim_], points.index().Constant(offset));
      BuildStore(points, value, frame_.output(0), all);
      return OkStatus();
    };
    return BuildSequentialLoops(points, between, [&](Indices before) {
      return BuildMap(points, bounds.first, bounds.second, Product(inner) - 1,
                      [&](mlir::Value iv) { return element(before, iv); });
    });
  }

  KernelFrame& frame_;
  stablehlo::ConcatenateOp op_;
  int64_t dim_;
  llvm::ArrayRef<int64_t> shape_;
  double point_ns_;
};

}  // namespace

Status BuildLoopKernel(KernelFrame& frame) {
  frame.AddInputs();
  frame.AddOutputs();
  // On a device each item reads a column of its own, next to its neighbour's.
  if (!frame.target().device)
    if (auto plan = PlanColumnReduce(frame)) return BuildColumnReduce(frame, *plan);
  llvm::SmallVector<int64_t> shape(ShapeOf(frame.yields()[0]));
  int64_t total = Product(shape);
  double point_ns = EstimatePointNs(frame);
  frame.built().estimated_ns = point_ns * total;

  if (auto rows = frame.fusion()->getAttrOfType<mlir::IntegerAttr>("rows"))
    if (auto longest = TinyRowElements(frame, shape, rows.getInt()))
      return BuildTinyRows(frame, shape, rows.getInt(), *longest, point_ns);
  if (auto rows = RowRank(frame)) {
    llvm::ArrayRef<int64_t> outer = llvm::ArrayRef<int64_t>(shape).take_front(*rows);
    llvm::ArrayRef<int64_t> inner = llvm::ArrayRef<int64_t>(shape).drop_front(*rows);
    KernelBlock phase(frame, outer,
                      frame.cost().Grain(Product(outer), point_ns * Product(inner)));
    PointBuilder& points = phase.points();
    llvm::SmallVector<mlir::Value> indices = phase.arguments();
    TENON_RETURN_IF_ERROR(
        CacheRepeated(frame, points, frame.yields(), {}, shape, indices, 2));
    auto store = [&](llvm::ArrayRef<mlir::Value> rest) {
      llvm::SmallVector<mlir::Value> all(indices);
      llvm::append_range(all, rest);
      return StoreResults(frame, points, all);
    };
    if (inner.empty()) return store({});
    return BuildSequentialLoops(
        points, inner.drop_back(), [&](llvm::ArrayRef<mlir::Value> before) {
          return BuildRowMap(frame, points, points.index().Constant(0),
                             points.index().Constant(inner.back()), inner.back(),
                             [&](mlir::Value iv) {
                               llvm::SmallVector<mlir::Value> rest(before);
                               rest.push_back(iv);
                               return store(rest);
                             });
        });
  }

  if (auto dim = UnrolledDimension(frame, shape))
    return BuildUnrolledDimension(frame, shape, *dim, point_ns);
  if (auto dim = TransposedDimension(frame, shape))
    return BuildTiles(frame, shape, *dim, point_ns);

  // One long row if all operands have the same indices. Else rows of the last dimension,
  // or of several dimensions if it is short.
  size_t inner_rank = IsElementwiseFusion(frame.fusion()) ? shape.size()
                      : GathersRows(frame, shape) || HasWindowsAlongRows(frame, shape)
                          ? 1
                          : RowRankOfOperands(frame, shape);
  llvm::ArrayRef<int64_t> inner = llvm::ArrayRef<int64_t>(shape).take_back(inner_rank);
  llvm::ArrayRef<int64_t> outer = llvm::ArrayRef<int64_t>(shape).drop_back(inner_rank);
  int64_t length = Product(inner);
  int64_t block_length =
      length > 0 ? ChooseBlock(frame, length, point_ns, CollapsedRow(inner)) : 0;
  llvm::SmallVector<int64_t> sizes(outer);
  int64_t blocks = length == 0 ? 0 : (length + block_length - 1) / block_length;
  if (!shape.empty()) sizes.push_back(blocks);
  KernelBlock phase(frame, sizes,
                    frame.cost().Grain(Product(sizes), point_ns * block_length));
  PointBuilder& points = phase.points();
  llvm::SmallVector<mlir::Value> indices = phase.arguments();
  if (shape.empty()) return StoreResults(frame, points, {});

  IndexBuilder& index = phase.index();
  mlir::Value number = indices.pop_back_val();
  auto [lower, upper] = index.BlockBounds(number, block_length, length);
  return BuildRowMap(frame, points, lower, upper, length, [&](mlir::Value iv) {
    llvm::SmallVector<mlir::Value> all(indices);
    llvm::append_range(all, index.Delinearize(iv, inner));
    return StoreResults(frame, points, all);
  });
}

Status BuildConcatenateKernel(KernelFrame& frame) {
  frame.AddInputs();
  frame.AddOutputs();
  auto concatenate = frame.yields()[0].getDefiningOp<stablehlo::ConcatenateOp>();
  if (!concatenate) return Internal("a concatenate fusion must end in concatenate");
  return ConcatenateBuilder(frame, concatenate).Build();
}

}  // namespace tenon::compiler
