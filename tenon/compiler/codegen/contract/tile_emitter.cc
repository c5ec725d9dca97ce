// The compute stage: loops over column tiles and row tiles around the micro-kernel.
#include "llvm/ADT/STLExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

Status ContractionEmitter::EmitCompute(llvm::Value* chunk) {
  chunk_ = chunk;
  int64_t batches = BatchCount(problem_);
  int64_t row_tiles = OuterCount(problem_) * plan_.row_tiles;
  int64_t batch_blocks = CeilDiv(batches, plan_.chunk_batches);
  int64_t column_blocks = CeilDiv(plan_.column_tiles, plan_.chunk_column_tiles);
  int64_t row_blocks = CeilDiv(row_tiles, plan_.chunk_row_tiles);
  llvm::SmallVector<int64_t, 4> counts = {batch_blocks, plan_.sum_slices, column_blocks,
                                          row_blocks};
  if (plan_.rows_outer) std::swap(counts[2], counts[3]);
  IrValues digits = Digits(b_, chunk, counts);
  if (plan_.rows_outer) std::swap(digits[2], digits[3]);
  // The first and the last index of this chunk in one dimension.
  auto range = [&](llvm::Value* block, int64_t size, int64_t count) {
    llvm::Value* first = MulI(b_, block, size);
    llvm::Value* last = AddI(b_, first, size);
    if (count % size != 0) last = MinI(b_, last, I64(count));
    return std::pair(first, last);
  };
  auto [batch0, batch1] = range(digits[0], plan_.chunk_batches, batches);
  auto [column_tile0, column_tile1] =
      range(digits[2], plan_.chunk_column_tiles, plan_.column_tiles);
  auto [row_tile0, row_tile1] = range(digits[3], plan_.chunk_row_tiles, row_tiles);
  if (batch_blocks == 1) batch0 = I64(0), batch1 = I64(batches);
  if (column_blocks == 1) column_tile0 = I64(0), column_tile1 = I64(plan_.column_tiles);
  if (row_blocks == 1) row_tile0 = I64(0), row_tile1 = I64(row_tiles);
  column_tile0_ = column_tile0, column_tile1_ = column_tile1;
  llvm::Value* slice = plan_.sum_slices == 1 ? I64(0) : digits[1];
  int64_t sums = problem_.sum.front().size;
  llvm::Value* q_low = MulI(b_, slice, plan_.slice_size);
  llvm::Value* q_high = I64(sums);
  if (plan_.sum_slices > 1)
    q_high = MinI(b_, AddI(b_, q_low, plan_.slice_size), I64(sums));

  // If operands are read in place, a partial last column tile has its own code, because
  // lanes past the end must not be accessed.
  int64_t whole_tiles = problem_.lane.size / TileWidth();
  bool edge_body = (plan_.b_storage == Storage::kDirect || problem_.lane.a != 0) &&
                   whole_tiles < plan_.column_tiles;
  int64_t rest = problem_.lane.size - whole_tiles * TileWidth();
  int rest_vectors = static_cast<int>(CeilDiv(rest, plan_.lanes));
  llvm::Value* rest_mask =
      LaneMask(b_, I64(rest - int64_t{rest_vectors - 1} * plan_.lanes), plan_.lanes);

  if (plan_.multiply_matrices) ConfigureRegisters(plan_.rows, plan_.vectors);
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, batch0, batch1, 1, [&](llvm::Value* batch) -> Status {
        Position at_batch = Start(problem_);
        AdvanceAll(at_batch, llvm::ArrayRef<OutDim>(problem_.batch), batch);
        auto pack = [&](llvm::Value* column_tile) -> Status {
          TENON_RETURN_IF_ERROR(EmitPackB(batch, column_tile));
          if (!plan_.zero_products) return OkStatus();
          return EmitColumnTileZeroProducts(batch, column_tile);
        };
        if (plan_.private_b && !plan_.micro_panel_at_a_time && !plan_.pack_blocks)
          TENON_RETURN_IF_ERROR(EmitLoop(b_, column_tile0, column_tile1, 1, pack));
        bool blocked = plan_.sum_block < plan_.slice_size;
        auto each_block = [&](llvm::function_ref<Status(const SumBlock&)> body) {
          llvm::Value* q_end = blocked ? q_high : AddI(b_, q_low, 1);
          return EmitLoop(b_, q_low, q_end, plan_.sum_block, [&](llvm::Value* q0) {
            SumBlock block{q0, q_high, b_.getTrue(), b_.getTrue()};
            if (blocked) {
              block.upper = MinI(b_, AddI(b_, q0, plan_.sum_block), q_high);
              block.is_first = b_.CreateICmpEQ(q0, q_low);
              block.is_last = b_.CreateICmpEQ(block.upper, q_high);
            }
            return body(block);
          });
        };
        if (plan_.column_tile_outer) {
          return EmitLoop(
              b_, column_tile0, column_tile1, 1, [&](llvm::Value* column_tile) -> Status {
                if (plan_.micro_panel_at_a_time) TENON_RETURN_IF_ERROR(pack(column_tile));
                return each_block([&](const SumBlock& block) {
                  return EmitRowTiles(at_batch, batch, column_tile, slice, row_tile0,
                                      row_tile1, block, plan_.vectors, nullptr,
                                      /*clipped=*/false);
                });
              });
        }
        return each_block([&](const SumBlock& block) -> Status {
          if (plan_.pack_blocks)
            TENON_RETURN_IF_ERROR(EmitPackBlock(batch, column_tile0, column_tile1,
                                                block.lower, block.upper));
          auto tiles = [&](llvm::Value* first_row_tile, llvm::Value* last_row_tile) {
            auto row_tiles_of = [&](llvm::Value* column_tile, int vectors,
                                    llvm::Value* mask) {
              return EmitRowTiles(at_batch, batch, column_tile, slice, first_row_tile,
                                  last_row_tile, block, vectors, mask, edge_body);
            };
            return EmitLoop(
                b_, column_tile0, column_tile1, 1,
                [&](llvm::Value* column_tile) -> Status {
                  if (plan_.micro_panel_at_a_time)
                    TENON_RETURN_IF_ERROR(pack(column_tile));
                  if (!edge_body)
                    return row_tiles_of(column_tile, plan_.vectors, nullptr);
                  llvm::Value* whole =
                      whole_tiles == 0 ? b_.getFalse()
                                       : b_.CreateICmpSLT(column_tile, I64(whole_tiles));
                  return EmitIfElse(
                      b_, whole,
                      [&] { return row_tiles_of(column_tile, plan_.vectors, nullptr); },
                      [&] { return row_tiles_of(column_tile, rest_vectors, rest_mask); });
                });
          };
          if (!plan_.taps || plan_.micro_panel_at_a_time)
            return tiles(row_tile0, row_tile1);
          // All column tiles of a row tile come first, because the vectors of a pixel are
          // adjacent in memory.
          return EmitLoop(b_, row_tile0, row_tile1, 1, [&](llvm::Value* row_tile) {
            return tiles(row_tile, AddI(b_, row_tile, 1));
          });
        });
      }));
  if (plan_.multiply_matrices) plan_.target.matrix_unit.release(b_);
  return OkStatus();
}

