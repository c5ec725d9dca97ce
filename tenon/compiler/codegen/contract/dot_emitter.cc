// The compute stage for few rows times a matrix that is contiguous along k.
#include "llvm/ADT/STLExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

Status ContractionEmitter::EmitDotCompute(llvm::Value* chunk) {
  int64_t batches = BatchCount(problem_), outers = OuterCount(problem_);
  int64_t batch_blocks = CeilDiv(batches, plan_.chunk_batches);
  int64_t column_blocks = CeilDiv(plan_.column_tiles, plan_.chunk_column_tiles);
  IrValues digits = Delinearize(b_, chunk, {batch_blocks, column_blocks});
  auto range = [&](llvm::Value* block, int64_t size, int64_t count) {
    if (size >= count) return std::pair<llvm::Value*, llvm::Value*>(I64(0), I64(count));
    llvm::Value* first = MulI(b_, block, size);
    return std::pair(first, MinI(b_, AddI(b_, first, size), I64(count)));
  };
  auto [batch0, batch1] = range(digits[0], plan_.chunk_batches, batches);
  auto [column_tile0, column_tile1] =
      range(digits[1], plan_.chunk_column_tiles, plan_.column_tiles);
  return EmitLoop(b_, batch0, batch1, 1, [&](llvm::Value* batch) {
    Position at_batch = Start(problem_);
    AdvanceAll(at_batch, llvm::ArrayRef<OutDim>(problem_.batch), batch);
    return EmitLoop(b_, column_tile0, column_tile1, 1, [&](llvm::Value* column_tile) {
      return EmitLoop(
          b_, I64(0), I64(outers * plan_.row_tiles), 1,
          [&](llvm::Value* index) -> Status {
            IrValues inner = Delinearize(b_, index, {outers, plan_.row_tiles});
            Position current = at_batch;
            AdvanceAll(current, llvm::ArrayRef<OutDim>(problem_.outer), inner[0]);
            AdvanceRow(current, RowTileStart(inner[1]));
            llvm::Value* column = MulI(b_, column_tile, plan_.vectors);
            if (plan_.full_row_tiles == plan_.row_tiles)
              return EmitDotTile(current, column, plan_.rows);
            return EmitIfElse(
                b_, b_.CreateICmpSLT(inner[1], I64(plan_.full_row_tiles)),
                [&] { return EmitDotTile(current, column, plan_.rows); },
                [&] { return EmitDotTile(current, column, plan_.short_rows); });
          });
    });
  });
}

// The registers of a sum: its parts, one after another.
int ContractionEmitter::DotSumParts() const {
  return compiler::IsComplex(problem_.accumulate) ? 2 : 1;
}

// Sum `number` of `values`.
ElementValue ContractionEmitter::DotSum(const IrValues& values, int number) const {
  const int first = number * DotSumParts();
  return {problem_.accumulate, values[first],
          DotSumParts() == 2 ? values[first + 1] : nullptr};
}

void ContractionEmitter::SetDotSum(IrValues& values, int number,
                                   const ElementValue& sum) const {
  const int first = number * DotSumParts();
  values[first] = sum.re;
  if (sum.im) values[first + 1] = sum.im;
}

// The sums of products with one vector of each row and column: `set` is the set of
// accumulators in `values`.
Status ContractionEmitter::EmitDotStep(const DotTile& tile, llvm::Value* k, int set,
                                       llvm::Value* mask, IrValues& values) {
  ElementType type = problem_.accumulate;
  const compiler::ElementwiseOptions& options = plan_.target.elementwise;
  int columns = plan_.vectors, lanes = plan_.lanes;
  int64_t a_bytes = ElementBytes(problem_.a_type);
  int64_t b_bytes = ElementBytes(problem_.b_type);
  llvm::SmallVector<ElementValue, 4> factors;
  for (int c = 0; c < columns; ++c) {
    ElementValue loaded =
        LoadElements(b_, problem_.b_type, OffsetPointer(b_, tile.b_rows[c], k, b_bytes),
                     lanes, 1, mask);
    TENON_ASSIGN_OR_RETURN(loaded, ConvertElements(b_, loaded, type, options));
    factors.push_back(loaded);
  }
  for (int r = 0; r < tile.rows; ++r) {
    llvm::Value* pointer = OffsetPointer(
        b_, OffsetPointer(b_, tile.a, r * problem_.row.a, a_bytes), k, a_bytes);
    ElementValue factor = LoadElements(b_, problem_.a_type, pointer, lanes, 1, mask);
    TENON_ASSIGN_OR_RETURN(factor, ConvertElements(b_, factor, type, options));
    for (int c = 0; c < columns; ++c) {
      const int number = (set * tile.rows + r) * columns + c;
      SetDotSum(
          values, number,
          MultiplyAdd(b_, DotSum(values, number), factor, factors[c], plan_.target.fma));
    }
  }
  return OkStatus();
}

// Adds up the lanes of a vector.
ElementValue ContractionEmitter::AddLanes(ElementValue sum) {
  auto on_parts = [&](auto change) {
    return ElementValue{sum.type, change(sum.re), sum.im ? change(sum.im) : nullptr};
  };
  for (int width = plan_.lanes; width > 1; width /= 2) {
    llvm::SmallVector<int> low, high;
    for (int j = 0; j < width / 2; ++j) {
      low.push_back(j);
      high.push_back(width / 2 + j);
    }
    auto lanes = [&](llvm::ArrayRef<int> from) {
      return on_parts([&](llvm::Value* x) { return b_.CreateShuffleVector(x, from); });
    };
    sum = AddElements(b_, lanes(low), lanes(high));
  }
  return on_parts(
      [&](llvm::Value* x) { return b_.CreateExtractElement(x, uint64_t{0}); });
}

