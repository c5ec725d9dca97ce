// The compute stage: loops over column tiles and row tiles around the micro-kernel.
#include "llvm/ADT/STLExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

Status ContractionEmitter::EmitCompute(llvm::Value* chunk) {
  chunk_ = chunk;
  int64_t batches = BatchCount(problem_);
  int64_t strips = OuterCount(problem_) * plan_.strips;
  int64_t batch_blocks = CeilDiv(batches, plan_.chunk_batches);
  int64_t panel_blocks = CeilDiv(plan_.panels, plan_.chunk_panels);
  int64_t strip_blocks = CeilDiv(strips, plan_.chunk_strips);
  llvm::SmallVector<int64_t, 4> counts = {batch_blocks, plan_.sum_slices, panel_blocks,
                                          strip_blocks};
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
  auto [panel0, panel1] = range(digits[2], plan_.chunk_panels, plan_.panels);
  auto [strip0, strip1] = range(digits[3], plan_.chunk_strips, strips);
  if (batch_blocks == 1) batch0 = I64(0), batch1 = I64(batches);
  if (panel_blocks == 1) panel0 = I64(0), panel1 = I64(plan_.panels);
  if (strip_blocks == 1) strip0 = I64(0), strip1 = I64(strips);
  panel0_ = panel0, panel1_ = panel1;
  llvm::Value* slice = plan_.sum_slices == 1 ? I64(0) : digits[1];
  int64_t sums = problem_.sum.front().size;
  llvm::Value* q_low = MulI(b_, slice, plan_.slice_size);
  llvm::Value* q_high = I64(sums);
  if (plan_.sum_slices > 1)
    q_high = MinI(b_, AddI(b_, q_low, plan_.slice_size), I64(sums));

  // If operands are read in place, a partial last column tile has its own code, because
  // lanes past the end must not be accessed.
  int64_t whole_panels = problem_.lane.size / PanelWidth();
  bool edge_body = (plan_.b_storage == Storage::kDirect || problem_.lane.a != 0) &&
                   whole_panels < plan_.panels;
  int64_t rest = problem_.lane.size - whole_panels * PanelWidth();
  int rest_vectors = static_cast<int>(CeilDiv(rest, plan_.lanes));
  llvm::Value* rest_mask =
      LaneMask(b_, I64(rest - int64_t{rest_vectors - 1} * plan_.lanes), plan_.lanes);

  if (plan_.multiply_matrices) ConfigureRegisters(plan_.rows, plan_.vectors);
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, batch0, batch1, 1, [&](llvm::Value* batch) -> Status {
        Position at_batch = Start(problem_);
        AdvanceAll(at_batch, llvm::ArrayRef<OutDim>(problem_.batch), batch);
        auto pack = [&](llvm::Value* panel) -> Status {
          TENON_RETURN_IF_ERROR(EmitPackB(batch, panel));
          if (!plan_.zero_products) return OkStatus();
          return EmitPanelZeroProducts(batch, panel);
        };
        if (plan_.private_b && !plan_.panel_at_a_time && !plan_.pack_blocks)
          TENON_RETURN_IF_ERROR(EmitLoop(b_, panel0, panel1, 1, pack));
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
        if (plan_.panel_blocks) {
          return EmitLoop(b_, panel0, panel1, 1, [&](llvm::Value* panel) -> Status {
            if (plan_.panel_at_a_time) TENON_RETURN_IF_ERROR(pack(panel));
            return each_block([&](const SumBlock& block) {
              return EmitStrips(at_batch, batch, panel, slice, strip0, strip1, block,
                                plan_.vectors, nullptr, /*clipped=*/false);
            });
          });
        }
        return each_block([&](const SumBlock& block) -> Status {
          if (plan_.pack_blocks)
            TENON_RETURN_IF_ERROR(
                EmitPackBlock(batch, panel0, panel1, block.lower, block.upper));
          auto tiles = [&](llvm::Value* first_strip, llvm::Value* last_strip) {
            auto strips_of = [&](llvm::Value* panel, int vectors, llvm::Value* mask) {
              return EmitStrips(at_batch, batch, panel, slice, first_strip, last_strip,
                                block, vectors, mask, edge_body);
            };
            return EmitLoop(b_, panel0, panel1, 1, [&](llvm::Value* panel) -> Status {
              if (plan_.panel_at_a_time) TENON_RETURN_IF_ERROR(pack(panel));
              if (!edge_body) return strips_of(panel, plan_.vectors, nullptr);
              llvm::Value* whole = whole_panels == 0
                                       ? b_.getFalse()
                                       : b_.CreateICmpSLT(panel, I64(whole_panels));
              return EmitIfElse(
                  b_, whole, [&] { return strips_of(panel, plan_.vectors, nullptr); },
                  [&] { return strips_of(panel, rest_vectors, rest_mask); });
            });
          };
          if (!plan_.taps || plan_.panel_at_a_time) return tiles(strip0, strip1);
          // All column tiles of a row tile come first, because the vectors of a pixel are
          // adjacent in memory.
          return EmitLoop(b_, strip0, strip1, 1, [&](llvm::Value* strip) {
            return tiles(strip, AddI(b_, strip, 1));
          });
        });
      }));
  if (plan_.multiply_matrices) plan_.target.matrix_unit.release(b_);
  return OkStatus();
}

