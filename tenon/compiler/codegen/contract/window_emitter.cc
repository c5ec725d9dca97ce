// Convolutions that read their input in place: windows that reach past its ends are
// clipped. In a dimension where a tile has one index, loop bounds clip them. Along the
// tile's rows, some rows of the first and the last tile read zeros.
#include <algorithm>
#include <map>

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

constexpr char kPaddingName[] = "padding";

bool IsFalse(llvm::Value* condition) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition);
  return constant && constant->isZero();
}

// The rows of a tile whose element at a tap along the row dimension exists.
struct TapRows {
  int first = 0;  // first row, in the first row tile
  int last = 0;   // one past the last row, in the last row tile
};

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

}  // namespace

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
  // Every result has a tap, but not in every block or slice; not every phase has taps.
  bool may_be_empty = dim.polyphase >= 0;
  if (dim.window) {
    lower = MaxI(b_, lower, ranges_[level].lower);
    upper = MinI(b_, upper, ranges_[level].upper);
    if (level == 0 && (HasKBlocks() || plan_.k_slices > 1)) {
      upper = MaxI(b_, lower, upper);
      may_be_empty = true;
    }
  }
  llvm::Value* distance = MulI(b_, lower, dim.a);
  a = OffsetPointer(b_, a, distance, ElementBytes(problem_.a_type));
  TileShape moved = MoveBorder(shape, MulI(b_, distance, ElementBytes(problem_.a_type)));
  b_columns =
      OffsetPointer(b_, b_columns, MulI(b_, lower, dim.b), ElementBytes(problem_.b_type));
  return EmitKLoop(moved, level, a, b_columns, lower, upper, may_be_empty, accumulators);
}

// Zeros that rows on padding read.
llvm::Value* ContractionEmitter::PaddingZeros() {
  int64_t bytes = compiler::PaddingReach(plan_) * ElementBytes(problem_.a_type);
  auto* type = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Module* module = b_.GetInsertBlock()->getModule();
  auto* zeros = module->getGlobalVariable(kPaddingName, /*AllowInternal=*/true);
  if (zeros && zeros->getValueType() == type) return zeros;
  zeros = new llvm::GlobalVariable(*module, type, /*isConstant=*/true,
                                   llvm::GlobalValue::PrivateLinkage,
                                   llvm::ConstantAggregateZero::get(type), kPaddingName);
  zeros->setAlignment(llvm::Align(64));
  return zeros;
}

// The rows of a tile that are on padding at some taps along the rows.
ContractionEmitter::BorderRows ContractionEmitter::FindBorderRows(const KDim& dim,
                                                                  int rows) {
  llvm::Value* is_first = plan_.row_tiles == 1 ? b_.getTrue() : is_first_;
  llvm::Value* is_last = plan_.row_tiles == 1 ? b_.getTrue() : is_last_;
  llvm::SmallVector<TapRows> taps;
  for (int64_t tap = 0; tap < dim.size; ++tap) {
    taps.push_back(RowsOfTap(*dim.window, tap, rows, LastRow0()));
    if (IsFalse(is_first)) taps.back().first = 0;
    if (IsFalse(is_last)) taps.back().last = rows;
  }
  BorderRows border;
  border.any = b_.getFalse();
  // A row has elements from tap `low` on in the first row tile, and up to, but not
  // including, tap `high` in the last one.
  for (int row = 0; row < rows; ++row) {
    int64_t low = 0, high = dim.size;
    while (low < dim.size && taps[low].first > row) ++low;
    while (high > 0 && taps[high - 1].last <= row) --high;
    if (low == 0 && high == dim.size) continue;
    border.rows.push_back({row, b_.CreateSelect(is_first, I64(low), I64(0)),
                           b_.CreateSelect(is_last, I64(high), I64(dim.size))});
    if (low > 0)
      border.starts.insert(low), border.any = b_.CreateOr(border.any, is_first);
    if (high < dim.size)
      border.starts.insert(high), border.any = b_.CreateOr(border.any, is_last);
  }
  return border;
}

// One loop for all tiles, with as many taps in one iteration as have the same rows: all
// taps, except in the first and in the last row tile. There, rows that are on padding
// read zeros.
Status ContractionEmitter::EmitBorderTaps(const TileShape& shape, size_t level,
                                          llvm::Value* a, llvm::Value* b_columns,
                                          llvm::Value* lower, llvm::Value* upper,
                                          IrValues& accumulators) {
  const KDim& dim = problem_.k_dims[level];
  int64_t a_bytes = ElementBytes(problem_.a_type);
  int64_t b_bytes = ElementBytes(problem_.b_type);
  // The taps and the inner dimension may be one dimension.
  const KDim* inner =
      level + 2 == problem_.k_dims.size() ? &problem_.k_dims[level + 1] : nullptr;
  bool joins = inner && !inner->window && dim.a == inner->a * inner->size &&
               dim.b == inner->b * inner->size;
  BorderRows border = FindBorderRows(dim, shape.rows);
  llvm::Value* zeros = border.rows.empty() ? nullptr : PaddingZeros();
  auto emit = [&](llvm::Value* first, llvm::Value* last, IrValues& sums) {
    llvm::Value* a_here = OffsetPointer(b_, a, MulI(b_, first, dim.a), a_bytes);
    llvm::Value* b_here = OffsetPointer(b_, b_columns, MulI(b_, first, dim.b), b_bytes);
    TileShape bordered = shape;
    for (const TapRange& range : border.rows) {
      llvm::Value* exists = b_.CreateAnd(b_.CreateICmpSGE(first, range.low),
                                         b_.CreateICmpSLT(first, range.high));
      llvm::Value* element =
          OffsetPointer(b_, a_here, range.row * problem_.row.a, a_bytes);
      bordered.border.push_back({range.row, b_.CreateSelect(exists, element, zeros)});
    }
    if (!joins)
      return EmitKLoop(bordered, level, a_here, b_here, first, last,
                       /*may_be_empty=*/false, sums);
    llvm::Value* count = MulI(b_, b_.CreateSub(last, first), inner->size);
    return EmitKLoop(bordered, level + 1, a_here, b_here, I64(0), count,
                     /*may_be_empty=*/false, sums);
  };
  if (border.rows.empty()) return emit(lower, upper, accumulators);
  accumulators.push_back(lower);
  TENON_RETURN_IF_ERROR(
      EmitRepeat(b_, accumulators, [&](IrValues& sums) -> StatusOr<llvm::Value*> {
        llvm::Value* first = sums.pop_back_val();
        llvm::Value* last = upper;
        for (int64_t start : llvm::reverse(border.starts))
          last = b_.CreateSelect(b_.CreateICmpSLT(first, I64(start)), I64(start), last);
        last = b_.CreateSelect(border.any, MinI(b_, last, upper), upper);
        TENON_RETURN_IF_ERROR(emit(first, last, sums));
        sums.push_back(last);
        return b_.CreateICmpSLT(last, upper);
      }));
  accumulators.pop_back();
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
