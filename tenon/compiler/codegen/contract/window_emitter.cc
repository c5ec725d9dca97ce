// Convolutions that read their input in place: windows that reach past its ends are
// clipped. In a dimension where a tile has one index, loop bounds clip them. Along the
// tile's rows, the first and the last tile leave out products of some rows.
#include <algorithm>
#include <map>

#include "llvm/IR/Constants.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

TapRows RowsOfTap(const Window& window, int64_t tap, int rows, int64_t last_row0) {
  TapRows result;
  int64_t before = StepsToCover(window.low - tap * window.step, window.stride);
  int64_t end =
      StepsToCover(window.limit + window.low - tap * window.step, window.stride) -
      last_row0;
  result.first = static_cast<int>(std::min<int64_t>(before, rows));
  result.last = static_cast<int>(std::clamp<int64_t>(end, 0, rows));
  return result;
}

void ContractionEmitter::FindRanges(const Position& position,
                                    llvm::ArrayRef<llvm::Value*> outer) {
  ranges_.assign(problem_.k_dims.size(), {});
  for (size_t i = 0; i < problem_.k_dims.size(); ++i) {
    const KDim& dim = problem_.k_dims[i];
    if (dim.polyphase >= 0) ranges_[i].lower = position.first_tap[dim.polyphase];
    if (!dim.window || dim.window->outer < 0) continue;
    const Window& window = *dim.window;
    // The range is ceil((low - o * stride) / step) up to the same expression with limit
    // added.
    llvm::Value* start =
        b_.CreateSub(I64(window.low), MulI(b_, outer[window.outer], window.stride));
    auto steps = [&](llvm::Value* distance) -> llvm::Value* {
      distance = MaxI(b_, distance, I64(0));
      if (window.step == 1) return distance;
      return b_.CreateUDiv(AddI(b_, distance, window.step - 1), I64(window.step));
    };
    ranges_[i].lower = steps(start);
    ranges_[i].upper = MinI(b_, steps(AddI(b_, start, window.limit)), I64(dim.size));
  }
}

Status ContractionEmitter::EmitKRange(const TileShape& shape, size_t level,
                                      llvm::Value* a, llvm::Value* b_columns,
                                      llvm::Value* lower, llvm::Value* upper,
                                      IrValues& accumulators) {
  const KDim& dim = problem_.k_dims[level];
  if (plan_.taps && level + 1 == problem_.k_dims.size())
    return EmitTaps(shape, a, b_columns, accumulators);
  if (dim.polyphase >= 0) lower = ranges_[level].lower, upper = I64(dim.size);
  if (dim.window && dim.window->outer < 0)
    return EmitBorderTaps(shape, level, a, b_columns, lower, upper, accumulators);
  if (dim.window) {
    lower = MaxI(b_, lower, ranges_[level].lower);
    upper = MinI(b_, upper, ranges_[level].upper);
    if (level == 0) upper = MaxI(b_, lower, upper);  // of a block or slice
  }
  a = OffsetPointer(b_, a, MulI(b_, lower, dim.a), ElementBytes(problem_.a_type));
  b_columns =
      OffsetPointer(b_, b_columns, MulI(b_, lower, dim.b), ElementBytes(problem_.b_type));
  return EmitKLoop(shape, level, a, b_columns, lower, upper, accumulators);
}

