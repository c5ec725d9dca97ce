// Scatters on devices. Where indices repeat, rows are sorted by their targets, so that
// sums need no atomic operations: the same program gives the same bits in every run.
#include "llvm/Support/MathExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/kernels/scatter_builder.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/compiler/plan/structured_plan.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/atomic_store.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// Items that go through all indices, and the most indices for which that is faster than
// sorting them.
constexpr int64_t kMaxItems = 1 << 14, kFewRows = 64;

// Sorted rows whose updates are loaded together.
constexpr int64_t kRowsAhead = 8;

// Whether `combiner` returns the updates themselves.
bool IsReplacement(mlir::Block& combiner) {
  const unsigned count = combiner.getNumArguments() / 2;
  return llvm::all_of(
      llvm::enumerate(combiner.getTerminator()->getOperands()), [&](auto result) {
        return result.value() ==
               combiner.getArgument(count + static_cast<unsigned>(result.index()));
      });
}

mlir::Value Same(PointBuilder& points, mlir::Value x, mlir::Value y) {
  mlir::OpBuilder b = points.levels().Builder(points.levels().LevelOf({x, y}));
  return mlir::arith::CmpIOp::create(b, points.levels().loc(),
                                     mlir::arith::CmpIPredicate::eq, x, y);
}

// i1: x < y.
mlir::Value Below(PointBuilder& points, mlir::Value x, mlir::Value y) {
  mlir::OpBuilder b = points.levels().Builder(points.levels().LevelOf({x, y}));
  return mlir::arith::CmpIOp::create(b, points.levels().loc(),
                                     mlir::arith::CmpIPredicate::slt, x, y);
}

mlir::Value SelectIndex(PointBuilder& points, mlir::Value condition, mlir::Value on_true,
                        mlir::Value on_false) {
  LevelStack& levels = points.levels();
  mlir::OpBuilder b = levels.Builder(levels.LevelOf({condition, on_true, on_false}));
  return mlir::arith::SelectOp::create(b, levels.loc(), condition, on_true, on_false);
}

mlir::Value ToIndex(PointBuilder& points, mlir::Value scalar) {
  mlir::OpBuilder b = points.levels().Builder(points.levels().LevelOf(scalar));
  return ir::ToIndexOp::create(b, points.levels().loc(), b.getIndexType(), scalar);
}

mlir::Value FromIndex(PointBuilder& points, mlir::Value index, mlir::Type type) {
  mlir::OpBuilder b = points.levels().Builder(points.levels().LevelOf(index));
  return ir::FromIndexOp::create(b, points.levels().loc(),
                                 mlir::RankedTensorType::get({}, type), index);
}

using CarriedBody = llvm::function_ref<StatusOr<llvm::SmallVector<mlir::Value>>(
    mlir::Value iv, llvm::ArrayRef<mlir::Value> carried)>;

// A sequential loop over [lower, upper) with carried values; `last` is the largest
// possible index.
StatusOr<llvm::SmallVector<mlir::Value>> BuildCarriedFor(
    PointBuilder& points, mlir::Value lower, mlir::Value upper, int64_t last,
    llvm::ArrayRef<mlir::Value> inits, CarriedBody body) {
  LevelStack& levels = points.levels();
  mlir::OpBuilder b = levels.InnermostBuilder();
  const mlir::ValueRange values(inits);
  auto loop = ir::ForOp::create(b, levels.loc(), values.getTypes(), lower, upper, values);
  mlir::Block* block = b.createBlock(&loop.getBody());
  mlir::Value iv = block->addArgument(b.getIndexType(), levels.loc());
  points.index().SetRange(iv, 0, last);
  llvm::SmallVector<mlir::Value> carried;
  for (mlir::Value init : inits)
    carried.push_back(block->addArgument(init.getType(), levels.loc()));
  levels.Push(block);
  auto next = body(iv, carried);
  levels.Pop();
  if (!next.ok()) return next.status();
  mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(block);
  ir::YieldOp::create(end, levels.loc(), *next);
  return llvm::SmallVector<mlir::Value>(loop.getResults());
}

}  // namespace

