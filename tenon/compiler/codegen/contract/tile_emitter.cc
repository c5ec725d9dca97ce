// The compute stage: loops over column tiles and row tiles around the micro-kernel.
#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

ContractionEmitter::ComputeChunk ContractionEmitter::FindComputeChunk(
    llvm::Value* chunk) {
  int64_t batches = BatchCount(problem_);
  int64_t row_tiles = OuterCount(problem_) * plan_.row_tiles;
  int64_t batch_blocks = CeilDiv(batches, plan_.chunk_batches);
  int64_t column_blocks = CeilDiv(plan_.column_tiles, plan_.chunk_column_tiles);
  int64_t row_blocks = CeilDiv(row_tiles, plan_.chunk_row_tiles);
  llvm::SmallVector<int64_t, 4> counts = {batch_blocks, plan_.k_slices, column_blocks,
                                          row_blocks};
  if (plan_.rows_outer) std::swap(counts[2], counts[3]);
  IrValues digits = Delinearize(b_, chunk, counts);
  if (plan_.rows_outer) std::swap(digits[2], digits[3]);
  // The first and the last index of this chunk in one dimension.
  auto range = [&](llvm::Value* block, int64_t size, int64_t count) {
    llvm::Value* first = MulI(b_, block, size);
    llvm::Value* last = AddI(b_, first, size);
    if (count % size != 0) last = MinI(b_, last, I64(count));
    return std::pair(first, last);
  };
  ComputeChunk part;
  std::tie(part.batch0, part.batch1) = range(digits[0], plan_.chunk_batches, batches);
  std::tie(column_tile0_, column_tile1_) =
      range(digits[2], plan_.chunk_column_tiles, plan_.column_tiles);
  std::tie(part.row_tile0, part.row_tile1) =
      range(digits[3], plan_.chunk_row_tiles, row_tiles);
  if (batch_blocks == 1) part.batch0 = I64(0), part.batch1 = I64(batches);
  if (column_blocks == 1) column_tile0_ = I64(0), column_tile1_ = I64(plan_.column_tiles);
  if (row_blocks == 1) part.row_tile0 = I64(0), part.row_tile1 = I64(row_tiles);
  part.slice = plan_.k_slices == 1 ? I64(0) : digits[1];
  int64_t k_count = problem_.k_dims.front().size;
  part.q_low = MulI(b_, part.slice, plan_.slice_size);
  part.q_high = I64(k_count);
  if (plan_.k_slices > 1)
    part.q_high = MinI(b_, AddI(b_, part.q_low, plan_.slice_size), I64(k_count));

  part.whole_tiles = problem_.lane.size / TileWidth();
  part.has_edge = (plan_.b_storage == OperandStorage::kDirect || problem_.lane.a != 0) &&
                  part.whole_tiles < plan_.column_tiles;
  int64_t rest = problem_.lane.size - part.whole_tiles * TileWidth();
  part.edge_vectors = static_cast<int>(CeilDiv(rest, plan_.lanes));
  part.edge_mask =
      LaneMask(b_, I64(rest - int64_t{part.edge_vectors - 1} * plan_.lanes), plan_.lanes);
  return part;
}

Status ContractionEmitter::EmitCompute(llvm::Value* chunk) {
  chunk_ = chunk;
  ComputeChunk part = FindComputeChunk(chunk);
  if (plan_.multiply_matrices) ConfigureRegisters(plan_.rows, plan_.vectors);
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, part.batch0, part.batch1, 1,
               [&](llvm::Value* batch) { return EmitBatch(part, batch); }));
  if (plan_.multiply_matrices) plan_.target.matrix_unit.release(b_);
  return OkStatus();
}

