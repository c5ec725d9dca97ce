#include "tenon/compiler/fusion/demand.h"

#include <algorithm>
#include <limits>

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/stablehlo/window_attributes.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kUnknownSize = std::numeric_limits<int32_t>::max();

// A hash that is not 0, because 0 means "none". A collision only affects estimated costs.
template <typename... T>
uint64_t Id(const T&... parts) {
  return static_cast<uint64_t>(llvm::hash_combine(parts...)) | 1;
}

llvm::hash_code hash_value(const DemandIndex& index) {
  return llvm::hash_combine(index.variable, index.offset);
}

uint64_t IdOf(llvm::ArrayRef<DemandIndex> indices) {
  llvm::hash_code hash = llvm::hash_value(indices.size());
  for (const DemandIndex& index : indices)
    hash = llvm::hash_combine(hash, hash_value(index));
  return static_cast<uint64_t>(hash) | 1;
}

DemandIndex Constant(int64_t value) { return {0, 1, value}; }

DemandIndex Shifted(DemandIndex index, int64_t by) {
  index.offset += by;
  return index;
}

// An index of which PointBuilder does not know the range, so it takes no element of any
// array as always or never read.
DemandIndex WithoutRange(uint64_t variable) {
  return {variable, kUnknownSize, -(kUnknownSize / 2)};
}

bool IsInside(const DemandIndex& index, int64_t size) {
  return index.offset >= 0 && index.offset + index.size <= size;
}

bool IsOutside(const DemandIndex& index, int64_t size) {
  return index.offset >= size || index.offset + index.size <= 0;
}

void ReshapePoint(stablehlo::ReshapeOp op, DemandPoint& point) {
  llvm::ArrayRef<int64_t> to = ShapeOf(op.getResult()), from = ShapeOf(op.getOperand());
  llvm::SmallVector<DemandIndex, 4> given, inner(from.size(), Constant(0));
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<size_t> dims;
  for (auto [index, size] : llvm::zip_equal(point.indices, to)) {
    if (size == 1) continue;
    given.push_back(index);
    sizes.push_back(size);
  }
  for (auto [d, size] : llvm::enumerate(from))
    if (size != 1) dims.push_back(d);
  // Leading and trailing dimensions that correspond keep their index.
  size_t front = 0;
  while (front < given.size() && front < dims.size() &&
         sizes[front] == from[dims[front]]) {
    inner[dims[front]] = given[front];
    ++front;
  }
  size_t back = 0;
  while (back + front < given.size() && back + front < dims.size() &&
         sizes[sizes.size() - 1 - back] == from[dims[dims.size() - 1 - back]]) {
    inner[dims[dims.size() - 1 - back]] = given[given.size() - 1 - back];
    ++back;
  }
  auto middle = llvm::ArrayRef<DemandIndex>(given).drop_front(front).drop_back(back);
  // Remainders are always in range. The quotient is not where a mask keeps the point.
  bool in_range = llvm::all_of(llvm::seq(front, given.size() - back),
                               [&](size_t i) { return IsInside(given[i], sizes[i]); });
  uint64_t linear = Id(IdOf(middle), uint64_t{1});
  for (size_t d : llvm::ArrayRef<size_t>(dims).drop_front(front).drop_back(back)) {
    uint64_t variable = Id(linear, d, from[d]);
    inner[d] = in_range || d != dims[front] ? DemandIndex{variable, from[d], 0}
                                            : WithoutRange(variable);
  }
  point.indices = std::move(inner);
}

llvm::SmallVector<DemandIndex, 4> GatherIndices(stablehlo::GatherOp op,
                                                const DemandPoint& point) {
  auto numbers = op.getDimensionNumbers();
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  llvm::SmallVector<DemandIndex, 4> batch, offset, inner;
  for (auto [d, index] : llvm::enumerate(point.indices))
    (llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(d)) ? offset
                                                                          : batch)
        .push_back(index);
  uint64_t start = Id(op.getStartIndices().getAsOpaquePointer(), IdOf(batch));
  size_t next = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t dim = static_cast<int64_t>(d);
    bool removed = llvm::is_contained(numbers.getCollapsedSliceDims(), dim) ||
                   llvm::is_contained(numbers.getOperandBatchingDims(), dim);
    bool started = llvm::is_contained(numbers.getStartIndexMap(), dim) ||
                   llvm::is_contained(numbers.getOperandBatchingDims(), dim);
    DemandIndex index = removed ? Constant(0) : offset[next++];
    if (started && shape[d] != op.getSliceSizes()[d])
      index = {Id(start, d, index.variable), kUnknownSize, index.offset};
    inner.push_back(index);
  }
  return inner;
}