// Rows, sorted by their keys. A key is the position of the target, from 1, among all that
// indices can address; 0 if the window is not inside the array.
struct ScatterBuilder::SortedRows {
  // The dimensions of the array that indices address, their sizes, and the positions of
  // those that belong to the window. An element in such a dimension of the window is a
  // row of its own, so that rows have the same target or share no element.
  llvm::SmallVector<int64_t> dims, sizes;
  llvm::SmallVector<int64_t> moved;
  // The sizes of what counts rows, and of the window that is left.
  llvm::SmallVector<int64_t> row_sizes, window_sizes;
  int64_t rows = 0, chunk = 1;
  mlir::Type key_type;  // unsigned
  // Views of [1, 1, rows]: keys, and in their order keys and the numbers of rows. Of each
  // chunk, what a run of equal keys that began before adds.
  mlir::Value keys, sorted_keys, numbers;
  llvm::SmallVector<mlir::Value> heads;

  int64_t Chunks() const { return CeilDiv(rows, chunk); }

  // The sorted key at `position`, as an index; 0 if `mask` is false.
  mlir::Value Key(PointBuilder& points, mlir::Value position, mlir::Value mask) const {
    mlir::Value zero = points.index().Constant(0);
    return ToIndex(points, points.Load(sorted_keys, {zero, zero, position}, mask));
  }

  // A whole window from the elements of its two parts, in the order of its dimensions.
  llvm::SmallVector<mlir::Value> Window(Indices of_row, Indices rest) const {
    llvm::SmallVector<mlir::Value> window;
    size_t next_moved = 0, next_rest = 0;
    for (size_t d = 0; d < moved.size() + window_sizes.size(); ++d)
      window.push_back(llvm::is_contained(moved, static_cast<int64_t>(d))
                           ? of_row[next_moved++]
                           : rest[next_rest++]);
    return window;
  }
};

// An item's chunk of the sorted rows: its number, the rows that the item goes through,
// and the key of the row before.
struct ScatterBuilder::Chunk {
  mlir::Value number, lower, end, before;
};

Status ScatterBuilder::BuildOnDevice() {
  if (Product(shape_) == 0) return OkStatus();
  const int64_t updates = Product(row_sizes_);
  if (scatter_.getUniqueIndices() || updates == 1) return BuildUniqueItems();
  if (IsAtomic()) return BuildAtomicItems();
  SortedRows rows;
  for (int64_t d = 0; d < static_cast<int64_t>(shape_.size()); ++d)
    if (llvm::is_contained(numbers_.getScatterDimsToOperandDims(), d) ||
        llvm::is_contained(numbers_.getInputBatchingDims(), d)) {
      rows.dims.push_back(d);
      rows.sizes.push_back(shape_[d]);
    }
  rows.row_sizes = row_sizes_;
  bool in_one_place = true;  // windows are equal or share no element
  for (auto [number, dim] : llvm::enumerate(window_dims_)) {
    const int64_t size = window_sizes_[number];
    if (llvm::is_contained(rows.dims, dim)) {
      rows.moved.push_back(static_cast<int64_t>(number));
      rows.row_sizes.push_back(size);
      in_one_place &= size == 1;
    } else {
      rows.window_sizes.push_back(size);
    }
  }
  rows.rows = Product(rows.row_sizes);
  const bool fits = rows.rows < INT32_MAX && Product(rows.sizes) < INT32_MAX;
  if (fits && (updates > kFewRows || !in_one_place)) return BuildSortedRows(rows);
  if (in_one_place && numbers_.getInputBatchingDims().empty()) return BuildOrderedItems();
  KernelBlock phase(frame_, {1}, 1);
  return BuildSequentialLoops(phase.points(), row_sizes_, [&](Indices row) {
    return UpdateRow(phase.points(), row, InPlace(), nullptr);
  });
}

Status ScatterBuilder::BuildUniqueItems() {
  llvm::SmallVector<int64_t> sizes{1};
  llvm::append_range(sizes, row_sizes_);
  llvm::append_range(sizes, window_sizes_);
  KernelBlock phase(frame_, sizes, 1);
  llvm::SmallVector<mlir::Value> all = phase.arguments();
  Indices row = Indices(all).slice(1, row_sizes_.size());
  Indices window = Indices(all).drop_front(1 + row_sizes_.size());
  return UpdateRow(phase.points(), row, InPlace(), nullptr, &window);
}