// Calls `body` for the k blocks of a chunk.
Status ContractionEmitter::EmitKBlocks(const ComputeChunk& part,
                                       llvm::function_ref<Status(const KBlock&)> body) {
  bool blocked = HasKBlocks();
  llvm::Value* q_end = blocked ? part.q_high : AddI(b_, part.q_low, 1);
  return EmitLoop(b_, part.q_low, q_end, plan_.k_block, [&](llvm::Value* q0) {
    KBlock block{q0, part.q_high, b_.getTrue(), b_.getTrue()};
    if (blocked) {
      block.upper = MinI(b_, AddI(b_, q0, plan_.k_block), part.q_high);
      block.is_first = b_.CreateICmpEQ(q0, part.q_low);
      block.is_last = b_.CreateICmpEQ(block.upper, part.q_high);
    }
    return body(block);
  });
}

// Packs the micro-panel of b that belongs to a column tile, for this chunk alone.
Status ContractionEmitter::EmitPrivatePack(llvm::Value* batch, llvm::Value* column_tile) {
  TENON_RETURN_IF_ERROR(EmitPackB(batch, column_tile));
  if (!plan_.zero_products) return OkStatus();
  return EmitColumnTileZeroProducts(batch, column_tile);
}

Status ContractionEmitter::EmitBatch(const ComputeChunk& part, llvm::Value* batch) {
  Position at_batch = Start(problem_);
  AdvanceAll(at_batch, llvm::ArrayRef<OutDim>(problem_.batch), batch);
  if (plan_.private_b && !plan_.micro_panel_at_a_time && !plan_.pack_blocks)
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, column_tile0_, column_tile1_, 1,
        [&](llvm::Value* column_tile) { return EmitPrivatePack(batch, column_tile); }));
  if (plan_.column_tile_outer) {
    return EmitLoop(
        b_, column_tile0_, column_tile1_, 1, [&](llvm::Value* column_tile) -> Status {
          if (plan_.micro_panel_at_a_time)
            TENON_RETURN_IF_ERROR(EmitPrivatePack(batch, column_tile));
          return EmitKBlocks(part, [&](const KBlock& block) {
            return EmitRowTiles(at_batch, {batch, part.slice, column_tile, part.row_tile0,
                                           part.row_tile1, block, plan_.vectors, nullptr,
                                           /*clipped=*/false});
          });
        });
  }
  return EmitKBlocks(part, [&](const KBlock& block) -> Status {
    if (plan_.pack_blocks)
      TENON_RETURN_IF_ERROR(
          EmitPackBlock(batch, column_tile0_, column_tile1_, block.lower, block.upper));
    if (!plan_.taps || plan_.micro_panel_at_a_time)
      return EmitColumnTiles(part, at_batch, batch, block, part.row_tile0,
                             part.row_tile1);
    // All column tiles of a row tile come first, because the vectors of a pixel are
    // adjacent in memory.
    return EmitLoop(b_, part.row_tile0, part.row_tile1, 1, [&](llvm::Value* row_tile) {
      return EmitColumnTiles(part, at_batch, batch, block, row_tile,
                             AddI(b_, row_tile, 1));
    });
  });
}

// All column tiles of a chunk, for some of its row tiles and one k block.
Status ContractionEmitter::EmitColumnTiles(const ComputeChunk& part,
                                           const Position& at_batch, llvm::Value* batch,
                                           const KBlock& block,
                                           llvm::Value* first_row_tile,
                                           llvm::Value* last_row_tile) {
  auto row_tiles_of = [&](llvm::Value* column_tile, int vectors, llvm::Value* mask) {
    return EmitRowTiles(at_batch, {batch, part.slice, column_tile, first_row_tile,
                                   last_row_tile, block, vectors, mask, part.has_edge});
  };
  return EmitLoop(
      b_, column_tile0_, column_tile1_, 1, [&](llvm::Value* column_tile) -> Status {
        if (plan_.micro_panel_at_a_time)
          TENON_RETURN_IF_ERROR(EmitPrivatePack(batch, column_tile));
        if (!part.has_edge) return row_tiles_of(column_tile, plan_.vectors, nullptr);
        llvm::Value* whole = part.whole_tiles == 0
                                 ? b_.getFalse()
                                 : b_.CreateICmpSLT(column_tile, I64(part.whole_tiles));
        return EmitIfElse(
            b_, whole, [&] { return row_tiles_of(column_tile, plan_.vectors, nullptr); },
            [&] { return row_tiles_of(column_tile, part.edge_vectors, part.edge_mask); });
      });
}