void SlicePoint(stablehlo::SliceOp op, DemandPoint& point) {
  for (auto [index, start, stride] :
       llvm::zip_equal(point.indices, op.getStartIndices(), op.getStrides())) {
    if (stride != 1 && index.size > 1)
      index = {Id(index.variable, index.offset, stride), (index.size - 1) * stride + 1,
               index.offset * stride};
    else if (stride != 1)
      index.offset *= stride;
    index = Shifted(index, start);
  }
}

void ReversePoint(stablehlo::ReverseOp op, DemandPoint& point) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  for (int64_t dim : op.getDimensions()) {
    DemandIndex& index = point.indices[dim];
    index = {Id(index.variable, uint64_t{2}), index.size,
             shape[dim] - index.offset - index.size};
  }
}

void DynamicSlicePoint(stablehlo::DynamicSliceOp op, DemandPoint& point) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  for (auto [d, index] : llvm::enumerate(point.indices)) {
    if (op.getSliceSizes()[d] == shape[d]) continue;
    mlir::Value start = op.getStartIndices()[d];
    index = {Id(start.getAsOpaquePointer(), d, index.variable), kUnknownSize,
             index.offset};
  }
}

// The point at which the update is read, under the condition that `point` lies in the
// updated slice. The old array is read at `point` itself.
void UpdatePoint(stablehlo::DynamicUpdateSliceOp op, DemandPoint& point) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getUpdate());
  uint64_t starts = 0;
  for (mlir::Value start : op.getStartIndices())
    starts = Id(starts, start.getAsOpaquePointer());
  point.mask = Id(point.mask, starts, IdOf(point.indices));
  for (auto [d, index] : llvm::enumerate(point.indices))
    if (ShapeOf(op.getOperand())[d] != shape[d])
      index = {Id(starts, d, index.variable), kUnknownSize, index.offset};
}

void ReducePoint(stablehlo::ReduceOp op, llvm::ArrayRef<int64_t> shape,
                 DemandPoint& point) {
  llvm::SmallVector<DemandIndex, 4> outer = std::move(point.indices);
  point.indices.clear();
  point.loop = Id(static_cast<void*>(op.getOperation()), IdOf(outer), point.mask);
  size_t kept = 0;
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool reduced = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d));
    point.indices.push_back(reduced ? DemandIndex{Id(point.loop, d), size, 0}
                                    : outer[kept++]);
  }
}

// The points of all narrow elements but the first are added to `others`.
void BitcastPoint(llvm::ArrayRef<int64_t> shape, DemandPoint& point,
                  DemandPoints& others) {
  size_t rank = point.indices.size();
  if (shape.size() < rank) point.indices.pop_back();
  if (shape.size() <= rank) return;
  // A wide element consists of several narrow ones.
  point.indices.push_back(Constant(0));
  for (int64_t part = 1; part < shape.back(); ++part) {
    DemandPoint other = point;
    other.indices.back() = Constant(part);
    others.Insert(std::move(other));
  }
}

// Any elements of the operand, distinct for each point of the result.
void OpaquePoint(mlir::Operation* user, unsigned number, llvm::ArrayRef<int64_t> shape,
                 DemandPoint& point) {
  uint64_t all = Id(static_cast<void*>(user), number, IdOf(point.indices));
  point.indices.clear();
  for (auto [d, size] : llvm::enumerate(shape))
    point.indices.push_back({Id(all, d), size, 0});
}

}  // namespace

void DemandPoints::Insert(DemandPoint point) {
  if (saturated_) return;
  for (DemandPoint& known : points_) {
    if (known.indices != point.indices || known.mask != point.mask ||
        known.loop != point.loop)
      continue;
    // The same element, evaluated for adjacent parts of a row.
    if (point.first <= known.last + 1 && known.first <= point.last + 1) {
      known.first = std::min(known.first, point.first);
      known.last = std::max(known.last, point.last);
      return;
    }
  }
  if (points_.size() == kMaxPoints) {
    saturated_ = true;
    return;
  }
  points_.push_back(std::move(point));
}

int64_t DemandPoints::MaxPerIteration() const {
  int64_t max_count = 0;
  for (const DemandPoint& at : points_) {
    int64_t count = llvm::count_if(points_, [&](const DemandPoint& other) {
      return other.loop == at.loop && other.first <= at.first && at.first <= other.last;
    });
    max_count = std::max(max_count, count);
  }
  return max_count;
}

Demand::Demand(llvm::ArrayRef<int64_t> shape, bool splits_rows) : shape_(shape) {
  if (shape.empty()) return;
  row_length_ = shape.back();
  if (splits_rows && row_length_ >= kMinRowLength)
    row_variable_ = Id(uint64_t{0}, shape.size() - 1);
}