bool ScatterBuilder::IsAtomic() {
  mlir::Block& combiner = scatter_.getUpdateComputation().front();
  if (!stablehlo::IsReorderable(combiner)) return false;
  return llvm::all_of(llvm::enumerate(scatter_.getInputs()), [&](auto input) {
    const ElementType type = ir::ElementTypeOfShaped(input.value().getType());
    const int bits = ElementBits(type);
    return IsInteger(type) && (bits == 32 || bits == 64) &&
           bits <= frame_.target().device->max_atomic_bits &&
           llvm::isa<stablehlo::AddOp, stablehlo::MaxOp, stablehlo::MinOp,
                     stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp>(
               stablehlo::CombiningOp(combiner, input.index()));
  });
}

Status ScatterBuilder::BuildAtomicItems() {
  llvm::SmallVector<int64_t> sizes{1};
  llvm::append_range(sizes, row_sizes_);
  llvm::append_range(sizes, window_sizes_);
  KernelBlock phase(frame_, sizes, 1);
  PointBuilder& points = phase.points();
  llvm::SmallVector<mlir::Value> all = phase.arguments();
  Indices row = Indices(all).slice(1, row_sizes_.size());
  Indices window = Indices(all).drop_front(1 + row_sizes_.size());
  TENON_ASSIGN_OR_RETURN(Start start, StartOf(points, row));
  auto update = [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto values,
                           Updates(points, UpdateIndices(row, window), nullptr));
    llvm::SmallVector<mlir::Value> target = TargetIndices(points, start.indices, window);
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    for (auto [number, value] : llvm::enumerate(values)) {
      mlir::Operation* op =
          stablehlo::CombiningOp(scatter_.getUpdateComputation().front(), number);
      auto store = ir::StoreOp::create(b, frame_.loc(), value,
                                       frame_.output(static_cast<int64_t>(number)),
                                       target, mlir::Value());
      store->setAttr(ir::kAtomicAttr, b.getStringAttr(op->getName().stripDialect()));
    }
    return OkStatus();
  };
  return start.inside ? BuildIf(points, start.inside, update) : update();
}