// Whole tiles are stored directly to the output, the partial one through a buffer.
ContractionEmitter::TileResults ContractionEmitter::ResultsOf(const TileColumn& column) {
  TileResults results;
  results.direct = DirectStore() && !plan_.column_tile_outer;
  bool partial_tile = !column.clipped && problem_.lane.size % TileWidth() != 0;
  results.is_whole =
      partial_tile && results.direct
          ? b_.CreateICmpSLT(column.index, I64(problem_.lane.size / TileWidth()))
          : b_.getTrue();
  if (partial_tile && results.direct && problem_.lane.size < TileWidth())
    results.is_whole = b_.getFalse();
  results.partial_sums =
      plan_.k_slices > 1 ||
      (HasKBlocks() && !plan_.column_tile_outer && (!results.direct || partial_tile));
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(results.is_whole);
  results.always_direct = results.direct && constant && constant->isOne();
  return results;
}

Status ContractionEmitter::EmitRowTiles(const Position& at_batch,
                                        const TileColumn& column) {
  Position at_columns = at_batch;
  Advance(at_columns, problem_.lane, MulI(b_, column.index, TileWidth()));
  llvm::Value* b_columns = Opaque(
      b_, plan_.b_storage == OperandStorage::kMicroPanels
              ? PackedMicroPanel(column.batch, column.index)
              : OffsetPointer(b_, b_tile_, at_columns.b, ElementBytes(problem_.b_type)));
  TileResults results = ResultsOf(column);
  return EmitLoop(b_, column.first_row_tile, column.last_row_tile, 1,
                  [&](llvm::Value* index) {
                    return EmitRowTile(column, results, at_columns, b_columns, index);
                  });
}

// The buffer for the results of row tile `index`: the chunk has one buffer, or one for
// each of its row tiles.
llvm::Value* ContractionEmitter::TileBuffer(llvm::Value* index,
                                            llvm::Value* first_row_tile,
                                            int64_t row_bytes) {
  int64_t tile_bytes = plan_.rows * row_bytes;
  int64_t tiles = plan_.column_tile_outer ? plan_.chunk_row_tiles : 1;
  if (!tile_buffer_) tile_buffer_ = EmitEntryAlloca(b_, tiles * tile_bytes);
  if (!plan_.column_tile_outer) return tile_buffer_;
  return Opaque(b_, OffsetPointer(b_, tile_buffer_, b_.CreateSub(index, first_row_tile),
                                  tile_bytes));
}

// The prefetch distance in b, which covers memory's latency. Past the chunk's last column
// tile it wraps to the first column tile of the next rows.
llvm::Value* ContractionEmitter::StreamDistance(llvm::Value* column_tile) {
  constexpr int64_t kAhead = 512;
  int64_t bytes = ElementBytes(problem_.b_type), width = TileWidth() * bytes;
  int64_t distance = CeilDiv(kAhead, width);
  llvm::Value* wrapped = MulI(
      b_, b_.CreateSub(I64(distance), b_.CreateSub(column_tile1_, column_tile0_)), width);
  wrapped = AddI(b_, wrapped, plan_.k_block * problem_.k_dims.front().b * bytes);
  return b_.CreateSelect(b_.CreateICmpSLT(AddI(b_, column_tile, distance), column_tile1_),
                         I64(distance * width), wrapped);
}