Status ContractionEmitter::EmitRowTiles(const Position& at_batch, llvm::Value* batch,
                                        llvm::Value* column_tile, llvm::Value* slice,
                                        llvm::Value* first_row_tile,
                                        llvm::Value* last_row_tile, const SumBlock& block,
                                        int vectors, llvm::Value* last_mask,
                                        bool clipped) {
  ElementType type = problem_.accumulate;
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = TileWidth() * part_bytes;
  int parts = NumParts(type);
  int64_t outers = OuterCount(problem_);
  llvm::Value* column = MulI(b_, column_tile, TileWidth());
  Position at_columns = at_batch;
  Advance(at_columns, problem_.lane, column);
  llvm::Value* b_columns = Opaque(
      b_, plan_.b_storage == Storage::kMicroPanels
              ? PackedMicroPanel(batch, column_tile)
              : OffsetPointer(b_, b_tile_, at_columns.b, ElementBytes(problem_.b_type)));

  llvm::Value *q0 = block.lower, *q1 = block.upper, *first_block = block.is_first;
  bool direct = DirectStore() && !plan_.column_tile_outer;
  // Whole tiles are stored directly to the output, the partial one through a buffer.
  bool partial_tile = !clipped && problem_.lane.size % TileWidth() != 0;
  llvm::Value* is_whole =
      partial_tile && direct
          ? b_.CreateICmpSLT(column_tile, I64(problem_.lane.size / TileWidth()))
          : b_.getTrue();
  if (partial_tile && direct && problem_.lane.size < TileWidth())
    is_whole = b_.getFalse();
  bool constant_whole = llvm::isa<llvm::ConstantInt>(is_whole);
  bool blocked = plan_.sum_block < plan_.slice_size;
  bool partial_sums = plan_.sum_slices > 1 ||
                      (blocked && !plan_.column_tile_outer && (!direct || partial_tile));
  bool always_direct =
      direct && constant_whole && llvm::cast<llvm::ConstantInt>(is_whole)->isOne();

  return EmitLoop(
      b_, first_row_tile, last_row_tile, 1, [&](llvm::Value* index) -> Status {
        IrValues digits = Digits(b_, index, {outers, plan_.row_tiles});
        Position at = at_columns;
        llvm::Value* a_offset = nullptr;
        llvm::SmallVector<int64_t> outer_sizes;
        for (const OutDim& dim : problem_.outer) outer_sizes.push_back(dim.size);
        IrValues outer = Digits(b_, digits[0], outer_sizes);
        for (auto [dim, outer_index] : llvm::zip_equal(problem_.outer, outer))
          Advance(at, dim, outer_index);
        FindRanges(at, outer);
        llvm::Value* row0 = RowTileStart(digits[1]);
        if (plan_.a_storage == Storage::kMicroPanels) {
          llvm::Value* flat = AddI(
              b_, MulI(b_, AddI(b_, MulI(b_, batch, outers), digits[0]), plan_.row_tiles),
              digits[1]);
          a_offset = MulI(b_, flat, plan_.a_micro_panel_elements);
        }
        AdvanceRow(at, row0);
        if (!a_offset) a_offset = at.a;
        llvm::Value* initial =
            plan_.zero_products ? Opaque(b_, ZeroTable(ClassOf(at), at.zero)) : nullptr;
        // Not all phases have the last index of the dimensions in which a tile has one
        // index.
        llvm::Value* exists = b_.getTrue();
        for (const Polyphase& phases : problem_.polyphases)
          if (phases.uneven() && UnevenPhases(problem_.row) != &phases &&
              UnevenPhases(problem_.lane) != &phases)
            exists = b_.CreateAnd(
                exists, b_.CreateICmpSLT(at.c_site[phases.site], I64(phases.output)));
        return EmitIfElse(b_, exists, [&]() -> Status {
          llvm::Value* a = Opaque(
              b_, OffsetPointer(b_, a_tile_, a_offset, ElementBytes(problem_.a_type)));
          llvm::Value* out =
              direct ? Opaque(b_, OffsetPointer(b_, out_, at.c, ElementBytes(type)))
                     : nullptr;

          llvm::Value* buffer = nullptr;
          int64_t row_bytes = plane_bytes * parts;
          if (partial_sums) {
            row_bytes = PartialRowBytes();
            llvm::Value* row = AddI(
                b_,
                MulI(b_, AddI(b_, MulI(b_, batch, outers), digits[0]), problem_.row.size),
                row0);
            buffer = Opaque(b_, PartialRow(slice, row, column_tile));
          } else if (!always_direct) {
            int64_t tile_bytes = plan_.rows * row_bytes;
            int64_t tiles = plan_.column_tile_outer ? plan_.chunk_row_tiles : 1;
            if (!tile_buffer_) tile_buffer_ = EntryAlloca(b_, tiles * tile_bytes);
            buffer = tile_buffer_;
            if (plan_.column_tile_outer)
              buffer = Opaque(
                  b_, OffsetPointer(b_, buffer, b_.CreateSub(index, first_row_tile),
                                    tile_bytes));
          }

          if (plan_.streaming) {
            // Prefetches ahead by memory's latency. After the chunk's last column tile
            // follow the first ones of the next rows.
            constexpr int64_t kAhead = 512;
            int64_t bytes = ElementBytes(problem_.b_type), width = TileWidth() * bytes;
            int64_t distance = CeilDiv(kAhead, width);
            llvm::Value* wrapped = MulI(
                b_,
                b_.CreateSub(I64(distance), b_.CreateSub(column_tile1_, column_tile0_)),
                width);
            wrapped = AddI(b_, wrapped, plan_.sum_block * problem_.sum.front().b * bytes);
            stream_ahead_ = b_.CreateSelect(
                b_.CreateICmpSLT(AddI(b_, column_tile, distance), column_tile1_),
                I64(distance * width), wrapped);
          }
          llvm::Value* ahead = nullptr;
          if (plan_.column_tile_outer && !plan_.micro_panel_at_a_time) {
            // The blocks of a micro-panel, and the micro-panels, are adjacent in memory.
            int64_t piece = AheadBytes() * (plan_.sum_block / plan_.matrix_step);
            ahead = OffsetPointer(b_, b_columns, MulI(b_, q1, problem_.sum.front().b),
                                  ElementBytes(problem_.b_type));
            ahead = Opaque(
                b_, OffsetPointer(b_, ahead, b_.CreateSub(index, first_row_tile), piece));
          }
          auto tile_body = [&](int rows) -> Status {
            TileShape shape{rows, vectors, last_mask};
            if (plan_.multiply_matrices) {
              llvm::Value* dest = buffer;
              llvm::Value* dest_bytes = I64(row_bytes);
              if (direct) {
                llvm::Value* out_bytes = I64(problem_.row.c * ElementBytes(type));
                dest = buffer ? b_.CreateSelect(is_whole, out, buffer) : out;
                dest_bytes =
                    buffer ? b_.CreateSelect(is_whole, out_bytes, dest_bytes) : out_bytes;
              }
              if (initial) {
                IrValues sums;
                LoadInitialSums(shape, initial, sums);
                for (int i = 0; i < rows * vectors; ++i)
                  StoreElements(
                      b_, Accumulator(sums, i),
                      OffsetPointer(b_, OffsetPointer(b_, dest, dest_bytes, i / vectors),
                                    i % vectors * plan_.lanes, part_bytes),
                      plan_.lanes, 1);
              }
              llvm::Value* first = blocked ? first_block : b_.getInt1(!initial);
              return EmitMatrixTile(shape, a, b_columns, ahead, q0, q1, dest, dest_bytes,
                                    first);
            }
            int count = rows * vectors;
            // The memory of accumulator (r, v) between blocks of sums.
            auto out_pointer = [&](int r, int v) {
              return OffsetPointer(b_, out, r * problem_.row.c + v * plan_.lanes,
                                   ElementBytes(type));
            };
            auto mask = [&](int v) { return v == vectors - 1 ? last_mask : nullptr; };
            auto buffer_pointer = [&](int r, int v) {
              return OffsetPointer(
                  b_, buffer, r * row_bytes + int64_t{v} * plan_.lanes * part_bytes, 1);
            };
            IrValues accumulators, clipped;
            TENON_RETURN_IF_ERROR(EmitClippedTaps(shape, b_columns, q0, q1, clipped));
            for (int i = 0; i < count; ++i) {
              ElementValue zero = clipped.empty() ? ZeroElements(b_, type, plan_.lanes)
                                                  : FromBits(clipped[i % vectors]);
              accumulators.push_back(zero.re);
              if (zero.im) accumulators.push_back(zero.im);
            }
            if (initial) LoadInitialSums(shape, initial, accumulators);
            TENON_RETURN_IF_ERROR(
                EmitMicroKernel(shape, a, b_columns, q0, q1, accumulators));
            auto store = [&](bool to_out) {
              for (int i = 0; i < count; ++i) {
                ElementValue value = Accumulator(accumulators, i);
                int r = i / vectors, v = i % vectors;
                if (to_out)
                  StoreElements(b_, value, out_pointer(r, v), plan_.lanes, 1, mask(v));
                else
                  StorePlanar(b_, value, buffer_pointer(r, v), plan_.lanes, plane_bytes);
              }
              return OkStatus();
            };
            auto add_previous = [&](bool from_out) {
              for (int i = 0; i < count; ++i) {
                int r = i / vectors, v = i % vectors;
                ElementValue previous = from_out
                                            ? LoadElements(b_, type, out_pointer(r, v),
                                                           plan_.lanes, 1, mask(v))
                                            : LoadPlanar(b_, type, buffer_pointer(r, v),
                                                         plan_.lanes, plane_bytes);
                ElementValue sum =
                    AddElements(b_, Accumulator(accumulators, i), previous);
                previous = sum;
                accumulators[i * parts] = sum.re;
                if (sum.im) accumulators[i * parts + 1] = sum.im;
              }
              return OkStatus();
            };
            auto finish = [&](bool to_out) -> Status {
              if (!blocked) return store(to_out);
              IrValues before = accumulators;
              return EmitIfElse(
                  b_, first_block, [&] { return store(to_out); },
                  [&]() -> Status {
                    TENON_RETURN_IF_ERROR(add_previous(to_out));
                    TENON_RETURN_IF_ERROR(store(to_out));
                    accumulators = before;
                    return OkStatus();
                  });
            };
            if (!direct) return finish(false);
            return EmitIfElse(
                b_, is_whole, [&] { return finish(true); },
                [&] { return finish(false); });
          };
          auto tile = [&](int rows) {
            // Shorter row tiles come last.
            bool full = rows == plan_.rows,
                 all_full = plan_.full_row_tiles == plan_.row_tiles;
            is_first_ = full ? b_.CreateICmpEQ(digits[1], I64(0)) : b_.getFalse();
            is_last_ = full && !all_full
                           ? b_.getFalse()
                           : b_.CreateICmpEQ(digits[1], I64(plan_.row_tiles - 1));
            llvm::SmallVector<llvm::Value**, 16> inputs = {
                &a, &b_columns, &q0, &q1, &out, &buffer, &is_whole, &first_block};
            if (ahead) inputs.push_back(&ahead);
            if (initial) inputs.push_back(&initial);
            if (plan_.streaming) inputs.push_back(&stream_ahead_);
            if (RowWindow(problem_)) inputs.append({&is_first_, &is_last_});
            for (Range& range : ranges_) inputs.append({&range.lower, &range.upper});
            return EmitOutlined(b_, "tile", inputs, [&] { return tile_body(rows); });
          };
          if (plan_.full_row_tiles == plan_.row_tiles) {
            TENON_RETURN_IF_ERROR(tile(plan_.rows));
          } else {
            TENON_RETURN_IF_ERROR(EmitIfElse(
                b_, b_.CreateICmpSLT(digits[1], I64(plan_.full_row_tiles)),
                [&] { return tile(plan_.rows); },
                [&] { return tile(plan_.short_rows); }));
          }
          if (always_direct || plan_.sum_slices > 1) return OkStatus();
          llvm::Value* rows = I64(plan_.rows);
          if (plan_.full_row_tiles != plan_.row_tiles)
            rows = b_.CreateSelect(b_.CreateICmpSLT(digits[1], I64(plan_.full_row_tiles)),
                                   rows, I64(plan_.short_rows));
          llvm::Value* here = block.is_last;
          if (direct) here = b_.CreateAnd(here, b_.CreateNot(is_whole));
          return EmitIfElse(b_, here, [&] {
            return EmitStoreTile(at, column_tile, buffer, row_bytes, rows);
          });
        });
      });
}

}  // namespace tenon::codegen