Status ScatterBuilder::BuildOrderedItems() {
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

Status ScatterBuilder::BuildSortedRows(SortedRows& rows) {
  mlir::OpBuilder& b = frame_.builder();
  // Sorts by short keys have fewer passes.
  rows.key_type = Product(rows.sizes) < UINT16_MAX ? b.getIntegerType(16, false)
                                                   : b.getIntegerType(32, false);
  const llvm::SmallVector<int64_t> all{1, 1, rows.rows};
  rows.keys = frame_.AddScratch(mlir::MemRefType::get(all, rows.key_type));
  rows.sorted_keys = frame_.AddScratch(mlir::MemRefType::get(all, rows.key_type));
  rows.numbers = frame_.AddScratch(mlir::MemRefType::get(all, b.getI32Type()));
  mlir::Block& combiner = scatter_.getUpdateComputation().front();
  const bool replaces = IsReplacement(combiner);
  // An eighth of the square root of the rows, since long runs add as many heads as there
  // are chunks.
  constexpr int64_t kMinChunk = 16, kMaxChunk = 64;
  while (rows.chunk < kMaxChunk &&
         (rows.chunk < kMinChunk || 64 * rows.chunk * rows.chunk < rows.rows))
    rows.chunk *= 2;
  if (!replaces && stablehlo::MayCombineUpdates(combiner) && rows.Chunks() > 1) {
    llvm::SmallVector<int64_t> shape{rows.Chunks()};
    llvm::append_range(shape, rows.window_sizes);
    for (mlir::Value input : scatter_.getInputs())
      rows.heads.push_back(
          frame_.AddScratch(mlir::MemRefType::get(shape, ElementOf(input))));
  }
  TENON_RETURN_IF_ERROR(BuildKeys(rows));
  TENON_RETURN_IF_ERROR(SortKeys(rows));
  if (replaces) return BuildLastUpdates(rows);
  TENON_RETURN_IF_ERROR(BuildRuns(rows));
  return rows.heads.empty() ? OkStatus() : AddHeads(rows);
}

Status ScatterBuilder::BuildKeys(const SortedRows& rows) {
  llvm::SmallVector<int64_t> sizes{1};
  llvm::append_range(sizes, rows.row_sizes);
  KernelBlock phase(frame_, sizes, 1);
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::SmallVector<mlir::Value> all = phase.arguments();
  Indices numbers = Indices(all).drop_front();
  Indices moved = numbers.drop_front(row_sizes_.size());
  TENON_ASSIGN_OR_RETURN(Start start,
                         StartOf(points, numbers.take_front(row_sizes_.size())));
  for (auto [number, iv] : llvm::zip_equal(rows.moved, moved)) {
    mlir::Value& first = start.indices[window_dims_[number]];
    first = first ? index.Add(first, iv) : iv;
  }
  llvm::SmallVector<mlir::Value> target;
  for (int64_t dim : rows.dims) target.push_back(start.indices[dim]);
  mlir::Value key =
      FromIndex(points, index.Add(index.Linearize(target, rows.sizes), index.Constant(1)),
                rows.key_type);
  if (start.inside)
    key = points.Select(start.inside, key, points.IntegerConstant(key.getType(), 0));
  mlir::Value zero = index.Constant(0);
  BuildStore(points, key, rows.keys,
             {zero, zero, index.Linearize(numbers, rows.row_sizes)});
  return OkStatus();
}

Status ScatterBuilder::SortKeys(const SortedRows& rows) {
  mlir::Value scratch = frame_.AddScratch(1);
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame_.built().kernel.getBody().front());
  auto sort =
      ir::SortOp::create(b, frame_.loc(), mlir::ValueRange{rows.keys},
                         mlir::ValueRange{rows.sorted_keys, rows.numbers}, scratch,
                         llvm::ArrayRef<int64_t>{0, -1}, llvm::ArrayRef<int64_t>{0, 1});
  mlir::Block* block = b.createBlock(&sort.getComparator());
  for (mlir::Type type : {rows.key_type, mlir::Type(b.getI32Type())})
    for (int side = 0; side < 2; ++side)
      block->addArgument(mlir::RankedTensorType::get({}, type), frame_.loc());
  mlir::Value before = stablehlo::CompareOp::create(
      b, frame_.loc(), block->getArgument(0), block->getArgument(1),
      stablehlo::ComparisonDirection::LT, stablehlo::ComparisonType::UNSIGNED);
  ir::YieldOp::create(b, frame_.loc(), before);
  const double estimated_ns = frame_.built().estimated_ns;
  TENON_RETURN_IF_ERROR(PlanKernel(frame_, *sort, scratch).status());
  frame_.built().estimated_ns += estimated_ns;
  return OkStatus();
}

// The elements of the array that key `key` and element `rest` of the window stand for.
llvm::SmallVector<mlir::Value> ScatterBuilder::TargetOf(PointBuilder& points,
                                                        const SortedRows& rows,
                                                        mlir::Value key, Indices rest) {
  IndexBuilder& index = points.index();
  mlir::Value position = index.Sub(key, index.Constant(1));
  llvm::SmallVector<mlir::Value> digits = index.Delinearize(position, rows.sizes);
  llvm::SmallVector<mlir::Value> target(shape_.size());
  for (auto [dim, digit] : llvm::zip_equal(rows.dims, digits)) target[dim] = digit;
  size_t next = 0;
  for (int64_t dim : window_dims_)
    if (!target[dim]) target[dim] = rest[next++];
  // Inserted dimensions that indices do not address.
  for (mlir::Value& one : target)
    if (!one) one = index.Constant(0);
  return target;
}

StatusOr<llvm::SmallVector<mlir::Value>> ScatterBuilder::SortedUpdates(
    PointBuilder& points, const SortedRows& rows, mlir::Value position, Indices rest,
    mlir::Value mask) {
  IndexBuilder& index = points.index();
  mlir::Value zero = index.Constant(0);
  mlir::Value number =
      ToIndex(points, points.Load(rows.numbers, {zero, zero, position}, nullptr));
  index.SetRange(number, 0, rows.rows - 1);
  llvm::SmallVector<mlir::Value> digits = index.Delinearize(number, rows.row_sizes);
  const Indices row = Indices(digits).take_front(row_sizes_.size());
  const Indices moved = Indices(digits).drop_front(row_sizes_.size());
  return Updates(points, UpdateIndices(row, rows.Window(moved, rest)), mask);
}

