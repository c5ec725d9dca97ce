// Tiles multiplied by the target's matrix unit, and the packing of a into rows of
// k-groups.
#include <algorithm>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"

namespace tenon::codegen {
namespace {

constexpr int kKGroupBytes = 4;
constexpr int64_t kLine = 64;  // bytes of a cache line

// Register numbers of a tile: the accumulators row by row, then those of a. The remaining
// registers are used in turn for b.
struct TileRegisters {
  TileRegisters(const MatrixUnit& unit, int rows, int vectors)
      : rows(static_cast<int>(CeilDiv(rows, unit.rows))),
        vectors(vectors),
        first_a(this->rows * vectors),
        first_b(first_a + this->rows),
        b_count(std::min(vectors, unit.registers - first_b)) {}
  int C(int row, int vector) const { return row * vectors + vector; }
  int A(int row) const { return first_a + row; }
  int B(int vector) const { return first_b + vector % b_count; }
  int rows, vectors, first_a, first_b, b_count;
};

}  // namespace

void ContractionEmitter::ConfigureRegisters(int rows, int vectors) {
  const MatrixUnit& unit = plan_.target.matrix_unit;
  TileRegisters registers(unit, rows, vectors);
  llvm::SmallVector<MatrixUnit::Size> sizes(registers.first_b + registers.b_count);
  for (int row = 0; row < registers.rows; ++row) {
    int tile_rows = std::min(unit.rows, rows - row * unit.rows);
    for (int v = 0; v < vectors; ++v)
      sizes[registers.C(row, v)] = {tile_rows, plan_.lanes};
    sizes[registers.A(row)] = {tile_rows, plan_.matrix_step};
  }
  for (int v = 0; v < registers.b_count; ++v)
    sizes[registers.B(v)] = {plan_.matrix_step, plan_.lanes};
  unit.configure(b_, sizes);
}

// Bytes of the next block of the micro-panel of b that each step of a tile prefetches, so
// that the row tiles of a chunk together prefetch the whole block.
int64_t ContractionEmitter::AheadBytes() const {
  int64_t block_bytes = plan_.k_block * TileWidth() * kKGroupBytes;
  int64_t steps = plan_.chunk_row_tiles * (plan_.k_block / plan_.matrix_step);
  return AlignUp(block_bytes / steps, kLine);
}

Status ContractionEmitter::EmitMatrixTile(const TileShape& shape, llvm::Value* a,
                                          llvm::Value* b_columns, llvm::Value* ahead,
                                          llvm::Value* q0, llvm::Value* q1,
                                          llvm::Value* dest, llvm::Value* dest_bytes,
                                          llvm::Value* first) {
  const MatrixUnit& unit = plan_.target.matrix_unit;
  bool is_short = shape.rows != plan_.rows;
  if (is_short) ConfigureRegisters(shape.rows, shape.vectors);
  TileRegisters registers(unit, shape.rows, shape.vectors);
  auto each_accumulator = [&](llvm::function_ref<void(int, llvm::Value*)> body) {
    for (int row = 0; row < registers.rows; ++row) {
      llvm::Value* rows =
          OffsetPointer(b_, dest, MulI(b_, dest_bytes, row * unit.rows), 1);
      for (int v = 0; v < shape.vectors; ++v)
        body(registers.C(row, v), OffsetPointer(b_, rows, v * plan_.lanes, kKGroupBytes));
    }
  };
  TENON_RETURN_IF_ERROR(EmitIfElse(
      b_, first,
      [&] {
        each_accumulator([&](int reg, llvm::Value*) { unit.zero(b_, reg); });
        return OkStatus();
      },
      [&] {
        each_accumulator([&](int reg, llvm::Value* pointer) {
          unit.load(b_, reg, pointer, dest_bytes);
        });
        return OkStatus();
      }));
  const KDim& outermost = problem_.k_dims.front();
  a = OffsetPointer(b_, a, MulI(b_, q0, outermost.a), kKGroupBytes);
  b_columns = OffsetPointer(b_, b_columns, MulI(b_, q0, outermost.b), kKGroupBytes);
  TENON_RETURN_IF_ERROR(EmitMatrixKLoop(shape, 0, a, b_columns, ahead, q0, q1));
  each_accumulator(
      [&](int reg, llvm::Value* pointer) { unit.store(b_, reg, pointer, dest_bytes); });
  if (is_short) ConfigureRegisters(plan_.rows, shape.vectors);
  return OkStatus();
}

Status ContractionEmitter::EmitMatrixKLoop(const TileShape& shape, size_t level,
                                           llvm::Value* a, llvm::Value* b_columns,
                                           llvm::Value* ahead, llvm::Value* lower,
                                           llvm::Value* upper) {
  const KDim& dim = problem_.k_dims[level];
  bool innermost = level + 1 == problem_.k_dims.size();
  int64_t step = innermost ? plan_.matrix_step : 1;
  int64_t a_step = step * dim.a;
  if (dim.polyphase >= 0) {
    const Polyphase& phases = problem_.polyphases[dim.polyphase];
    lower = ranges_[level].lower;
    step = phases.tap_step;
    a_step = step * phases.step / phases.dilation * phases.lhs;
    b_columns = OffsetPointer(b_, b_columns, MulI(b_, lower, dim.b), kKGroupBytes);
  }
  IrValues pointers = {a, b_columns};
  if (ahead) pointers.push_back(ahead);
  return EmitLoop(
      b_, lower, upper, step, pointers, [&](llvm::Value*, IrValues& carried) -> Status {
        if (innermost) {
          if (ahead) {
            for (int64_t offset = 0; offset < AheadBytes(); offset += kLine)
              EmitPrefetch(OffsetPointer(b_, carried[2], offset, 1), /*locality=*/2);
            carried[2] = OffsetPointer(b_, carried[2], AheadBytes(), 1);
          }
          EmitMatrixStep(shape, carried[0], carried[1]);
        } else {
          TENON_RETURN_IF_ERROR(EmitMatrixKLoop(shape, level + 1, carried[0], carried[1],
                                                /*ahead=*/nullptr, I64(0),
                                                I64(problem_.k_dims[level + 1].size)));
        }
        carried[0] = OffsetPointer(b_, carried[0], a_step, kKGroupBytes);
        carried[1] = OffsetPointer(b_, carried[1], step * dim.b, kKGroupBytes);
        return OkStatus();
      });
}

void ContractionEmitter::EmitMatrixStep(const TileShape& shape, llvm::Value* a,
                                        llvm::Value* b_columns) {
  const MatrixUnit& unit = plan_.target.matrix_unit;
  TileRegisters registers(unit, shape.rows, shape.vectors);
  llvm::Value* a_bytes = I64(problem_.row.a * kKGroupBytes);
  llvm::Value* b_bytes = I64(TileWidth() * kKGroupBytes);
  for (int v = 0; v < shape.vectors; ++v) {
    unit.load(b_, registers.B(v),
              OffsetPointer(b_, b_columns, v * plan_.lanes, kKGroupBytes), b_bytes);
    for (int row = 0; row < registers.rows; ++row) {
      if (v == 0)
        unit.load(b_, registers.A(row),
                  OffsetPointer(b_, a, row * unit.rows * problem_.row.a, kKGroupBytes),
                  a_bytes);
      plan_.multiply_matrices(b_, registers.C(row, v), registers.A(row), registers.B(v));
    }
  }
}

// Packs the micro-panel of a from row `first` as rows of k-groups. K-groups past the last
// element of a row are zero.
Status ContractionEmitter::EmitPackMatrixRows(const Position& position,
                                              llvm::Value* first, llvm::Value* dest) {
  const Contraction& from = plan_.elements;
  TENON_ASSIGN_OR_RETURN(bool along_k, PacksAlongK(from, /*is_a=*/true));
  Position at_row = position;
  Advance(at_row, from.row, first);
  llvm::Value* remaining =
      MinI(b_, b_.CreateSub(I64(from.row.size), first), I64(plan_.rows));
  int64_t row_bytes = problem_.row.a * kKGroupBytes;
  llvm::SmallVector<KDim, 4> outer(from.k_dims.begin(), from.k_dims.end() - 1);
  int64_t count = 1;
  for (const KDim& dim : outer) count *= dim.size;
  return EmitLoop(b_, I64(0), I64(count), 1, [&](llvm::Value* index) -> Status {
    Position at_k = at_row;
    AdvanceAll(at_k, llvm::ArrayRef<KDim>(outer), index);
    llvm::Value* to =
        OffsetPointer(b_, dest, index, source_.k_dims.back().size * kKGroupBytes);
    if (!along_k) return EmitPackMatrixColumns(at_k, remaining, to);
    return EmitLoop(b_, I64(0), remaining, 1, [&](llvm::Value* r) {
      Position row = at_k;
      Advance(row, from.row, r);
      return EmitKGroupsAlongK(/*is_a=*/true, row, OffsetPointer(b_, to, r, row_bytes),
                               /*stride=*/1);
    });
  });
}

// Packs elements that are consecutive from row to row: for all rows of a register, blocks
// of a few k-groups are transposed. K-groups written past the last one are overwritten by
// the next elements of k, or are padding.
Status ContractionEmitter::EmitPackMatrixColumns(const Position& position,
                                                 llvm::Value* remaining,
                                                 llvm::Value* dest) {
  constexpr int kBlock = 4;
  const Contraction& from = plan_.elements;
  const KDim& inner = from.k_dims.back();
  int group = plan_.k_group_size, lanes = plan_.lanes;
  int64_t row_bytes = problem_.row.a * kKGroupBytes;
  int64_t k_groups = source_.k_dims.back().size;
  int64_t whole = inner.size / (kBlock * group) * kBlock;
  return EmitLoop(b_, I64(0), remaining, lanes, [&](llvm::Value* row0) -> Status {
    Position at_rows = position;
    Advance(at_rows, from.row, row0);
    llvm::Value* mask = LaneMask(b_, b_.CreateSub(remaining, row0), lanes);
    llvm::Value* rows = OffsetPointer(b_, dest, row0, row_bytes);
    // The block has `elements` elements along k.
    auto block = [&](llvm::Value* k_group, int64_t elements) -> Status {
      llvm::Value* of_row[kBlock];
      for (int i = 0; i < kBlock; ++i) {
        int64_t count = std::clamp<int64_t>(elements - i * group, 0, group);
        TENON_ASSIGN_OR_RETURN(of_row[i],
                               LoadKGroups(/*is_a=*/true, at_rows, AddI(b_, k_group, i),
                                           static_cast<int>(count), lanes, mask));
      }
      TransposeBlocksOfFour(b_, of_row);
      llvm::Value* to = OffsetPointer(b_, rows, k_group, kKGroupBytes);
      for (int row = 0; row < lanes; ++row) {
        llvm::SmallVector<int> quarter;
        for (int j = 0; j < kBlock; ++j) quarter.push_back(row / kBlock * kBlock + j);
        b_.CreateAlignedStore(b_.CreateShuffleVector(of_row[row % kBlock], quarter),
                              OffsetPointer(b_, to, row * row_bytes, 1),
                              llvm::Align(kKGroupBytes));
      }
      return OkStatus();
    };
    TENON_RETURN_IF_ERROR(
        EmitLoop(b_, I64(0), I64(whole), kBlock,
                 [&](llvm::Value* k_group) { return block(k_group, kBlock * group); }));
    for (int64_t k_group = whole; k_group < k_groups; k_group += kBlock)
      TENON_RETURN_IF_ERROR(block(I64(k_group), inner.size - k_group * group));
    return OkStatus();
  });
}

}  // namespace tenon::codegen