// The taps that some rows of the first row tile do not have, those that all rows have,
// and those that some rows of the last row tile do not have. The first and third kind
// exist only in the first and the last row tile; elsewhere their runs are empty. Rows on
// padding multiply zeros, or are left out if that makes no difference.
llvm::SmallVector<ContractionEmitter::TapsOfRows, 4> ContractionEmitter::BorderTaps(
    const TileShape& shape, const KDim& dim) {
  llvm::SmallVector<TapsOfRows, 4> result;
  bool zeros = HasZeroProducts(problem_.accumulate);
  auto add = [&](llvm::Value* first, llvm::Value* last, int row0, int row1) {
    if (!zeros && row0 >= row1) return;
    if (row0 >= row1) row0 = row1 = shape.rows;
    TileShape some = shape;
    some.skip_first = row0, some.skip_last = shape.rows - row1;
    result.push_back({some, first, last});
  };
  auto rows_of = [&](int64_t tap) {
    return RowsOfTap(*dim.window, tap, shape.rows, LastRow0());
  };
  // One past the last tap, starting at `tap`, that has the same rows.
  auto same = [&](int64_t tap, int64_t end, auto rows) {
    int64_t next = tap + 1;
    while (next < end && rows(next) == rows(tap)) ++next;
    return next;
  };
  if (plan_.row_tiles == 1) {
    auto both = [&](int64_t tap) {
      return std::pair(rows_of(tap).first, rows_of(tap).last);
    };
    for (int64_t tap = 0; tap < dim.size;) {
      int64_t next = same(tap, dim.size, both);
      auto [first, last] = both(tap);
      add(I64(tap), I64(next), first, last);
      tap = next;
    }
    return result;
  }
  auto first_rows = [&](int64_t tap) { return rows_of(tap).first; };
  auto last_rows = [&](int64_t tap) { return rows_of(tap).last; };
  int64_t middle = 0, end = dim.size;
  if (!IsFalse(is_first_))
    while (middle < dim.size && first_rows(middle) > 0) ++middle;
  if (!IsFalse(is_last_))
    while (end > middle && last_rows(end - 1) < shape.rows) --end;
  for (int64_t tap = 0; tap < middle;) {
    int64_t next = same(tap, middle, first_rows);
    add(I64(tap), b_.CreateSelect(is_first_, I64(next), I64(tap)), first_rows(tap),
        shape.rows);
    tap = next;
  }
  add(b_.CreateSelect(is_first_, I64(middle), I64(0)),
      b_.CreateSelect(is_last_, I64(end), I64(dim.size)), 0, shape.rows);
  for (int64_t tap = end; tap < dim.size;) {
    int64_t next = same(tap, dim.size, last_rows);
    add(I64(tap), b_.CreateSelect(is_last_, I64(next), I64(tap)), 0, last_rows(tap));
    tap = next;
  }
  return result;
}

// Whether the taps of a level and the dimension inside it are one dimension.
bool ContractionEmitter::JoinsInner(size_t level) const {
  if (level + 2 != problem_.k_dims.size()) return false;
  const KDim &dim = problem_.k_dims[level], &inner = problem_.k_dims[level + 1];
  return !inner.window && dim.a == inner.a * inner.size && dim.b == inner.b * inner.size;
}

// Emits a loop for each run of border taps, which loads only the rows that exist.
Status ContractionEmitter::EmitBorderTaps(const TileShape& shape, size_t level,
                                          llvm::Value* a, llvm::Value* b_columns,
                                          llvm::Value* lower, llvm::Value* upper,
                                          IrValues& accumulators) {
  const KDim& dim = problem_.k_dims[level];
  for (auto [some, first, last] : BorderTaps(shape, dim)) {
    if (level == 0) {
      first = MaxI(b_, first, lower);
      last = MaxI(b_, first, MinI(b_, last, upper));
    }
    llvm::Value* a_here =
        OffsetPointer(b_, a, MulI(b_, first, dim.a), ElementBytes(problem_.a_type));
    llvm::Value* b_here = OffsetPointer(b_, b_columns, MulI(b_, first, dim.b),
                                        ElementBytes(problem_.b_type));
    if (!JoinsInner(level)) {
      TENON_RETURN_IF_ERROR(
          EmitKLoop(some, level, a_here, b_here, first, last, accumulators));
      continue;
    }
    llvm::Value* count =
        MulI(b_, b_.CreateSub(last, first), problem_.k_dims[level + 1].size);
    TENON_RETURN_IF_ERROR(
        EmitKLoop(some, level + 1, a_here, b_here, I64(0), count, accumulators));
  }
  return OkStatus();
}

int64_t ContractionEmitter::LastRow0() const {
  bool whole = plan_.full_row_tiles == plan_.row_tiles;
  return problem_.row.size - (whole ? plan_.rows : plan_.short_rows);
}