// Of each target, the last update stays.
Status ScatterBuilder::BuildLastUpdates(const SortedRows& rows) {
  llvm::SmallVector<int64_t> sizes{rows.rows};
  llvm::append_range(sizes, rows.window_sizes);
  KernelBlock phase(frame_, sizes, 1);
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::SmallVector<mlir::Value> all = phase.arguments();
  Indices rest = Indices(all).drop_front();
  mlir::Value key = rows.Key(points, all[0], nullptr);
  mlir::Value next = index.Add(all[0], index.Constant(1));
  mlir::Value next_key = rows.Key(points, next, index.InRange(next, rows.rows));
  mlir::Value is_last =
      index.And(index.Not(index.Equal(key, 0)), index.Not(Same(points, key, next_key)));
  return BuildIf(points, is_last, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto values,
                           SortedUpdates(points, rows, all[0], rest, nullptr));
    llvm::SmallVector<mlir::Value> target = TargetOf(points, rows, key, rest);
    for (auto [number, value] : llvm::enumerate(values))
      BuildStore(points, value, frame_.output(static_cast<int64_t>(number)), target);
    return OkStatus();
  });
}

// Adds some rows of a chunk. All their loads come first, so that they overlap. Nobody
// else changes the target of a run that begins here.
StatusOr<llvm::SmallVector<mlir::Value>> ScatterBuilder::AddRows(
    PointBuilder& points, const SortedRows& rows, const Chunk& chunk, Indices rest,
    mlir::Value block, llvm::ArrayRef<mlir::Value> carried) {
  IndexBuilder& index = points.index();
  const mlir::Value last = index.Sub(chunk.end, index.Constant(1));
  const mlir::Value first = index.Add(chunk.lower, index.Mul(block, kRowsAhead));
  llvm::SmallVector<mlir::Value> keys;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> updates, olds, targets;
  llvm::SmallVector<mlir::Value> exist, begins, are_heads;
  for (int64_t row = 0; row <= kRowsAhead; ++row) {
    const mlir::Value position = index.Add(first, index.Constant(row));
    const mlir::Value inside = index.Min(position, last);
    keys.push_back(SelectIndex(points, Below(points, position, chunk.end),
                               rows.Key(points, inside, nullptr), index.Constant(0)));
    if (row == kRowsAhead) break;
    TENON_ASSIGN_OR_RETURN(auto values,
                           SortedUpdates(points, rows, inside, rest, nullptr));
    updates.push_back(values);
  }
  for (size_t row = 0; row < kRowsAhead; ++row) {
    const mlir::Value key = keys[row];
    const mlir::Value previous_key =
        row == 0 ? ToIndex(points, carried[0]) : keys[row - 1];
    exist.push_back(index.Not(index.Equal(key, 0)));
    are_heads.push_back(Same(points, key, chunk.before));
    begins.push_back(index.Not(Same(points, key, previous_key)));
    targets.push_back(TargetOf(points, rows, key, rest));
    const mlir::Value is_loaded =
        index.And(begins[row], index.And(exist[row], index.Not(are_heads[row])));
    for (auto [number, sum] : llvm::enumerate(carried.drop_front())) {
      mlir::OpBuilder b = points.levels().InnermostBuilder();
      if (number == 0) olds.emplace_back();
      olds[row].push_back(ir::LoadOp::create(b, frame_.loc(), sum.getType(),
                                             frame_.output(static_cast<int64_t>(number)),
                                             targets[row], is_loaded, sum));
    }
  }
  llvm::SmallVector<mlir::Value> sums(carried.drop_front());
  for (size_t row = 0; row < kRowsAhead; ++row) {
    llvm::SmallVector<mlir::Value> arguments;
    for (auto [old, sum] : llvm::zip_equal(olds[row], sums))
      arguments.push_back(points.Select(begins[row], old, sum));
    llvm::append_range(arguments, updates[row]);
    TENON_ASSIGN_OR_RETURN(
        sums, points.InlineRegion(scatter_.getUpdateComputation(), arguments));
    const mlir::Value ends =
        index.And(exist[row], index.Not(Same(points, keys[row], keys[row + 1])));
    for (auto [number, sum] : llvm::enumerate(sums)) {
      if (!rows.heads.empty()) {
        sum = points.Select(index.And(begins[row], are_heads[row]), updates[row][number],
                            sum);
        llvm::SmallVector<mlir::Value> place{chunk.number};
        llvm::append_range(place, rest);
        BuildStore(points, sum, rows.heads[number], place,
                   index.And(ends, are_heads[row]));
      }
      BuildStore(points, sum, frame_.output(static_cast<int64_t>(number)), targets[row],
                 index.And(ends, index.Not(are_heads[row])));
    }
  }
  llvm::SmallVector<mlir::Value> carry{
      FromIndex(points, keys[kRowsAhead - 1], rows.key_type)};
  llvm::append_range(carry, sums);
  return carry;
}