// Stores the sums of a tile to its buffer, row by row.
Status ContractionEmitter::EmitDotTileBody(const DotTile& tile) {
  ElementType type = problem_.accumulate;
  int columns = plan_.vectors, lanes = plan_.lanes, unroll = plan_.unroll;
  int64_t k_count = problem_.k_dims.front().size;
  int64_t b_bytes = ElementBytes(problem_.b_type);
  auto prefetch = [&](llvm::Value* k) {
    constexpr int64_t kLine = 64;
    int64_t step_bytes = unroll * lanes * b_bytes;
    for (int c = 0; plan_.dot_ahead > 0 && c < columns; ++c)
      for (int64_t offset = 0; offset < step_bytes; offset += kLine)
        EmitPrefetch(OffsetPointer(b_, OffsetPointer(b_, tile.b_rows[c], k, b_bytes),
                                   plan_.dot_ahead + offset, 1));
  };
  const int sums_count = tile.rows * columns;
  const ElementValue zero = ZeroElements(b_, type, lanes);
  IrValues values(unroll * sums_count * DotSumParts());
  for (int i = 0; i < unroll * sums_count; ++i) SetDotSum(values, i, zero);
  const IrValues zeros = values;
  int64_t whole = k_count / (unroll * lanes) * (unroll * lanes);
  auto steps = [&](llvm::Value* lower, llvm::Value* upper, IrValues& sums) {
    return EmitLoop(b_, lower, upper, unroll * lanes, sums,
                    [&](llvm::Value* k, IrValues& carried) -> Status {
                      prefetch(k);
                      for (int u = 0; u < unroll; ++u)
                        TENON_RETURN_IF_ERROR(EmitDotStep(tile, AddI(b_, k, u * lanes), u,
                                                          nullptr, carried));
                      return OkStatus();
                    });
  };
  // Long sums are made of blocks, so that their rounding errors are those of short sums.
  constexpr int64_t kBlockSteps = 256;
  const int64_t block = kBlockSteps * unroll * lanes;
  if (!compiler::IsInteger(type) && whole > 2 * block) {
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, I64(0), I64(whole), block, values,
        [&](llvm::Value* k, IrValues& totals) -> Status {
          IrValues sums = zeros;
          llvm::Value* end = MinI(b_, AddI(b_, k, block), I64(whole));
          TENON_RETURN_IF_ERROR(steps(k, end, sums));
          for (int i = 0; i < unroll * sums_count; ++i)
            SetDotSum(totals, i, AddElements(b_, DotSum(totals, i), DotSum(sums, i)));
          return OkStatus();
        }));
  } else {
    TENON_RETURN_IF_ERROR(steps(I64(0), I64(whole), values));
  }
  for (int64_t k = whole; k < k_count; k += lanes)
    TENON_RETURN_IF_ERROR(
        EmitDotStep(tile, I64(k), 0, LaneMask(b_, I64(k_count - k), lanes), values));
  for (int i = 0; i < sums_count; ++i) {
    ElementValue sum = DotSum(values, i);
    for (int u = 1; u < unroll; ++u)
      sum = AddElements(b_, sum, DotSum(values, u * sums_count + i));
    sum = AddLanes(sum);
    StoreElements(b_, sum, OffsetPointer(b_, tile.buffer, i, ElementBytes(type)), 1, 1);
  }
  return OkStatus();
}

Status ContractionEmitter::EmitDotTile(const Position& position, llvm::Value* column,
                                       int rows) {
  ElementType type = problem_.accumulate;
  int columns = plan_.vectors;
  int64_t a_bytes = ElementBytes(problem_.a_type);
  int64_t b_bytes = ElementBytes(problem_.b_type);
  bool partial = problem_.lane.size % columns != 0;
  int64_t sum_bytes = ElementBytes(type);
  if (!tile_buffer_) tile_buffer_ = EmitEntryAlloca(b_, plan_.rows * columns * sum_bytes);
  DotTile tile{rows, tile_buffer_, OffsetPointer(b_, a_tile_, position.a, a_bytes), {}};
  llvm::Value* base = OffsetPointer(b_, b_tile_, position.b, b_bytes);
  for (int c = 0; c < columns; ++c) {
    // Columns past the end repeat the last one and are not stored.
    llvm::Value* index = AddI(b_, column, c);
    if (partial) index = MinI(b_, index, I64(problem_.lane.size - 1));
    tile.b_rows.push_back(
        OffsetPointer(b_, base, MulI(b_, index, problem_.lane.b), b_bytes));
  }
  llvm::SmallVector<llvm::Value**, 8> inputs = {&tile.a, &tile.buffer};
  for (llvm::Value*& row : tile.b_rows) inputs.push_back(&row);
  TENON_RETURN_IF_ERROR(
      EmitOutlined(b_, "dot", inputs, [&] { return EmitDotTileBody(tile); }));

  for (int r = 0; r < rows; ++r) {
    ElementValue result = LoadElements(
        b_, type, OffsetPointer(b_, tile.buffer, r * columns, sum_bytes), columns, 1);
    Position current = position;
    AdvanceRow(current, I64(r));
    Advance(current, problem_.lane, column);
    llvm::Value* mask =
        partial ? LaneMask(b_, b_.CreateSub(I64(problem_.lane.size), column), columns)
                : nullptr;
    TENON_RETURN_IF_ERROR(EmitStore(current, false, columns, mask, result));
  }
  return OkStatus();
}

}  // namespace tenon::codegen