// All taps along the rows of a tile, if both operands are vectors. The vectors of b for
// all taps are loaded first. Then each vector of a is loaded once, for all rows that use
// it. Elements outside the input are not loaded but zero.
Status ContractionEmitter::EmitTaps(const TileShape& shape, llvm::Value* a,
                                    llvm::Value* b_columns, IrValues& accumulators) {
  const KDim& dim = problem_.k_dims.back();
  const compiler::ElementwiseOptions& options = plan_.target.elementwise;
  int lanes = plan_.lanes, group = problem_.group;
  int64_t a_bytes = ElementBytes(problem_.a_type);
  int64_t b_bytes = ElementBytes(problem_.b_type);
  int64_t b_stride =
      plan_.b_storage == OperandStorage::kMicroPanels ? 1 : problem_.lane.b;
  auto load = [&](ElementType type, llvm::Value* pointer, int64_t stride,
                  llvm::Value* mask) {
    return ConvertElements(b_, LoadElements(b_, type, pointer, lanes, stride, mask),
                           plan_.operand_type, options);
  };
  struct TapUse {
    int row, tap;
  };
  std::map<int64_t, llvm::SmallVector<TapUse, 8>> by_offset;
  for (int row = 0; row < shape.rows; ++row)
    for (int tap = 0; tap < dim.size; ++tap)
      by_offset[row * problem_.row.a + tap * dim.a].push_back({row, tap});
  // Whether the element exists. Null: always.
  auto exists = [&](const TapUse& use) -> llvm::Value* {
    if (!dim.window || dim.window->outer >= 0) return nullptr;
    TapRows rows = RowsOfTap(*dim.window, use.tap, shape.rows, LastRow0());
    llvm::Value* before = use.row < rows.first ? is_first_ : b_.getFalse();
    llvm::Value* past = use.row >= rows.last ? is_last_ : b_.getFalse();
    llvm::Value* outside = b_.CreateOr(before, past);
    return IsFalse(outside) ? nullptr : b_.CreateNot(outside);
  };
  for (int v = 0; v < shape.vectors; ++v) {
    llvm::Value* mask = v == shape.vectors - 1 ? shape.last_mask : nullptr;
    llvm::SmallVector<ElementValue, 16> columns;
    for (int tap = 0; tap < dim.size; ++tap)
      for (int j = 0; j < group; ++j) {
        int64_t offset = tap * dim.b + j * problem_.group_b + v * lanes * b_stride;
        TENON_ASSIGN_OR_RETURN(
            ElementValue column,
            load(problem_.b_type, OffsetPointer(b_, b_columns, offset, b_bytes), b_stride,
                 mask));
        columns.push_back(column);
      }
    for (const auto& [offset, uses] : by_offset) {
      llvm::Value* inside = exists(uses.front());
      bool zeros = HasZeroProducts(problem_.accumulate);
      if (inside && IsFalse(inside) && !zeros) continue;
      llvm::Value* load_mask = mask;
      if (inside) {
        load_mask = b_.CreateVectorSplat(lanes, inside);
        if (mask) load_mask = b_.CreateAnd(load_mask, mask);
      }
      llvm::Value* pointer = OffsetPointer(b_, a, offset + v * lanes, a_bytes);
      TENON_ASSIGN_OR_RETURN(ElementValue loaded,
                             load(problem_.a_type, pointer, 1, load_mask));
      for (int j = 0; j < group; ++j) {
        ElementValue factor = loaded;
        if (group > 1) {
          llvm::SmallVector<int> broadcast;
          for (int l = 0; l < lanes; ++l) broadcast.push_back(l / group * group + j);
          factor.re = b_.CreateShuffleVector(loaded.re, broadcast);
        }
        for (const TapUse& use : uses) {
          int64_t index = int64_t{use.row} * shape.vectors + v;
          ElementValue sum = MultiplyAdd(b_, Accumulator(accumulators, index), factor,
                                         columns[use.tap * group + j], plan_.target.fma);
          int parts = NumParts(sum.type);
          accumulators[index * parts] = sum.re;
          if (sum.im) accumulators[index * parts + 1] = sum.im;
        }
      }
    }
  }
  return OkStatus();
}

}  // namespace tenon::codegen