// An item has a chunk of the sorted rows, and adds the runs of equal keys that begin in
// it. If the order of updates matters, it also adds the rest of the last one, in the
// chunks that follow. Otherwise it stores what it finds of a run that began before.
Status ScatterBuilder::BuildRuns(const SortedRows& rows) {
  llvm::SmallVector<int64_t> sizes{rows.Chunks()};
  llvm::append_range(sizes, rows.window_sizes);
  KernelBlock phase(frame_, sizes, 1);
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::SmallVector<mlir::Value> all = phase.arguments();
  Indices rest = Indices(all).drop_front();
  auto [lower, upper] = index.BlockBounds(all[0], rows.chunk, rows.rows);
  mlir::Value end = upper;
  mlir::Value previous = index.Sub(lower, index.Constant(1));
  const mlir::Value before =
      rows.Key(points, previous, index.InRange(previous, rows.rows));
  if (rows.heads.empty() && rows.Chunks() > 1) {
    mlir::Value last = index.Sub(upper, index.Constant(1));
    mlir::Value key = rows.Key(points, last, nullptr);
    TENON_ASSIGN_OR_RETURN(end, EndOfRun(points, rows, key, last, 1, rows.rows));
    end = SelectIndex(points, Same(points, key, before), lower, end);
  }
  llvm::SmallVector<mlir::Value> inits{
      points.IntegerConstant(mlir::RankedTensorType::get({}, rows.key_type), 0)};
  for (mlir::Value input : scatter_.getInputs())
    inits.push_back(points.IntegerConstant(ScalarTypeOf(input), 0));
  const Chunk chunk{all[0], lower, end, before};
  auto add = [&](mlir::Value block, llvm::ArrayRef<mlir::Value> carried) {
    return AddRows(points, rows, chunk, rest, block, carried);
  };
  const mlir::Value blocks = index.DivU(
      index.Add(index.Sub(end, lower), index.Constant(kRowsAhead - 1)), kRowsAhead);
  return BuildCarriedFor(points, index.Constant(0), blocks, rows.rows / kRowsAhead, inits,
                         add)
      .status();
}