// The tile at a column tile and at row tile `index`. The index counts the row tiles of
// all outer indices.
Status ContractionEmitter::EmitRowTile(const TileColumn& column,
                                       const TileResults& results,
                                       const Position& at_columns, llvm::Value* b_columns,
                                       llvm::Value* index) {
  ElementType type = problem_.accumulate;
  int64_t outers = OuterCount(problem_);
  IrValues digits = Delinearize(b_, index, {outers, plan_.row_tiles});
  Position current = at_columns;
  llvm::Value* a_offset = nullptr;
  llvm::SmallVector<int64_t> outer_sizes;
  for (const OutDim& dim : problem_.outer) outer_sizes.push_back(dim.size);
  IrValues outer = Delinearize(b_, digits[0], outer_sizes);
  for (auto [dim, outer_index] : llvm::zip_equal(problem_.outer, outer))
    Advance(current, dim, outer_index);
  FindRanges(current, outer);
  llvm::Value* row0 = RowTileStart(digits[1]);
  auto flat_outer = [&] { return AddI(b_, MulI(b_, column.batch, outers), digits[0]); };
  if (plan_.a_storage == OperandStorage::kMicroPanels) {
    llvm::Value* flat = AddI(b_, MulI(b_, flat_outer(), plan_.row_tiles), digits[1]);
    a_offset = MulI(b_, flat, plan_.a_micro_panel_elements);
  }
  AdvanceRow(current, row0);
  if (!a_offset) a_offset = current.a;
  Tile tile;
  tile.initial = plan_.zero_products
                     ? Opaque(b_, ZeroTable(ZeroTableRow(current), current.zero))
                     : nullptr;
  // Not all phases have the last index of the dimensions in which a tile has one index.
  llvm::Value* exists = b_.getTrue();
  for (const Polyphase& phases : problem_.polyphases)
    if (phases.uneven() && UnevenPhases(problem_.row) != &phases &&
        UnevenPhases(problem_.lane) != &phases)
      exists = b_.CreateAnd(exists, b_.CreateICmpSLT(current.c_index[phases.output_dim],
                                                     I64(phases.output)));
  return EmitIfElse(b_, exists, [&]() -> Status {
    tile.a =
        Opaque(b_, OffsetPointer(b_, a_tile_, a_offset, ElementBytes(problem_.a_type)));
    tile.out = results.direct
                   ? Opaque(b_, OffsetPointer(b_, out_, current.c, ElementBytes(type)))
                   : nullptr;
    tile.b_columns = b_columns;
    tile.block = column.block;
    tile.is_whole = results.is_whole;
    if (results.partial_sums) {
      tile.row_bytes = PartialRowBytes();
      llvm::Value* row = AddI(b_, MulI(b_, flat_outer(), problem_.row.size), row0);
      tile.buffer = Opaque(b_, PartialRow(column.slice, row, column.index));
    } else {
      tile.row_bytes = TileWidth() * PartBytes(type) * NumParts(type);
      if (!results.always_direct)
        tile.buffer = TileBuffer(index, column.first_row_tile, tile.row_bytes);
    }
    if (plan_.streaming) stream_ahead_ = StreamDistance(column.index);
    if (plan_.column_tile_outer && !plan_.micro_panel_at_a_time) {
      // The blocks of a micro-panel, and the micro-panels, are adjacent in memory.
      int64_t piece = AheadBytes() * (plan_.k_block / plan_.matrix_step);
      llvm::Value* next = OffsetPointer(
          b_, b_columns, MulI(b_, column.block.upper, problem_.k_dims.front().b),
          ElementBytes(problem_.b_type));
      tile.ahead = Opaque(
          b_, OffsetPointer(b_, next, b_.CreateSub(index, column.first_row_tile), piece));
    }
    if (hooks_.read_by_store && !HasKBlocks() && plan_.k_slices == 1 &&
        problem_.lane.c == 1)
      TENON_RETURN_IF_ERROR(EmitPrefetchResults(current));
    TENON_RETURN_IF_ERROR(EmitTileCalls(column, results, tile, digits[1]));
    if (results.always_direct || plan_.k_slices > 1) return OkStatus();
    llvm::Value* rows = I64(plan_.rows);
    if (plan_.full_row_tiles != plan_.row_tiles)
      rows = b_.CreateSelect(b_.CreateICmpSLT(digits[1], I64(plan_.full_row_tiles)), rows,
                             I64(plan_.short_rows));
    llvm::Value* is_stored = column.block.is_last;
    if (results.direct)
      is_stored = b_.CreateAnd(is_stored, b_.CreateNot(results.is_whole));
    return EmitIfElse(b_, is_stored, [&] {
      return EmitStoreTile(current, column.index, tile.buffer, tile.row_bytes, rows);
    });
  });
}

