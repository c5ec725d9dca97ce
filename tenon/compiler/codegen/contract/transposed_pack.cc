// Packs operand b if it is contiguous along k, not along the lanes: blocks are transposed
// in registers.
#include <cstdlib>

#include "tenon/compiler/codegen/contract/contraction_emitter.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"

namespace tenon::codegen {
namespace {

constexpr int kBlock = ContractionEmitter::kTransposedBlock;
static_assert(kBlock == 4);  // TransposeBlocksOfFour

}  // namespace

// Transposes kBlock k indices of `lanes` lanes: lane i is at `from` + `offsets`[i] bytes.
// The rows of the micro-panel are `row_bytes` apart.
Status ContractionEmitter::EmitTransposedBlock(llvm::Value* from,
                                               llvm::ArrayRef<llvm::Value*> offsets,
                                               llvm::Value* dest, int64_t row_bytes) {
  ElementType type = source_.b_type;
  int64_t bytes = ElementBytes(type);
  llvm::Type* block_type = llvm::FixedVectorType::get(
      compiler::ElementMemoryType(b_.getContext(), type), kBlock);
  int lanes = plan_.lanes, groups = lanes / kBlock;
  // quarter[i] has lanes i, i + kBlock, ..., each with its kBlock elements.
  llvm::Value* quarter[kBlock];
  for (int i = 0; i < kBlock; ++i) {
    llvm::SmallVector<llvm::Value*> parts;
    for (int g = 0; g < groups; ++g)
      parts.push_back(b_.CreateAlignedLoad(
          block_type, OffsetPointer(b_, from, offsets[g * kBlock + i], 1),
          llvm::Align(bytes)));
    int size = kBlock;
    while (parts.size() > 1) {
      llvm::SmallVector<llvm::Value*> joined;
      llvm::SmallVector<int> all(2 * size);
      for (int j = 0; j < 2 * size; ++j) all[j] = j;
      for (size_t p = 0; p + 1 < parts.size(); p += 2)
        joined.push_back(b_.CreateShuffleVector(parts[p], parts[p + 1], all));
      parts = joined;
      size *= 2;
    }
    quarter[i] = parts[0];
  }
  TransposeBlocksOfFour(b_, quarter);
  for (int j = 0; j < kBlock; ++j) {
    ElementValue value{type, compiler::LoadedToValue(b_, type, quarter[j])};
    TENON_ASSIGN_OR_RETURN(
        value, ConvertElements(b_, value, plan_.operand_type, plan_.target.elementwise));
    StoreElements(b_, value, OffsetPointer(b_, dest, j * row_bytes, 1), lanes, 1);
  }
  return OkStatus();
}

// Packs one k dimension of stride 1, whose indices are `row_bytes` apart in the
// micro-panel: blocks of kBlock k indices x `lanes` lanes are transposed in registers.
// Lanes past the end repeat the last one, so that nothing out of bounds is read.
Status ContractionEmitter::EmitTransposedRows(const Position& position, const KDim& inner,
                                              llvm::Value* first, int width,
                                              llvm::Value* dest, int64_t row_bytes) {
  const OutDim& lane = source_.lane;
  int64_t from_bytes = ElementBytes(source_.b_type);
  int64_t bytes = ElementBytes(plan_.operand_type);
  llvm::Value* base = OffsetPointer(b_, b_pointer_, position.b, from_bytes);
  bool partial = lane.size % width != 0;
  llvm::Value* last = b_.CreateSub(I64(lane.size - 1), first);
  int lanes = plan_.lanes;
  return EmitLoop(b_, I64(0), I64(width), lanes, [&](llvm::Value* v) -> Status {
    // One pointer that advances, with constant offsets for the lanes, compiles faster
    // than a pointer for each lane.
    llvm::SmallVector<llvm::Value*> offsets;
    llvm::Value* origin =
        partial ? base : OffsetPointer(b_, base, MulI(b_, v, lane.b), from_bytes);
    for (int l = 0; l < lanes; ++l) {
      llvm::Value* index = partial ? MinI(b_, AddI(b_, v, l), last) : I64(l);
      llvm::Value* offset = MulI(b_, index, lane.b * from_bytes);
      offsets.push_back(partial ? Opaque(b_, offset) : offset);
    }
    llvm::Value* dest_v = OffsetPointer(b_, dest, v, bytes);
    int64_t whole = inner.size / kBlock * kBlock;
    IrValues pointers = {Opaque(b_, origin), Opaque(b_, dest_v)};
    TENON_RETURN_IF_ERROR(
        EmitLoop(b_, I64(0), I64(whole), kBlock, pointers,
                 [&](llvm::Value*, IrValues& carried) -> Status {
                   TENON_RETURN_IF_ERROR(
                       EmitTransposedBlock(carried[0], offsets, carried[1], row_bytes));
                   carried[0] = OffsetPointer(b_, carried[0], kBlock, from_bytes);
                   carried[1] = OffsetPointer(b_, carried[1], kBlock, row_bytes);
                   return OkStatus();
                 }));
    if (whole == inner.size) return OkStatus();
    llvm::Value* count = I64(lanes);
    if (partial) count = MinI(b_, count, b_.CreateSub(AddI(b_, last, 1), v));
    return EmitLoop(b_, I64(0), count, 1, [&](llvm::Value* l) {
      Position column = position;
      Advance(column, lane, AddI(b_, l, v));
      return EmitLoop(b_, I64(whole), I64(inner.size), 1, [&](llvm::Value* k) {
        Position current = column;
        Advance(current, inner, k);
        llvm::Value* out =
            OffsetPointer(b_, OffsetPointer(b_, dest_v, l, bytes), k, row_bytes);
        return EmitMicroPanelElements(false, current, 0, 1, nullptr, out, 1, width);
      });
    });
  });
}

std::optional<ContractionEmitter::TapRun> ContractionEmitter::FindTapRun(
    const Contraction& from, bool is_a) {
  if (is_a) return std::nullopt;
  for (size_t last = from.k_dims.size(); last-- > 0;) {
    if (std::abs(from.k_dims[last].b) != 1 || from.k_dims[last].size == 1) continue;
    TapRun run{last, last, from.k_dims[last].size};
    while (run.first > 0 &&
           from.k_dims[run.first - 1].b == from.k_dims[last].b * run.taps) {
      --run.first;
      run.taps *= from.k_dims[run.first].size;
    }
    if (run.taps >= kBlock) return run;
  }
  return std::nullopt;
}

// Packs a micro-panel of a filter whose taps are consecutive in memory. For each index of
// the other k dimensions, blocks of taps and lanes are transposed, so that a cache line
// of the filter is read once.
Status ContractionEmitter::EmitTapRuns(const TapRun& run, const Position& position,
                                       llvm::Value* first, int width, llvm::Value* dest) {
  int64_t row_bytes = width * ElementBytes(plan_.operand_type);
  // The stride of each k dimension in the micro-panel, in rows.
  llvm::SmallVector<int64_t, 4> rows(source_.k_dims.size(), 1);
  for (size_t i = source_.k_dims.size() - 1; i-- > 0;)
    rows[i] = rows[i + 1] * source_.k_dims[i + 1].size;
  llvm::SmallVector<size_t, 4> others;
  llvm::SmallVector<int64_t, 4> sizes;
  for (size_t i = 0; i < source_.k_dims.size(); ++i)
    if (i < run.first || i > run.last)
      others.push_back(i), sizes.push_back(source_.k_dims[i].size);
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  KDim taps;
  taps.size = run.taps;
  taps.b = 1;
  int64_t tap_bytes = rows[run.last] * row_bytes;
  bool reversed = source_.k_dims[run.last].b < 0;
  return EmitLoop(b_, I64(0), I64(count), 1, [&](llvm::Value* index) {
    Position current = position;
    llvm::Value* to = dest;
    for (auto [i, digit] : llvm::zip_equal(others, Delinearize(b_, index, sizes))) {
      Advance(current, source_.k_dims[i], digit);
      to = OffsetPointer(b_, to, digit, rows[i] * row_bytes);
    }
    if (!reversed) return EmitTransposedRows(current, taps, first, width, to, tap_bytes);
    // A reversed filter starts at its last tap, which is first in memory.
    current.b = AddI(b_, current.b, 1 - run.taps);
    to = OffsetPointer(b_, to, run.taps - 1, tap_bytes);
    return EmitTransposedRows(current, taps, first, width, to, -tap_bytes);
  });
}

}  // namespace tenon::codegen