DemandPoints Demand::Root() const {
  DemandPoint point;
  for (auto [d, size] : llvm::enumerate(shape_))
    point.indices.push_back(size == 1 ? Constant(0)
                                      : DemandIndex{Id(uint64_t{0}, d), size, 0});
  point.last = row_length_ - 1;
  DemandPoints result;
  result.Insert(std::move(point));
  return result;
}

DemandPoints Demand::OfHeroOperand(mlir::Operation* hero, unsigned number) {
  DemandPoint point;
  for (auto [d, size] : llvm::enumerate(ShapeOf(hero->getOperand(number))))
    point.indices.push_back({Id(static_cast<void*>(hero), number, d), size, 0});
  point.loop = Id(static_cast<void*>(hero), number);
  DemandPoints result;
  result.Insert(std::move(point));
  return result;
}

bool Demand::Restrict(DemandPoint& point, const DemandIndex& index, int64_t size) const {
  if (IsInside(index, size)) return true;
  if (IsOutside(index, size)) return false;
  if (row_variable_ && index.variable == row_variable_ && point.loop == 0) {
    point.first = std::max(point.first, -index.offset);
    point.last = std::min(point.last, size - 1 - index.offset);
    return point.first <= point.last;
  }
  point.mask = Id(point.mask, index.variable, index.offset, size);
  return true;
}

void Demand::Concatenate(mlir::Operation* user, unsigned number, const DemandPoint& point,
                         DemandPoints& result) const {
  auto op = llvm::cast<stablehlo::ConcatenateOp>(user);
  size_t dim = op.getDimension();
  int64_t start = 0, size = ShapeOf(op.getInputs()[number])[dim];
  for (unsigned before = 0; before < number; ++before)
    start += ShapeOf(op.getInputs()[before])[dim];
  if (size == 0) return;
  DemandPoint inner = point;
  DemandIndex& index = inner.indices[dim];
  bool row = row_variable_ && index.variable == row_variable_ && point.loop == 0;
  // Outside the vectorized loop the source index is selected once; see BuildConcatenate.
  bool outer = row_variable_ && !row &&
               llvm::any_of(llvm::seq<size_t>(0, shape_.size() - 1), [&](size_t d) {
                 return index.variable == Id(uint64_t{0}, d);
               });
  if (outer && IsRoll(op)) {
    // All inputs are slices of one source, which is read once, at a selected index. The
    // index depends on where the slices begin.
    uint64_t roll = Id(index.variable, index.offset);
    for (mlir::Value input : op.getInputs())
      roll = Id(roll, ShapeOf(input)[dim],
                input.getDefiningOp<stablehlo::SliceOp>().getStartIndices()[dim]);
    auto slice = op.getInputs()[number].getDefiningOp<stablehlo::SliceOp>();
    index = {roll, kUnknownSize, -slice.getStartIndices()[dim]};
    result.Insert(std::move(inner));
    return;
  }
  index = Shifted(index, -start);
  if (!Restrict(inner, index, size)) return;
  if (size == 1) {
    index = Constant(0);
    inner.mask = point.mask;
  }
  result.Insert(std::move(inner));
}

bool Demand::PadPoint(mlir::Operation* user, DemandPoint& point) const {
  auto op = llvm::cast<stablehlo::PadOp>(user);
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getOperand());
  bool exists = true;
  for (auto [d, index] : llvm::enumerate(point.indices)) {
    int64_t step = op.getInteriorPadding()[d] + 1;
    index = Shifted(index, -op.getEdgePaddingLow()[d]);
    int64_t extent = shape[d] == 0 ? 0 : (shape[d] - 1) * step + 1;
    exists = exists && Restrict(point, index, extent);
    if (step == 1) continue;
    point.mask = Id(point.mask, index.variable, index.offset, step);
    uint64_t quotient = Id(index.variable, index.offset, step);
    index =
        index.offset >= 0 ? DemandIndex{quotient, shape[d], 0} : WithoutRange(quotient);
  }
  return exists;
}