// Emits the functions of full and of shorter tiles, and calls the one for `row_tile`.
Status ContractionEmitter::EmitTileCalls(const TileColumn& column,
                                         const TileResults& results, Tile& tile,
                                         llvm::Value* row_tile) {
  auto call = [&](int rows) {
    // Shorter row tiles come last.
    bool full = rows == plan_.rows, all_full = plan_.full_row_tiles == plan_.row_tiles;
    is_first_ = full ? b_.CreateICmpEQ(row_tile, I64(0)) : b_.getFalse();
    is_last_ = full && !all_full ? b_.getFalse()
                                 : b_.CreateICmpEQ(row_tile, I64(plan_.row_tiles - 1));
    llvm::SmallVector<llvm::Value**, 16> inputs = {
        &tile.a,   &tile.b_columns, &tile.block.lower, &tile.block.upper,
        &tile.out, &tile.buffer,    &tile.is_whole,    &tile.block.is_first};
    if (tile.ahead) inputs.push_back(&tile.ahead);
    if (tile.initial) inputs.push_back(&tile.initial);
    if (plan_.streaming) inputs.push_back(&stream_ahead_);
    if (RowWindow(problem_)) inputs.append({&is_first_, &is_last_});
    for (Range& range : ranges_) inputs.append({&range.lower, &range.upper});
    TileShape shape{rows, column.vectors, column.last_mask};
    if (std::optional<MicroKernel> kernel = FindMicroKernel(shape))
      return EmitSharedTile(shape, tile, *std::move(kernel));
    return EmitOutlined(b_, "tile", inputs, [&] {
      return plan_.multiply_matrices ? EmitMatrixTileBody(shape, results.direct, tile)
                                     : EmitVectorTileBody(shape, results.direct, tile);
    });
  };
  if (plan_.full_row_tiles == plan_.row_tiles) return call(plan_.rows);
  return EmitIfElse(
      b_, b_.CreateICmpSLT(row_tile, I64(plan_.full_row_tiles)),
      [&] { return call(plan_.rows); }, [&] { return call(plan_.short_rows); });
}

Status ContractionEmitter::EmitMatrixTileBody(const TileShape& shape, bool direct,
                                              const Tile& tile) {
  ElementType type = problem_.accumulate;
  llvm::Value* dest = tile.buffer;
  llvm::Value* dest_bytes = I64(tile.row_bytes);
  if (direct) {
    llvm::Value* out_bytes = I64(problem_.row.c * ElementBytes(type));
    dest = tile.buffer ? b_.CreateSelect(tile.is_whole, tile.out, tile.buffer) : tile.out;
    dest_bytes =
        tile.buffer ? b_.CreateSelect(tile.is_whole, out_bytes, dest_bytes) : out_bytes;
  }
  if (tile.initial) {
    IrValues sums;
    LoadInitialSums(shape, tile.initial, sums);
    for (int i = 0; i < shape.rows * shape.vectors; ++i)
      StoreElements(
          b_, Accumulator(sums, i),
          OffsetPointer(b_, OffsetPointer(b_, dest, dest_bytes, i / shape.vectors),
                        i % shape.vectors * plan_.lanes, PartBytes(type)),
          plan_.lanes, 1);
  }
  llvm::Value* first = HasKBlocks() ? tile.block.is_first : b_.getInt1(!tile.initial);
  return EmitMatrixTile(shape, tile.a, tile.b_columns, tile.ahead, tile.block.lower,
                        tile.block.upper, dest, dest_bytes, first);
}

