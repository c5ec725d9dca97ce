// Cuts a product's work into k blocks, chunks for the compute team, and phases.
#include "tenon/compiler/plan/tile_planner.h"

namespace tenon::compiler {
namespace {

// The piece size that divides `count` items into at most `pieces` nearly equal pieces.
// Prefers fewer, larger pieces (down to half as many, and at least two) if the last piece
// is then fuller.
int64_t EvenPiece(int64_t count, int64_t pieces) {
  int64_t min_size = CeilDiv(count, pieces);
  int64_t max_size = pieces == 1 ? count : std::min(2 * min_size, CeilDiv(count, 2));
  auto cost = [&](int64_t size) {
    double lost = double(CeilDiv(count, size) * size - count) / count;
    return lost + 0.1 * (size - min_size) / min_size;
  };
  int64_t best = min_size;
  for (int64_t size = min_size + 1; size <= max_size; ++size)
    if (cost(size) < cost(best)) best = size;
  return best;
}

// From this many second-level caches on, b comes from memory. Smaller ones may stay in
// the third level, where reading in columns is faster: contract_benchmark, "f32 16x...".
constexpr int64_t kMinMemoryCaches = 12;

// Up to so many row tiles take less time than reading b.
constexpr int64_t kFewRowTiles = 2;

bool IsFloatMath(ElementType type) { return IsFloat(type) || IsComplex(type); }

}  // namespace

double TilePlanner::ComputeNs() const {
  const CostModel& cost = target_.cost;
  double per_cycle = cost.vector_products_per_cycle * target_.vector_bits /
                     (8 * PartBytes(source_.accumulate));
  if (plan_->k_group_size > 1)
    per_cycle *= plan_->k_group_product.rate;
  else if (!IsFloatMath(source_.accumulate))
    per_cycle /= 2;
  if (IsComplex(source_.accumulate)) per_cycle /= 4;
  double lanes = plan_->lanes;
  double fill = source_.lane.size / (lanes * CeilDiv(source_.lane.size, plan_->lanes));
  double compute = MultiplyAdds() / (per_cycle * std::max(fill, 0.05) * 0.85);
  double bytes = 0;
  if (!source_.b_in_place)
    bytes += double(source_.lane.size) * KCount(source_) * BatchCount(source_) *
             ElementBytes(source_.b_type);
  if (!source_.a_in_place)
    bytes += double(RowsTotal()) * KCount(source_) * ElementBytes(source_.a_type);
  double memory = bytes / cost.operand_bytes_per_cycle;
  return (std::max(compute, memory) + RowsTotal() * source_.lane.size / lanes) /
             cost.gigahertz +
         50;
}

// Whether each tile would read both operands from end to end: windows with few positions
// in a large operand, as in the gradient with respect to a filter.
bool TilePlanner::HasLongWindows() const {
  const Contraction& problem = plan_->problem;
  int64_t operands =
      (problem.row.size + problem.lane.size) * KCount(problem) * acc_bytes_;
  // An input that stays in the second-level cache is read there by every tile, and so is
  // a micro-panel.
  int64_t input = RowsTotal() * KCount(problem);
  if (problem.a_elements > 0) input = std::min(input, problem.a_elements);
  bool cached = plan_->b_storage == OperandStorage::kMicroPanels &&
                input * acc_bytes_ <= target_.l2_bytes / 2;
  return problem.a_in_place && !problem.one_thread && BatchCount(problem) == 1 &&
         problem.lane.a == 0 && OuterCount(problem) > 1 && operands >= target_.l2_bytes &&
         !cached;
}

// The number of slices of k whose parts of both operands stay in the second-level cache
// and contribute to all results. Only for few results, because each slice keeps all of
// them.
int64_t TilePlanner::CacheSlices() const {
  const Contraction& problem = plan_->problem;
  // Long slices are cut into blocks that fit the cache. With more results a slice must be
  // longer, because its partial sums reach memory.
  if (SumsRows())
    return HasFewResults() ? std::clamp<int64_t>(KCount(problem) / 256, 2, 16)
                           : std::clamp<int64_t>(KCount(problem) / 2048, 1, 8);
  int64_t outputs = RowsTotal() * problem.lane.size * acc_bytes_;
  int64_t operands =
      (problem.row.size + problem.lane.size) * KCount(problem) * acc_bytes_;
  if (!long_windows_ || outputs > target_.l2_bytes / 4) return 1;
  int64_t slices = std::max<int64_t>(CeilDiv(operands, target_.l2_bytes / 2), 16);
  return std::min(slices, problem.k_dims.front().size);
}

// Whether few rows use a b with short rows that does not fit the cache. Slices of k of it
// are contiguous; pieces of its rows are not. Rows of 2 KiB that come from memory are
// read in pieces as fast.
bool TilePlanner::IsNarrow() const {
  constexpr int64_t kShortRow = 2048, kShortRowInMemory = 1024;
  const Contraction& problem = plan_->problem;
  int64_t row_bytes = problem.lane.size * acc_bytes_;
  int64_t b_bytes = row_bytes * problem.k_dims.front().size;
  bool from_memory = b_bytes > kMinMemoryCaches * target_.l2_bytes;
  return plan_->b_storage == OperandStorage::kDirect && problem.k_dims.size() == 1 &&
         problem.lane.a == 0 && BatchCount(problem) == 1 &&
         OuterCount(problem) * plan_->row_tiles <= kFewRowTiles &&
         row_bytes <= (from_memory ? kShortRowInMemory : kShortRow) &&
         b_bytes > target_.l2_bytes;
}

// Cuts k into parallel slices if the output is too small to occupy a team, or if slices
// stay in the cache.
void TilePlanner::ChooseKSlices() {
  constexpr int64_t kFewTiles = 16, kNarrowSlices = 4;
  const Contraction& problem = plan_->problem;
  int64_t outermost = problem.k_dims.front().size;
  int64_t tiles =
      BatchCount(problem) * OuterCount(problem) * plan_->row_tiles * plan_->column_tiles;
  double ns = ComputeNs();
  if (!problem.one_thread && (tiles < kFewTiles || IsNarrow()) &&
      ns > target_.cost.min_sliced_product_ns && outermost >= 16) {
    // Operands that come from memory are read once: one thread computes a whole slice
    // that fits the cache.
    int64_t outputs = RowsTotal() * problem.lane.size;
    int64_t operands = (RowsTotal() + problem.lane.size) * KCount(problem);
    int64_t max_slices = tiles < kFewTiles ? CeilDiv(kFewTiles, tiles) : kNarrowSlices;
    if (operands * acc_bytes_ > 2 * target_.l2_bytes && 64 * outputs < operands) {
      max_slices =
          std::clamp<int64_t>(operands * acc_bytes_ / (target_.l2_bytes / 2), 16, 64);
      plan_->whole_slices = true;
    }
    int64_t slices =
        std::clamp<int64_t>(ns / target_.cost.product_slice_ns, 2, max_slices);
    plan_->slice_size = AlignUp(CeilDiv(outermost, slices), KAlignment());
    plan_->k_slices = CeilDiv(outermost, plan_->slice_size);
  } else if (int64_t slices = CacheSlices(); slices > 1) {
    plan_->slice_size = CeilDiv(outermost, slices);
    plan_->k_slices = CeilDiv(outermost, plan_->slice_size);
    plan_->whole_slices = true;
  }
}

// Chooses k blocks that each chunk packs on its own. If few rows use a large b, packing b
// takes as long as multiplying. Its rows are read in long pieces, and each chunk packs
// what fits the cache. `row_bytes` is the size of a micro-panel per index of the
// outermost k dimension. Returns false if such blocks do not pay.
bool TilePlanner::ChoosePackedBlocks(int64_t row_bytes) {
  const Contraction& problem = plan_->problem;
  if (SumsRows()) {
    if (HasFewResults()) return false;
    // A micro-panel of so many k indices and the lines of a stay in the first-level
    // cache.
    constexpr int64_t kBlock = 64, kBlockColumns = 128;
    plan_->pack_blocks = true;
    plan_->chunk_column_tiles = CeilDiv(kBlockColumns, TileWidth());
    plan_->k_block = std::min(kBlock, plan_->slice_size);
    return true;
  }
  constexpr int64_t kMaxPackRows = 192, kColumns = 256;
  if (plan_->b_storage != OperandStorage::kMicroPanels || !PacksAcross(/*is_a=*/false) ||
      plan_->k_slices != 1 || RowsTotal() / BatchCount(problem) > kMaxPackRows ||
      problem.lane.size < 4 * kColumns ||
      problem.lane.size * KCount(problem) * acc_bytes_ <= 2 * target_.l2_bytes)
    return false;
  plan_->pack_blocks = true;
  plan_->chunk_column_tiles = CeilDiv(kColumns, TileWidth());
  int64_t fitting = target_.l2_bytes / 2 / (plan_->chunk_column_tiles * row_bytes);
  int64_t alignment = KAlignment();
  plan_->k_block =
      std::clamp<int64_t>(AlignUp(fitting, alignment), alignment, plan_->slice_size);
  return true;
}

// Chooses k blocks that stay in a cache. `row_bytes` is the size of a micro-panel of b
// per index of the outermost k dimension, which has `inner` k indices.
void TilePlanner::ChooseCachedBlocks(int64_t row_bytes, int64_t inner) {
  const Contraction& problem = plan_->problem;
  // A micro-panel of b stays in the second-level cache. With slices, the slice's parts of
  // a and b stay there instead.
  if (plan_->k_slices > 1)
    row_bytes =
        std::max(row_bytes, (RowsTotal() + problem.lane.size) * acc_bytes_ * inner);
  // With long windows all rows of a stay there, too; their strides may double the space
  // that they need.
  else if (long_windows_)
    row_bytes = std::max(row_bytes,
                         (2 * problem.row.size + problem.lane.size) * acc_bytes_ * inner);
  int64_t block = std::max<int64_t>(target_.l2_bytes / 4 / row_bytes, 1);
  // Tiles of 16 registers read a block so often that half of one is faster, but not than
  // no blocks.
  if (target_.vector_registers < 32 && block < plan_->slice_size)
    block = std::max<int64_t>(block / 2, 1);
  // The matrix unit consumes more bytes per cycle than the second level delivers. A block
  // of a micro-panel therefore stays in a third of the first level, while the rows of
  // each row tile pass through the rest.
  if (plan_->multiply_matrices && problem.k_dims.size() == 1 && plan_->k_slices == 1) {
    int64_t l1_block =
        AlignUp(std::max<int64_t>(target_.l1_bytes / 3 / row_bytes, 1), KAlignment());
    plan_->column_tile_outer = plan_->slice_size >= 2 * l1_block;
    if (plan_->column_tile_outer) block = l1_block;
  }
  if (block >= plan_->slice_size) return;
  plan_->k_block = CeilDiv(plan_->slice_size, CeilDiv(plan_->slice_size, block));
  plan_->k_block = std::min(AlignUp(plan_->k_block, KAlignment()), plan_->slice_size);
}

// How many rows of a streamed b are read at a time. All row tiles write their results for
// each block, so with several row tiles small blocks pay only if b comes from memory.
int64_t TilePlanner::StreamBlock(int64_t row_tiles, int64_t b_bytes) const {
  if (row_tiles == 1) return 16;
  if (b_bytes <= kMinMemoryCaches * target_.l2_bytes) return 512;
  return row_tiles == 2 ? 16 : 32;
}

// Cuts k into parallel slices (split-k), and those into blocks.
void TilePlanner::ChooseKBlocks() {
  const Contraction& problem = plan_->problem;
  int64_t outermost = problem.k_dims.front().size;
  int64_t inner = KCount(problem) / std::max<int64_t>(outermost, 1);
  plan_->slice_size = plan_->k_block = std::max<int64_t>(outermost, 1);
  // The taps of a phase are not consecutive.
  if (KCount(problem) == 0 || !problem.polyphases.empty()) return;

  long_windows_ = HasLongWindows();
  // Results that do not fit the cache are not accumulated block by block.
  if (RowsTotal() * problem.lane.size * acc_bytes_ > target_.l2_bytes)
    long_windows_ = false;
  ChooseKSlices();
  plan_->k_block = plan_->slice_size;

  int64_t row_bytes = TileWidth() * acc_bytes_ * inner;
  if (ChoosePackedBlocks(row_bytes)) return;
  int64_t all_row_tiles = plan_->row_tiles * OuterCount(problem);
  int64_t b_bytes = plan_->slice_size * problem.lane.size * acc_bytes_;
  if (all_row_tiles <= (b_bytes > kMinMemoryCaches * target_.l2_bytes ? 4 : 2) &&
      plan_->b_storage == OperandStorage::kDirect && plan_->column_tiles > 1 &&
      problem.k_dims.size() == 1 && b_bytes > target_.l2_bytes / 2) {
    // b is read once, a few whole rows at a time.
    plan_->k_block = std::min(StreamBlock(all_row_tiles, b_bytes), plan_->slice_size);
    plan_->streaming = true;
  } else {
    ChooseCachedBlocks(row_bytes, inner);
  }
}

// The number of chunks wanted.
int64_t TilePlanner::WantedChunks(double ns) const {
  if (plan_->whole_slices) return CeilDiv(8, plan_->k_slices);
  const CostModel& cost = target_.cost;
  int64_t wanted = 1;
  if (ns >= cost.large_product_ns)
    wanted = std::clamp<int64_t>(ns / cost.large_product_chunk_ns, 16, 256);
  else if (ns >= cost.product_chunk_ns)
    wanted = std::clamp<int64_t>(ns / cost.product_chunk_ns, 2, 16);
  if (plan_->problem.one_thread) wanted = 1;
  return CeilDiv(wanted, plan_->k_slices);
}

// Cuts a b that is read once, by streaming, into `chunks` pieces of its rows.
void TilePlanner::ChunkStream(int64_t chunks) {
  // Wide pieces of rows, for the hardware prefetcher, but four of them if they have 64
  // columns or more. More row tiles compute for longer than b is read, so more threads
  // can share them.
  int64_t columns = plan_->row_tiles * OuterCount(plan_->problem) <= kFewRowTiles
                        ? std::clamp<int64_t>(plan_->problem.lane.size / 4, 64, 1024)
                        : 256;
  int64_t min_tiles = CeilDiv(columns, plan_->vectors * plan_->lanes);
  plan_->chunk_column_tiles = std::clamp<int64_t>(CeilDiv(plan_->column_tiles, chunks),
                                                  min_tiles, plan_->column_tiles);
  // Three pieces would give one of two threads twice the work of the other.
  int64_t pieces = CeilDiv(plan_->column_tiles, plan_->chunk_column_tiles);
  if (pieces > 2)
    plan_->chunk_column_tiles = CeilDiv(plan_->column_tiles, AlignUp(pieces, 4));
}

// Cuts the columns of a packed b: each chunk packs its own micro-panels. There are no
// more chunks than the cache has room for, and a chunk covers two cache lines of a row of
// b, which the hardware fetches together.
void TilePlanner::ChunkPackedColumns(int64_t chunks) {
  chunks = std::min<int64_t>(chunks, 32);
  const Contraction& packed = plan_->pack_k_groups_b ? plan_->elements : source_;
  int64_t micro_panel_bytes = plan_->vectors * plan_->lanes * ElementBytes(packed.b_type);
  plan_->chunk_column_tiles =
      std::max(plan_->column_tiles / chunks, CeilDiv(128, micro_panel_bytes));
}

// Cuts the rows first, but with no more of a per chunk than half the second-level cache.
void TilePlanner::ChunkRowsFirst(int64_t row_tiles, int64_t chunks) {
  const Contraction& problem = plan_->problem;
  bool matrices = plan_->multiply_matrices != nullptr;
  int64_t row_tile_bytes =
      plan_->rows * KCount(problem) * acc_bytes_ *
      std::min<int64_t>(plan_->k_block, problem.k_dims.front().size) /
      std::max<int64_t>(problem.k_dims.front().size, 1);
  int64_t fitting =
      std::max<int64_t>(target_.l2_bytes / 2 / std::max<int64_t>(row_tile_bytes, 1), 1);
  // About 56 rows per chunk, so that a micro-panel of b is used several times; 256 rows
  // where multiplying takes less time than reading a micro-panel.
  int64_t min_row_tiles = matrices ? 256 / plan_->rows : std::max(56 / plan_->rows, 4);
  int64_t row_chunks = std::min(
      row_tiles, std::max(CeilDiv(row_tiles, fitting),
                          std::min<int64_t>(chunks, CeilDiv(row_tiles, min_row_tiles))));
  int64_t column_chunks = std::min(plan_->column_tiles, CeilDiv(chunks, row_chunks));
  if (row_chunks * column_chunks < chunks)
    row_chunks = std::min(row_tiles, CeilDiv(chunks, column_chunks));
  // What consecutive chunks share stays in the cache. That is the rows of a if the
  // columns of b do not fit.
  int64_t column_bytes = plan_->vectors * plan_->lanes * KCount(problem) * acc_bytes_;
  bool wide =
      CeilDiv(plan_->column_tiles, column_chunks) * column_bytes > target_.l2_bytes / 2;
  // An input with overlapping windows is small: reading it again for each column tile
  // costs less than reading the micro-panels again for each piece of it.
  if (wide && source_.a_elements > 0)
    wide = source_.a_elements * column_chunks >
           source_.lane.size * KCount(problem) * row_chunks;
  if (wide && !matrices) {
    row_chunks = std::min(row_tiles, std::max(CeilDiv(row_tiles, fitting),
                                              CeilDiv(chunks, plan_->column_tiles)));
    column_chunks = std::min(plan_->column_tiles, CeilDiv(chunks, row_chunks));
  }
  plan_->rows_outer = wide || matrices;
  plan_->chunk_row_tiles = EvenPiece(row_tiles, row_chunks);
  plan_->chunk_column_tiles = CeilDiv(plan_->column_tiles, column_chunks);
}

void TilePlanner::ChooseChunks() {
  const Contraction& problem = plan_->problem;
  int64_t batches = BatchCount(problem);
  int64_t row_tiles = OuterCount(problem) * plan_->row_tiles;
  double ns = ComputeNs();
  int64_t wanted = WantedChunks(ns);
  plan_->chunk_batches = std::max<int64_t>(batches / wanted, 1);
  int64_t pack_column_tiles = plan_->chunk_column_tiles;
  plan_->chunk_column_tiles = plan_->column_tiles;
  plan_->chunk_row_tiles = row_tiles;
  int64_t batch_chunks = CeilDiv(batches, plan_->chunk_batches);
  int64_t per_batch = CeilDiv(wanted, batch_chunks);
  bool packed_b = plan_->b_storage == OperandStorage::kMicroPanels;
  // All rows of a stay in the second-level cache while the micro-panels of b pass.
  // Windows overlap; with more row tiles there would be too few chunks.
  constexpr int64_t kMaxWindowRowTiles = 16;
  int64_t a_elements = RowsTotal() / batches * KCount(problem);
  if (problem.a_elements > 0 && row_tiles <= kMaxWindowRowTiles)
    a_elements = std::min(a_elements, problem.a_elements);
  bool few_rows = a_elements * acc_bytes_ <= target_.l2_bytes / 2;
  bool small = plan_->multiply_matrices ? ns < 25e4 : ns < 5e5 || few_rows;

  if (plan_->pack_blocks) {
    plan_->chunk_column_tiles = pack_column_tiles;
    // Each chunk packs the same columns again. With more rows there are too few chunks.
    constexpr int64_t kBlockRows = 256;
    if (SumsRows())
      plan_->chunk_row_tiles = std::min(row_tiles, CeilDiv(kBlockRows, plan_->rows));
  } else if (plan_->dot) {
    plan_->chunk_column_tiles =
        CeilDiv(plan_->column_tiles, std::min(plan_->column_tiles, per_batch));
  } else if (long_windows_ && plan_->k_slices == 1) {
    // A k block is used for as many results as possible: whole column tiles, and few
    // chunks.
    int64_t chunks = std::min<int64_t>(per_batch, 16);
    plan_->chunk_column_tiles =
        CeilDiv(plan_->column_tiles, std::min(plan_->column_tiles, chunks));
    int64_t column_chunks = CeilDiv(plan_->column_tiles, plan_->chunk_column_tiles);
    plan_->chunk_row_tiles =
        EvenPiece(row_tiles, std::min(row_tiles, CeilDiv(chunks, column_chunks)));
  } else if (per_batch > 1 && plan_->streaming) {
    ChunkStream(per_batch);
  } else if (per_batch > 1 && packed_b && small &&
             plan_->column_tiles >= std::min<int64_t>(per_batch, 8)) {
    ChunkPackedColumns(per_batch);
  } else if (per_batch > 1) {
    ChunkRowsFirst(row_tiles, per_batch);
  }
  // The sums of a chunk's row tiles are kept on the stack. They must be few enough for
  // the stack, and enough that a block of the micro-panel is reused.
  if (plan_->column_tile_outer &&
      (plan_->chunk_row_tiles < 4 || plan_->chunk_row_tiles > 16)) {
    plan_->column_tile_outer = false;
    plan_->k_block = plan_->slice_size;
  }
  bool one_user =
      plan_->pack_blocks || (plan_->chunk_row_tiles >= row_tiles && plan_->k_slices == 1);
  plan_->private_b = packed_b && one_user && !source_.b_hook;
  plan_->micro_panel_at_a_time =
      plan_->private_b && !plan_->pack_blocks &&
      (plan_->column_tile_outer || plan_->k_block >= plan_->slice_size);
}

int64_t TilePlanner::ComputeChunks() const {
  const Contraction& problem = plan_->problem;
  return plan_->k_slices * CeilDiv(BatchCount(problem), plan_->chunk_batches) *
         CeilDiv(plan_->column_tiles, plan_->chunk_column_tiles) *
         CeilDiv(OuterCount(problem) * plan_->row_tiles, plan_->chunk_row_tiles);
}

// Reserves scratch for the micro-panels of b.
void TilePlanner::PlaceMicroPanels() {
  if (plan_->b_storage != OperandStorage::kMicroPanels) return;
  int64_t column_tiles = plan_->micro_panel_at_a_time
                             ? ComputeChunks()
                             : BatchCount(source_) * plan_->column_tiles;
  int64_t elements = column_tiles * b_micro_panel_elements_;
  if (plan_->pack_blocks)
    elements = ComputeChunks() * plan_->chunk_column_tiles * plan_->vectors *
               plan_->lanes * plan_->k_block;
  plan_->b_offset = ReserveScratch(elements * acc_bytes_);
}

// Reserves scratch for the table of zero products and for the bits that it is computed
// from, one row for each residue class.
void TilePlanner::PlaceZeroProducts() {
  plan_->zero_products =
      !source_.polyphases.empty() && HasZeroProducts(source_.accumulate);
  if (!plan_->zero_products) return;
  int64_t features = source_.lane.zero * source_.lane.size;
  features += source_.row.zero * source_.row.size;
  for (const OutDim& dim : source_.batch) features += dim.zero * dim.size;
  // A tile loads whole vectors.
  int64_t width = int64_t{plan_->vectors} * plan_->lanes;
  plan_->zero_row = features + width * std::max<int64_t>(source_.lane.zero, 1);
  plan_->zero_offset =
      ReserveScratch((2 * ResidueCount(source_) + 1) * plan_->zero_row * acc_bytes_);
}

void TilePlanner::MakePhases() {
  const Contraction& problem = plan_->problem;
  int64_t batches = BatchCount(problem), outers = OuterCount(problem);
  int64_t compute_chunks = ComputeChunks();
  TilePlan::Phase prepare, compute, reduce;
  // Groups of items that move about 16 Ki elements.
  auto stage = [](StageKind kind, int64_t items, int64_t elements) {
    Stage result{kind, items, 1};
    result.group = std::clamp<int64_t>(16384 / std::max<int64_t>(elements, 1), 1, items);
    return result;
  };
  int64_t k_count = KCount(source_);
  // Neighbouring row tiles share the cache lines at their border, which must stay in the
  // cache meanwhile. If rows are whole cache lines apart, those fall into few sets
  // (contract_benchmark, "512x512x2048 TN").
  constexpr int64_t kLine = 64;
  ElementType a_type = plan_->pack_k_groups_a ? plan_->elements.a_type : source_.a_type;
  bool cache_conflicts = source_.k_dims.back().a * ElementBytes(a_type) % kLine == 0;
  if (plan_->a_storage == OperandStorage::kMicroPanels && cache_conflicts &&
      !plan_->multiply_matrices && PacksAcross(/*is_a=*/true)) {
    plan_->pack_a_k_count = 16;
    int64_t blocks = CeilDiv(k_count, plan_->pack_a_k_count);
    prepare.stages.push_back(stage(StageKind::kPackA, batches * outers * blocks,
                                   source_.row.size * plan_->pack_a_k_count));
  } else if (plan_->a_storage == OperandStorage::kMicroPanels) {
    prepare.stages.push_back(stage(StageKind::kPackA, batches * outers * plan_->row_tiles,
                                   k_count * plan_->rows));
  } else if (plan_->a_storage == OperandStorage::kCopy) {
    prepare.stages.push_back(stage(StageKind::kPackA, copy_rows_, copy_row_size_));
  }
  if (plan_->b_storage == OperandStorage::kMicroPanels && !plan_->private_b)
    prepare.stages.push_back(stage(StageKind::kPackB, batches * plan_->column_tiles,
                                   k_count * plan_->vectors * plan_->lanes));
  // The stage that packs micro-panels also computes their zero products.
  if (plan_->zero_products &&
      !(source_.a_is_lhs && plan_->b_storage == OperandStorage::kMicroPanels)) {
    int64_t items = 1, elements = k_count;
    for (const OutDim& dim : source_.batch)
      if (dim.zero != 0) items *= dim.size;
    if (source_.a_is_lhs)
      items *= plan_->column_tiles, elements *= plan_->vectors * plan_->lanes;
    else
      items *= source_.row.size;
    prepare.stages.push_back(stage(StageKind::kZeroProducts, items, elements));
  }
  compute.stages.push_back({StageKind::kCompute, compute_chunks, 1});
  if (plan_->k_slices > 1)
    reduce.stages.push_back(
        stage(StageKind::kReduce, RowsTotal(), source_.lane.size * plan_->k_slices));

  if (const InputCopy* copy = plan_->input_copy.get()) {
    int64_t items = 1, elements = 1;
    for (size_t i = 0; i < copy->dims.size(); ++i)
      (i + 2 < copy->dims.size() ? items : elements) *= copy->dims[i].size;
    prepare.stages.push_back(stage(StageKind::kInputCopy, items, elements));
  }
  if (!prepare.stages.empty()) plan_->phases.push_back(prepare);
  plan_->phases.push_back(compute);
  if (!reduce.stages.empty()) plan_->phases.push_back(reduce);
  if (compute_chunks == 1) {
    // Too little work to share: one chunk does all of it.
    TilePlan::Phase all;
    all.merged = true;
    for (const TilePlan::Phase& phase : plan_->phases)
      all.stages.insert(all.stages.end(), phase.stages.begin(), phase.stages.end());
    plan_->phases = {all};
  }
}

}  // namespace tenon::compiler