bool Demand::MapPoint(mlir::Operation* user, unsigned number, DemandPoint& point,
                      DemandPoints& result) const {
  llvm::ArrayRef<int64_t> shape = ShapeOf(user->getOperand(number));
  bool exists = true;
  llvm::TypeSwitch<mlir::Operation*>(user)
      .Case([&](stablehlo::BroadcastInDimOp op) {
        llvm::SmallVector<DemandIndex, 4> outer = std::move(point.indices);
        point.indices.clear();
        for (auto [size, dim] : llvm::zip_equal(shape, op.getBroadcastDimensions()))
          point.indices.push_back(size == 1 ? Constant(0) : outer[dim]);
      })
      .Case([&](stablehlo::ReshapeOp op) { ReshapePoint(op, point); })
      .Case([&](stablehlo::TransposeOp op) {
        llvm::SmallVector<DemandIndex, 4> outer = point.indices;
        for (auto [position, dim] : llvm::enumerate(op.getPermutation()))
          point.indices[dim] = outer[position];
      })
      .Case([&](stablehlo::SliceOp op) { SlicePoint(op, point); })
      .Case([&](stablehlo::ReverseOp op) { ReversePoint(op, point); })
      .Case([&](stablehlo::PadOp) {
        if (number == 0) exists = PadPoint(user, point);
      })
      .Case([&](stablehlo::DynamicSliceOp op) { DynamicSlicePoint(op, point); })
      .Case([&](stablehlo::DynamicUpdateSliceOp op) {
        if (number == 1) UpdatePoint(op, point);
      })
      .Case([&](stablehlo::GatherOp op) {
        if (number == 0)
          point.indices = GatherIndices(op, point);
        else
          OpaquePoint(user, number, shape, point);
      })
      .Case([&](stablehlo::ReduceOp op) { ReducePoint(op, shape, point); })
      .Case([&](stablehlo::BitcastConvertOp) { BitcastPoint(shape, point, result); })
      .Case([&](stablehlo::ReduceWindowOp) {
        uint64_t loop = Id(static_cast<void*>(user), IdOf(point.indices), point.mask);
        OpaquePoint(user, number, shape, point);
        point.loop = loop;
      })
      .Default([&](mlir::Operation* op) {
        if (!IsElementwise(op) && !llvm::isa<stablehlo::MapOp>(op))
          OpaquePoint(user, number, shape, point);
      });
  return exists;
}

DemandPoints Demand::OfOperand(mlir::Operation* user, unsigned number,
                               const DemandPoints& points) const {
  DemandPoints result;
  mlir::Value operand = user->getOperand(number);
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
  if (!type) return result;
  llvm::ArrayRef<int64_t> shape = type.getShape();
  if (shape.empty()) {
    // Scalars are computed once, outside all loops.
    DemandPoint point;
    point.last = row_length_ - 1;
    result.Insert(std::move(point));
    return result;
  }
  for (const DemandPoint& point : points.points()) {
    if (llvm::isa<stablehlo::ConcatenateOp>(user)) {
      Concatenate(user, number, point, result);
      continue;
    }
    DemandPoint inner = point;
    if (!MapPoint(user, number, inner, result)) continue;
    // As in PointBuilder::At: an element known to be inside its array needs no condition.
    if (llvm::all_of(llvm::zip_equal(inner.indices, shape), [](auto pair) {
          return IsInside(std::get<0>(pair), std::get<1>(pair));
        }))
      inner.mask = 0;
    result.Insert(std::move(inner));
  }
  return result;
}

DemandPoints Demand::WithWholeWindows(stablehlo::ReduceWindowOp window,
                                      const DemandPoints& points) const {
  DemandPoints result;
  const size_t row = ShapeOf(window.getInputs()[0]).size() - 1;
  if (!row_variable_ || stablehlo::EntryOr1(window.getBaseDilations(), row) != 1)
    return result;
  const int64_t size = ShapeOf(window.getInputs()[0])[row];
  const int64_t stride = stablehlo::EntryOr1(window.getWindowStrides(), row);
  const int64_t reach = (window.getWindowDimensions()[row] - 1) *
                        stablehlo::EntryOr1(window.getWindowDilations(), row);
  const int64_t low = stablehlo::PaddingOf(window.getPadding(), row).first;
  // 0 <= stride * index - low and stride * index - low + reach < size.
  const int64_t first = low > 0 ? llvm::divideCeil(low, stride) : 0;
  const int64_t room = size - 1 - reach + low;
  if (room < 0) return result;
  for (DemandPoint point : points.points()) {
    const DemandIndex& index = point.indices.back();
    if (index.variable != row_variable_ || point.loop != 0) continue;
    point.first = std::max(point.first, first - index.offset);
    point.last = std::min(point.last, room / stride - index.offset);
    if (point.first <= point.last) result.Insert(std::move(point));
  }
  return result;
}

void AddRowStarts(const DemandPoints& points, int64_t row_length,
                  llvm::SmallVectorImpl<int64_t>& starts) {
  for (const DemandPoint& point : points.points()) {
    // The first part starts at 0 even if no point reads it: padding has no source.
    starts.push_back(0);
    starts.push_back(point.first);
    if (point.last + 1 < row_length) starts.push_back(point.last + 1);
  }
  llvm::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
}

}  // namespace tenon::compiler