Status ContractionEmitter::EmitVectorTileBody(const TileShape& shape, bool direct,
                                              const Tile& tile) {
  const KBlock& block = tile.block;
  IrValues accumulators, clipped;
  TENON_RETURN_IF_ERROR(
      EmitClippedTaps(shape, tile.b_columns, block.lower, block.upper, clipped));
  for (int i = 0; i < shape.rows * shape.vectors; ++i) {
    ElementValue zero = clipped.empty()
                            ? ZeroElements(b_, problem_.accumulate, plan_.lanes)
                            : FromBits(clipped[i % shape.vectors]);
    accumulators.push_back(zero.re);
    if (zero.im) accumulators.push_back(zero.im);
  }
  if (tile.initial) LoadInitialSums(shape, tile.initial, accumulators);
  TENON_RETURN_IF_ERROR(EmitMicroKernel(shape, tile.a, tile.b_columns, block.lower,
                                        block.upper, accumulators));
  auto finish = [&](bool to_out) -> Status {
    if (!HasKBlocks()) return StoreSums(shape, tile, to_out, accumulators);
    IrValues before = accumulators;
    return EmitIfElse(
        b_, block.is_first, [&] { return StoreSums(shape, tile, to_out, accumulators); },
        [&]() -> Status {
          AddPreviousSums(shape, tile, to_out, accumulators);
          TENON_RETURN_IF_ERROR(StoreSums(shape, tile, to_out, accumulators));
          accumulators = before;
          return OkStatus();
        });
  };
  if (!direct) return finish(false);
  return EmitIfElse(
      b_, tile.is_whole, [&] { return finish(true); }, [&] { return finish(false); });
}

// The memory of accumulator (row, vector) between k blocks: in the output or in the
// tile's buffer.
llvm::Value* ContractionEmitter::SumsPointer(const Tile& tile, bool in_out, int row,
                                             int vector) {
  if (in_out)
    return OffsetPointer(b_, tile.out, row * problem_.row.c + vector * plan_.lanes,
                         ElementBytes(problem_.accumulate));
  int64_t vector_bytes = plan_.lanes * PartBytes(problem_.accumulate);
  return OffsetPointer(b_, tile.buffer, row * tile.row_bytes + vector * vector_bytes, 1);
}

Status ContractionEmitter::StoreSums(const TileShape& shape, const Tile& tile,
                                     bool to_out, const IrValues& accumulators) {
  int64_t plane_bytes = TileWidth() * PartBytes(problem_.accumulate);
  for (int i = 0; i < shape.rows * shape.vectors; ++i) {
    ElementValue value = Accumulator(accumulators, i);
    int vector = i % shape.vectors;
    llvm::Value* pointer = SumsPointer(tile, to_out, i / shape.vectors, vector);
    if (to_out)
      StoreElements(b_, value, pointer, plan_.lanes, 1, shape.Mask(vector));
    else
      StorePlanar(b_, value, pointer, plan_.lanes, plane_bytes);
  }
  return OkStatus();
}

// Adds the partial sums of the earlier k blocks, which are in memory.
void ContractionEmitter::AddPreviousSums(const TileShape& shape, const Tile& tile,
                                         bool from_out, IrValues& accumulators) {
  ElementType type = problem_.accumulate;
  int parts = NumParts(type);
  int64_t plane_bytes = TileWidth() * PartBytes(type);
  for (int i = 0; i < shape.rows * shape.vectors; ++i) {
    int vector = i % shape.vectors;
    llvm::Value* pointer = SumsPointer(tile, from_out, i / shape.vectors, vector);
    ElementValue previous =
        from_out ? LoadElements(b_, type, pointer, plan_.lanes, 1, shape.Mask(vector))
                 : LoadPlanar(b_, type, pointer, plan_.lanes, plane_bytes);
    ElementValue sum = AddElements(b_, Accumulator(accumulators, i), previous);
    accumulators[i * parts] = sum.re;
    if (sum.im) accumulators[i * parts + 1] = sum.im;
  }
}

}  // namespace tenon::codegen