// Adds to the sum of a run what it has in the chunks after that in which it begins.
Status ScatterBuilder::AddHeads(const SortedRows& rows) {
  llvm::SmallVector<int64_t> sizes{rows.Chunks() - 1};
  llvm::append_range(sizes, rows.window_sizes);
  KernelBlock phase(frame_, sizes, 1);
  PointBuilder& points = phase.points();
  IndexBuilder& index = phase.index();
  llvm::SmallVector<mlir::Value> all = phase.arguments();
  Indices rest = Indices(all).drop_front();
  mlir::Value lower = index.Mul(all[0], rows.chunk);
  mlir::Value upper = index.Add(lower, index.Constant(rows.chunk));
  mlir::Value previous = index.Sub(lower, index.Constant(1));
  mlir::Value key = rows.Key(points, index.Sub(upper, index.Constant(1)), nullptr);
  mlir::Value before = rows.Key(points, previous, index.InRange(previous, rows.rows));
  mlir::Value after = rows.Key(points, upper, nullptr);
  mlir::Value begins_here =
      index.And(index.Not(index.Equal(key, 0)), index.Not(Same(points, key, before)));
  mlir::Value is_cut = index.And(begins_here, Same(points, key, after));
  return BuildIf(points, is_cut, [&]() -> Status {
    mlir::Value next = index.Add(all[0], index.Constant(1));
    TENON_ASSIGN_OR_RETURN(mlir::Value end,
                           EndOfRun(points, rows, key, next, rows.chunk, rows.Chunks()));
    llvm::SmallVector<mlir::Value> target = TargetOf(points, rows, key, rest), sums;
    for (auto [number, input] : llvm::enumerate(scatter_.getInputs())) {
      mlir::OpBuilder b = points.levels().InnermostBuilder();
      sums.push_back(ir::LoadOp::create(b, frame_.loc(), ScalarTypeOf(input),
                                        frame_.output(static_cast<int64_t>(number)),
                                        target, mlir::Value(), mlir::Value()));
    }
    // As above, the loads of some chunks come first.
    constexpr int64_t kChunks = 8;
    const mlir::Value last = index.Sub(end, index.Constant(1));
    auto add = [&](mlir::Value block, llvm::ArrayRef<mlir::Value> carried)
        -> StatusOr<llvm::SmallVector<mlir::Value>> {
      const mlir::Value first = index.Add(next, index.Mul(block, kChunks));
      llvm::SmallVector<mlir::Value> exist;
      llvm::SmallVector<llvm::SmallVector<mlir::Value>> heads;
      for (int64_t number = 0; number < kChunks; ++number) {
        const mlir::Value chunk = index.Add(first, index.Constant(number));
        exist.push_back(Below(points, chunk, end));
        llvm::SmallVector<mlir::Value> place{index.Min(chunk, last)};
        llvm::append_range(place, rest);
        heads.emplace_back();
        for (mlir::Value head : rows.heads)
          heads.back().push_back(points.Load(head, place, nullptr));
      }
      llvm::SmallVector<mlir::Value> totals(carried);
      for (auto [exists, more] : llvm::zip_equal(exist, heads)) {
        llvm::SmallVector<mlir::Value> arguments = totals;
        llvm::append_range(arguments, more);
        TENON_ASSIGN_OR_RETURN(
            auto results,
            points.InlineRegion(scatter_.getUpdateComputation(), arguments));
        for (auto [total, result] : llvm::zip_equal(totals, results))
          total = points.Select(exists, result, total);
      }
      return totals;
    };
    const mlir::Value blocks =
        index.DivU(index.Add(index.Sub(end, next), index.Constant(kChunks - 1)), kChunks);
    TENON_ASSIGN_OR_RETURN(sums, BuildCarriedFor(points, index.Constant(0), blocks,
                                                 rows.Chunks() / kChunks, sums, add));
    for (auto [number, sum] : llvm::enumerate(sums))
      BuildStore(points, sum, frame_.output(static_cast<int64_t>(number)), target);
    return OkStatus();
  });
}

// Returns the first i in (first, count] whose key, that of sorted row i * step, is not
// `key`, or `count` if there is none. The key at `first` is `key`.
StatusOr<mlir::Value> ScatterBuilder::EndOfRun(PointBuilder& points,
                                               const SortedRows& rows, mlir::Value key,
                                               mlir::Value first, int64_t step,
                                               int64_t count) {
  IndexBuilder& index = points.index();
  const int64_t steps = llvm::Log2_64_Ceil(static_cast<uint64_t>(count) + 1);
  const mlir::Type i32 = frame_.builder().getI32Type();
  llvm::SmallVector<mlir::Value> inits{FromIndex(points, first, i32),
                                       FromIndex(points, index.Constant(count), i32)};
  TENON_ASSIGN_OR_RETURN(
      auto bounds,
      BuildCarriedFor(points, index.Constant(0), index.Constant(steps), steps - 1, inits,
                      [&](mlir::Value, llvm::ArrayRef<mlir::Value> carried)
                          -> StatusOr<llvm::SmallVector<mlir::Value>> {
                        mlir::Value low = ToIndex(points, carried[0]);
                        mlir::Value high = ToIndex(points, carried[1]);
                        mlir::Value middle = index.DivU(index.Add(low, high), 2);
                        mlir::Value is_inside =
                            Same(points, key,
                                 rows.Key(points, index.Mul(middle, step), nullptr));
                        mlir::Value at = FromIndex(points, middle, i32);
                        return llvm::SmallVector<mlir::Value>{
                            points.Select(is_inside, at, carried[0]),
                            points.Select(is_inside, carried[1], at)};
                      }));
  return ToIndex(points, bounds[1]);
}

}  // namespace tenon::compiler