Status ContractionEmitter::EmitStrips(const Position& at_batch, llvm::Value* batch,
                                      llvm::Value* panel, llvm::Value* slice,
                                      llvm::Value* first_strip, llvm::Value* last_strip,
                                      const SumBlock& block, int vectors,
                                      llvm::Value* last_mask, bool clipped) {
  ElementType type = problem_.accumulate;
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = PanelWidth() * part_bytes;
  int parts = NumParts(type);
  int64_t outers = OuterCount(problem_);
  llvm::Value* column = MulI(b_, panel, PanelWidth());
  Position at_panel = at_batch;
  Advance(at_panel, problem_.lane, column);
  llvm::Value* b_panel = Opaque(
      b_, plan_.b_storage == Storage::kPanels
              ? PackedPanel(batch, panel)
              : OffsetPointer(b_, b_tile_, at_panel.b, ElementBytes(problem_.b_type)));

  llvm::Value *q0 = block.lower, *q1 = block.upper, *first_block = block.is_first;
  bool direct = DirectStore() && !plan_.panel_blocks;
  // Whole tiles are stored directly to the output, the partial one through a buffer.
  bool partial_panel = !clipped && problem_.lane.size % PanelWidth() != 0;
  llvm::Value* is_whole =
      partial_panel && direct
          ? b_.CreateICmpSLT(panel, I64(problem_.lane.size / PanelWidth()))
          : b_.getTrue();
  if (partial_panel && direct && problem_.lane.size < PanelWidth())
    is_whole = b_.getFalse();
  bool constant_whole = llvm::isa<llvm::ConstantInt>(is_whole);
  bool blocked = plan_.sum_block < plan_.slice_size;
  bool partial_sums = plan_.sum_slices > 1 ||
                      (blocked && !plan_.panel_blocks && (!direct || partial_panel));
  bool always_direct =
      direct && constant_whole && llvm::cast<llvm::ConstantInt>(is_whole)->isOne();

  return EmitLoop(b_, first_strip, last_strip, 1, [&](llvm::Value* index) -> Status {
    IrValues digits = Digits(b_, index, {outers, plan_.strips});
    Position at = at_panel;
    llvm::Value* a_offset = nullptr;
    llvm::SmallVector<int64_t> outer_sizes;
    for (const OutDim& dim : problem_.outer) outer_sizes.push_back(dim.size);
    IrValues outer = Digits(b_, digits[0], outer_sizes);
    for (auto [dim, outer_index] : llvm::zip_equal(problem_.outer, outer))
      Advance(at, dim, outer_index);
    FindRanges(at, outer);
    llvm::Value* row0 = StripStart(digits[1]);
    if (plan_.a_storage == Storage::kPanels) {
      llvm::Value* flat =
          AddI(b_, MulI(b_, AddI(b_, MulI(b_, batch, outers), digits[0]), plan_.strips),
               digits[1]);
      a_offset = MulI(b_, flat, plan_.strip_a);
    }
    AdvanceRow(at, row0);
    if (!a_offset) a_offset = at.a;
    llvm::Value* initial =
        plan_.zero_products ? Opaque(b_, ZeroTable(ClassOf(at), at.zero)) : nullptr;
    // Not all phases have the last index of the dimensions in which a tile has one index.
    llvm::Value* exists = b_.getTrue();
    for (const Polyphase& phases : problem_.polyphases)
      if (phases.uneven() && UnevenPhases(problem_.row) != &phases &&
          UnevenPhases(problem_.lane) != &phases)
        exists = b_.CreateAnd(
            exists, b_.CreateICmpSLT(at.c_site[phases.site], I64(phases.output)));
    return EmitIfElse(b_, exists, [&]() -> Status {
      llvm::Value* a =
          Opaque(b_, OffsetPointer(b_, a_tile_, a_offset, ElementBytes(problem_.a_type)));
      llvm::Value* out =
          direct ? Opaque(b_, OffsetPointer(b_, out_, at.c, ElementBytes(type)))
                 : nullptr;

      llvm::Value* buffer = nullptr;
      int64_t row_bytes = plane_bytes * parts;
      if (partial_sums) {
        row_bytes = PartialRowBytes();
        llvm::Value* row = AddI(
            b_, MulI(b_, AddI(b_, MulI(b_, batch, outers), digits[0]), problem_.row.size),
            row0);
        buffer = Opaque(b_, PartialRow(slice, row, panel));
      } else if (!always_direct) {
        int64_t tile_bytes = plan_.rows * row_bytes;
        int64_t tiles = plan_.panel_blocks ? plan_.chunk_strips : 1;
        if (!tile_buffer_) tile_buffer_ = EntryAlloca(b_, tiles * tile_bytes);
        buffer = tile_buffer_;
        if (plan_.panel_blocks)
          buffer = Opaque(b_, OffsetPointer(b_, buffer, b_.CreateSub(index, first_strip),
                                            tile_bytes));
      }

      if (plan_.streaming) {
        // Prefetches ahead by memory's latency. After the chunk's last column tile follow
        // the first ones of the next rows.
        constexpr int64_t kAhead = 512;
        int64_t bytes = ElementBytes(problem_.b_type), width = PanelWidth() * bytes;
        int64_t distance = CeilDiv(kAhead, width);
        llvm::Value* wrapped =
            MulI(b_, b_.CreateSub(I64(distance), b_.CreateSub(panel1_, panel0_)), width);
        wrapped = AddI(b_, wrapped, plan_.sum_block * problem_.sum.front().b * bytes);
        stream_ahead_ =
            b_.CreateSelect(b_.CreateICmpSLT(AddI(b_, panel, distance), panel1_),
                            I64(distance * width), wrapped);
      }
      llvm::Value* ahead = nullptr;
      if (plan_.panel_blocks && !plan_.panel_at_a_time) {
        // The blocks of a micro-panel, and the micro-panels, are adjacent in memory.
        int64_t piece = AheadBytes() * (plan_.sum_block / plan_.matrix_step);
        ahead = OffsetPointer(b_, b_panel, MulI(b_, q1, problem_.sum.front().b),
                              ElementBytes(problem_.b_type));
        ahead =
            Opaque(b_, OffsetPointer(b_, ahead, b_.CreateSub(index, first_strip), piece));
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
          return EmitMatrixTile(shape, a, b_panel, ahead, q0, q1, dest, dest_bytes,
                                first);
        }
        int count = rows * vectors;
        // Where part `part` of accumulator (r, v) is kept between blocks of sums.
        auto out_pointer = [&](int r, int v) {
          return OffsetPointer(b_, out, r * problem_.row.c + v * plan_.lanes,
                               ElementBytes(type));
        };
        auto mask = [&](int v) { return v == vectors - 1 ? last_mask : nullptr; };
        auto buffer_pointer = [&](int r, int v) {
          return OffsetPointer(b_, buffer,
                               r * row_bytes + int64_t{v} * plan_.lanes * part_bytes, 1);
        };
        IrValues accumulators, clipped;
        TENON_RETURN_IF_ERROR(EmitClippedTaps(shape, b_panel, q0, q1, clipped));
        for (int i = 0; i < count; ++i) {
          ElementValue zero = clipped.empty() ? ZeroElements(b_, type, plan_.lanes)
                                              : FromBits(clipped[i % vectors]);
          accumulators.push_back(zero.re);
          if (zero.im) accumulators.push_back(zero.im);
        }
        if (initial) LoadInitialSums(shape, initial, accumulators);
        TENON_RETURN_IF_ERROR(EmitMicroKernel(shape, a, b_panel, q0, q1, accumulators));
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
            ElementValue previous = from_out ? LoadElements(b_, type, out_pointer(r, v),
                                                            plan_.lanes, 1, mask(v))
                                             : LoadPlanar(b_, type, buffer_pointer(r, v),
                                                          plan_.lanes, plane_bytes);
            ElementValue sum = AddElements(b_, Accumulator(accumulators, i), previous);
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
            b_, is_whole, [&] { return finish(true); }, [&] { return finish(false); });
      };
      auto tile = [&](int rows) {
        // Shorter row tiles come last.
        bool full = rows == plan_.rows, all_full = plan_.full_strips == plan_.strips;
        is_first_ = full ? b_.CreateICmpEQ(digits[1], I64(0)) : b_.getFalse();
        is_last_ = full && !all_full ? b_.getFalse()
                                     : b_.CreateICmpEQ(digits[1], I64(plan_.strips - 1));
        llvm::SmallVector<llvm::Value**, 16> inputs = {
            &a, &b_panel, &q0, &q1, &out, &buffer, &is_whole, &first_block};
        if (ahead) inputs.push_back(&ahead);
        if (initial) inputs.push_back(&initial);
        if (plan_.streaming) inputs.push_back(&stream_ahead_);
        if (RowWindow(problem_)) inputs.append({&is_first_, &is_last_});
        for (Range& range : ranges_) inputs.append({&range.lower, &range.upper});
        return EmitOutlined(b_, "tile", inputs, [&] { return tile_body(rows); });
      };
      if (plan_.full_strips == plan_.strips) {
        TENON_RETURN_IF_ERROR(tile(plan_.rows));
      } else {
        TENON_RETURN_IF_ERROR(EmitIfElse(
            b_, b_.CreateICmpSLT(digits[1], I64(plan_.full_strips)),
            [&] { return tile(plan_.rows); }, [&] { return tile(plan_.short_rows); }));
      }
      if (always_direct || plan_.sum_slices > 1) return OkStatus();
      llvm::Value* rows = I64(plan_.rows);
      if (plan_.full_strips != plan_.strips)
        rows = b_.CreateSelect(b_.CreateICmpSLT(digits[1], I64(plan_.full_strips)), rows,
                               I64(plan_.short_rows));
      llvm::Value* here = block.is_last;
      if (direct) here = b_.CreateAnd(here, b_.CreateNot(is_whole));
      return EmitIfElse(
          b_, here, [&] { return EmitStoreTile(at, panel, buffer, row_bytes, rows); });
    });
  });
}

}  // namespace tenon::codegen
