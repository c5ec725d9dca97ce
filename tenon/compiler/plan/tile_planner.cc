// Chooses tiles and storage. The measurements behind the constants are in
// docs/design/0006-products.md. The choice depends on the cost of packing, the order of
// elements in memory, and the number of loads.
#include "tenon/compiler/plan/tile_planner.h"

#include <cstdlib>
#include <numeric>

namespace tenon::compiler {
namespace {

// Merges consecutive k dimensions that are one dimension in both operands. Only the
// compute stage's dimensions are merged: load hooks, which run while packing, need the
// separate indices.
void MergeKDims(Contraction& problem, bool b_packed) {
  llvm::SmallVector<KDim, 4> merged;
  for (const KDim& dim : problem.k_dims) {
    bool special = dim.window || dim.polyphase >= 0;
    if (dim.size == 1 && !special && problem.k_dims.size() > 1) continue;
    bool joins = !merged.empty() && !special && !merged.back().window &&
                 merged.back().polyphase < 0 && merged.back().a == dim.a * dim.size &&
                 (b_packed || merged.back().b == dim.b * dim.size);
    if (joins) {
      merged.back() = {merged.back().size * dim.size, dim.a, dim.b, {}, {}};
    } else {
      merged.push_back(dim);
    }
  }
  if (merged.empty()) merged.push_back(problem.k_dims.back());
  problem.k_dims = merged;
}

}  // namespace

int MaxTileRows(int registers, int vectors) {
  return std::clamp((registers - 1 - vectors) / vectors, 1, 14);
}

int TilePlanner::RowLimit(int vectors) const {
  int parts = NumParts(source_.accumulate);
  int registers = target_.vector_registers;
  if (plan_->k_group_product.unsigned_x)
    registers -= vectors + 1;                  // for the correction of signs
  if (plan_->k_group_product.temporaries > 0)  // b's vectors take twice as many
    registers -= vectors + plan_->k_group_product.temporaries;
  if (source_.group > 1)  // vectors of a stay in registers, too
    return std::clamp((registers - 6 - vectors) / (2 * vectors), 1, 8);
  if (source_.lane.a != 0)  // vectors of a: one register for each in flight
    return std::clamp((registers - 2) / vectors - 1, 1, 8);
  return MaxTileRows(registers / parts, vectors);
}

// Divides the rows into tiles of equal size or one row less.
void TilePlanner::CutRows(int64_t row_tiles) {
  int64_t rows = source_.row.size;
  plan_->row_tiles = row_tiles;
  plan_->rows = static_cast<int>(CeilDiv(rows, row_tiles));
  plan_->short_rows = plan_->rows - 1;
  plan_->full_row_tiles = rows - row_tiles * plan_->short_rows;
}

// A tile of two by two registers of sums needs as many products as register loads. With
// few rows the tile has up to four columns, whose registers of b are loaded one after the
// other.
void TilePlanner::ChooseMatrixTile() {
  const MatrixUnit& unit = target_.matrix_unit;
  int64_t rows = source_.row.size;
  plan_->lanes = unit.columns;
  int64_t lane_vectors = CeilDiv(source_.lane.size, plan_->lanes);
  plan_->rows = static_cast<int>(std::min<int64_t>(rows, 2 * unit.rows));
  plan_->vectors =
      static_cast<int>(std::min<int64_t>(lane_vectors, plan_->rows <= unit.rows ? 4 : 2));
  plan_->row_tiles = CeilDiv(rows, plan_->rows);
  // Register sizes are set once for all full row tiles.
  plan_->full_row_tiles = rows / plan_->rows;
  plan_->short_rows = static_cast<int>(rows % plan_->rows);
  plan_->column_tiles = CeilDiv(lane_vectors, plan_->vectors);
}

// For vectors of both operands and narrow windows: a tile is one vector of several pixels
// of a row. The vectors of b for all taps stay in registers. An element of a is loaded
// once per row of the window, or broadcast to the lanes of its group once.
bool TilePlanner::ChooseTapsTile() {
  if (source_.lane.a == 0 || IsComplex(source_.accumulate)) return false;
  const KDim* taps = nullptr;
  for (const KDim& dim : source_.k_dims)
    if (dim.size > 1 || dim.window || dim.polyphase >= 0) taps = &dim;
  if (!taps || taps->polyphase >= 0 || (taps->window && taps->window->outer >= 0))
    return false;
  // The taps' code handles padding along their own dimension only.
  if (const KDim* bordered = RowWindow(source_); bordered && bordered != taps)
    return false;
  int64_t columns = taps->size * source_.group;
  if (2 * columns > target_.vector_registers) return false;
  int64_t limit = std::min<int64_t>(target_.vector_registers - columns - 3, 16);
  int64_t rows = source_.row.size;
  plan_->taps = true;
  plan_->lanes = VectorLanes();
  plan_->vectors = 1;
  CutRows(CeilDiv(rows, limit));
  plan_->column_tiles = CeilDiv(source_.lane.size, plan_->lanes);
  return true;
}

// Whether the costs that were measured with 16 registers apply
// (docs/design/0006-products.md). They are those of real numbers: a complex sum is two
// chains of two instructions each, so fewer sums hide the latency.
bool TilePlanner::HasFewRegisters() const {
  return target_.vector_registers < 32 && !IsComplex(source_.accumulate);
}

// The cost of a register tile, in vector multiply-adds.
double TilePlanner::TileCost(int64_t rows, int64_t vectors) const {
  double k_count = std::max<int64_t>(KCount(source_), 1);
  int64_t column_bytes = KCount(source_) * plan_->lanes * acc_bytes_;
  int64_t b_bytes = column_bytes * CeilDiv(source_.lane.size, plan_->lanes);
  bool in_place = plan_->b_storage == OperandStorage::kDirect;
  double work = double(rows) * vectors / plan_->k_group_product.rate;
  // Correcting for unsigned k-groups takes one more instruction per vector.
  double step = plan_->k_group_product.unsigned_x ? work + vectors : work;
  // Processors load at most as many vectors per cycle as they multiply, so a tile of one
  // vector would be bound by the loads of a's elements. Fewer loads gain a little beyond
  // that, too.
  double loads = rows + vectors;
  bool few_registers = HasFewRegisters();
  // Rows of a that do not stay in the first-level cache are separate streams.
  bool rows_far = rows * k_count * acc_bytes_ + column_bytes * vectors > target_.l1_bytes;
  double rest = 0.1 * (loads + rows_far * rows);
  if (few_registers) {
    // Fewer sums do not hide the latency of multiply-adds. More than three vectors of b
    // in a step arrive late, from whatever cache.
    constexpr double kLatency = 8, kVector = 2.6;
    double sums = work * UnrolledSets(rows * vectors, vectors);
    if (sums < kLatency) step *= kLatency / sums;
    step = std::max(step + 0.1 * vectors, kVector * vectors);
    rest = 0.02 * loads + 0.05 * rows_far * rows;
  }
  if (in_place && few_registers && source_.lane.a == 0 &&
      b_bytes > target_.l2_bytes / 2) {
    // Each row of b is on other cache lines of the third level. Half a line is read
    // twice.
    constexpr int64_t kLine = 64;
    constexpr double kLineCost = 8, kHalfLineCost = 22;
    int64_t width = vectors * plan_->lanes * acc_bytes_;
    rest += width < kLine ? kHalfLineCost : kLineCost * CeilDiv(width, kLine);
  } else {
    // Cache lines from the second level. Those of micro-panels arrive in time; those of
    // rows far apart do not.
    if (source_.lane.a == 0 && column_bytes * vectors > target_.l1_bytes / 2)
      step += (in_place ? 0.5 : 0.05) * vectors;
    if (in_place && b_bytes > target_.l1_bytes / 2) rest += 3;
  }
  return (std::max({step, 1.1 * loads, 6.0}) + rest) * k_count + 2 * work + 20;
}

// Estimates the cost of the whole problem for each number of `vectors` and row tiles, and
// takes the cheapest.
void TilePlanner::ChooseTile() {
  plan_->lanes = VectorLanes();
  int64_t lane_vectors = CeilDiv(source_.lane.size, plan_->lanes);
  int64_t rows = source_.row.size;
  bool edge_body = plan_->b_storage == OperandStorage::kDirect || source_.lane.a != 0;
  // For small problems compilation takes longer than many executions, so fewer tile
  // functions are worth a slower tile.
  bool small = MultiplyAdds() < (1 << 25);
  int conflict_limit = CacheConflictRowLimit();
  double best = 0;
  for (int vectors = 1; vectors <= 8 && vectors <= lane_vectors; ++vectors) {
    int limit = std::min(RowLimit(vectors), conflict_limit);
    if (vectors > 4 && rows > limit) continue;
    int64_t min_row_tiles = CeilDiv(rows, limit);
    for (int64_t row_tiles = min_row_tiles;
         row_tiles <= (small ? 2 * min_row_tiles : min_row_tiles); ++row_tiles) {
      int64_t tile_rows = CeilDiv(rows, row_tiles);
      int64_t short_tiles = HasFewRegisters() ? row_tiles * tile_rows - rows : 0;
      auto column_cost = [&](int64_t v) {
        return (row_tiles - short_tiles) * TileCost(tile_rows, v) +
               (short_tiles ? short_tiles * TileCost(tile_rows - 1, v) : 0);
      };
      int64_t whole = lane_vectors / vectors, rest = lane_vectors % vectors;
      double cost = whole * column_cost(vectors);
      if (rest && edge_body)
        cost += column_cost(rest) + 50 * row_tiles;
      else if (rest)
        cost += column_cost(vectors);
      int64_t width = int64_t{vectors} * plan_->lanes;
      int bodies = rows % tile_rows != 0 ? 2 : 1;
      if (edge_body && source_.lane.size > width && source_.lane.size % width != 0)
        bodies *= 2;
      if (small) cost *= 1 + 0.05 * (bodies - 1);
      if (best == 0 || cost < best * 0.99) {
        best = cost;
        plan_->vectors = vectors;
        CutRows(row_tiles);
      }
    }
  }
  plan_->column_tiles = CeilDiv(lane_vectors, plan_->vectors);
  plan_->unroll = UnrolledSets(plan_->rows * plan_->vectors, plan_->vectors);
}

// The number of independent sets of a tile's `sums` that hide the latency of
// multiply-adds, as far as there are registers for them.
int TilePlanner::UnrolledSets(int64_t sums, int64_t vectors) const {
  if (source_.accumulate == ElementType::kPred) return 1;
  int64_t free = target_.vector_registers - 2 - 2 * vectors;
  int sets = 1;
  while (sets < 4 && sums * sets < 8 && sums * sets * 2 <= free &&
         source_.k_dims.back().size >= 4 * sets)
    sets *= 2;
  return sets;
}

// Few rows times a matrix that is contiguous along k: only the time of reading that
// matrix once matters.
bool TilePlanner::ChooseDot() {
  ElementType type = source_.accumulate;
  const KDim& k_dim = source_.k_dims.back();
  int64_t rows = OuterCount(source_) * source_.row.size;
  if (source_.k_dims.size() != 1 || k_dim.a != 1 || k_dim.b != 1 || k_dim.size < 8)
    return false;
  // More rows of complex numbers are faster as tiles: a sum takes two registers.
  const bool is_complex = IsComplex(type);
  if (source_.lane.a != 0 || source_.b_hook || rows > (is_complex ? 2 : 8)) return false;
  if (source_.lane.b == 1 && source_.lane.size > 1) return false;
  if (type == ElementType::kPred) return false;
  plan_->dot = true;
  plan_->lanes = VectorLanes();
  const bool is_wide = !is_complex || source_.row.size == 1;
  plan_->vectors = source_.lane.size >= 4 && is_wide ? 4 : source_.lane.size >= 2 ? 2 : 1;
  plan_->column_tiles = CeilDiv(source_.lane.size, plan_->vectors);
  CutRows(CeilDiv(source_.row.size, 4));
  // Two sets of sums, if they and their factors are in registers.
  plan_->unroll = plan_->rows * plan_->vectors <= (is_complex ? 2 : 8) ? 2 : 1;
  if (source_.a_hook) plan_->a_storage = OperandStorage::kCopy;
  return true;
}

// Long sums of products of rows, as in the gradient with respect to a weight: both
// operands are consecutive along the results, and the results of a chunk stay in the
// second-level cache. A part of k is read in place, because packing a whole operand would
// write it to a farther cache and read it from there (contract_benchmark, "TN").
bool TilePlanner::SumsRows() const {
  constexpr int64_t kMinLength = 512, kMinRows = 32;
  const KDim& inner = source_.k_dims.back();
  const OutDim &row = source_.row, &lane = source_.lane;
  ElementType type = plan_->operand_type;
  bool consecutive = source_.k_dims.size() == 1 && inner.a != 1 && row.a == 1 &&
                     lane.a == 0 && lane.b == 1 && source_.group == 1;
  bool as_given = !source_.a_hook && !source_.b_hook && !source_.a_in_place &&
                  !source_.b_in_place && source_.a_type == type &&
                  source_.b_type == type && source_.polyphases.empty();
  bool vectors = IsFloat(type) && !plan_->k_group_product.emit &&
                 !plan_->multiply_matrices && !source_.one_thread;
  if (!consecutive || !as_given || !vectors || inner.size < kMinLength ||
      row.size < kMinRows || lane.size < 2 || BatchCount(source_) > 1 ||
      OuterCount(source_) > 1 ||
      (row.size + lane.size) * inner.size * acc_bytes_ <= target_.l2_bytes / 2)
    return false;
  if (HasFewResults()) return true;
  // Blocks of a few k indices pay only if rows consist of whole cache lines.
  constexpr int64_t kLine = 64, kMinBlockRows = 128;
  return ResultBytes() <= target_.l2_bytes / 2 && row.size >= kMinBlockRows &&
         inner.a * acc_bytes_ % kLine == 0 && inner.b * acc_bytes_ % kLine == 0;
}

// Decides whether the operands are converted or reordered first.
void TilePlanner::ChooseStorage() {
  if (SumsRows()) {
    if (!HasFewResults()) plan_->b_storage = OperandStorage::kMicroPanels;
    return;
  }
  const OutDim& lane = source_.lane;
  const KDim& inner = source_.k_dims.back();
  ElementType type = plan_->operand_type;
  int64_t k_count = KCount(source_);
  int64_t rows_per_b = OuterCount(source_) * source_.row.size;
  // Phases do not share taps.
  for (const Polyphase& phases : source_.polyphases)
    rows_per_b = CeilDiv(rows_per_b, phases.tap_step);
  bool tiny = MultiplyAdds() < 4096;

  bool b_ready = source_.b_type == type && (lane.b == 1 || lane.size == 1);
  if (source_.b_in_place) {
    plan_->b_storage = OperandStorage::kDirect;
  } else if (source_.b_hook || plan_->pack_k_groups_b || plan_->multiply_matrices) {
    plan_->b_storage = OperandStorage::kMicroPanels;
  } else if (source_.lane.a != 0) {
    plan_->b_storage = OperandStorage::kDirect;
  } else if (!b_ready) {
    // In place, each element is gathered or converted once for every row tile. Gathering
    // takes longer than packing; converting whole vectors does not.
    int64_t max_rows = lane.b == 1 ? 2 * 14 : 2;
    if (!(tiny || rows_per_b <= max_rows))
      plan_->b_storage = OperandStorage::kMicroPanels;
  } else if (rows_per_b > 2 * 14 && lane.size > 1) {
    // Rows far apart fall into few cache sets and many pages.
    int64_t reach = std::abs(inner.b) * acc_bytes_ * std::min<int64_t>(k_count, 512);
    int64_t footprint = k_count * lane.size * acc_bytes_;
    // The rows of a convolution's input share cache sets with them.
    int64_t max_reach = source_.a_in_place ? (128 << 10) : (256 << 10);
    if (footprint > target_.l1_bytes && reach > max_reach)
      plan_->b_storage = OperandStorage::kMicroPanels;
  }
  if (IsComplex(type) && rows_per_b > 4 && !tiny && source_.lane.a == 0 &&
      !source_.b_in_place)
    plan_->b_storage = OperandStorage::kMicroPanels;

  bool a_ready = source_.a_type == type;
  int64_t uses = CeilDiv(lane.size, 64);
  if (source_.a_in_place) {
    plan_->a_storage = OperandStorage::kDirect;
  } else if (plan_->pack_k_groups_a) {
    plan_->a_storage = OperandStorage::kMicroPanels;
  } else if (source_.a_hook || plan_->k_group_product.unsigned_x) {
    plan_->a_storage = OperandStorage::kCopy;
  } else if (source_.lane.a != 0) {
    if (!a_ready && !tiny) plan_->a_storage = OperandStorage::kCopy;
  } else if (!a_ready && !tiny) {
    plan_->a_storage = OperandStorage::kCopy;
  } else if (source_.row.a != 0 && inner.a != 1 && uses >= 2 && source_.row.size > 4 &&
             std::abs(inner.a) * inner.size * acc_bytes_ > target_.l2_bytes / 4) {
    plan_->a_storage = OperandStorage::kMicroPanels;
  }
}

// How many rows of a that is read in place a tile may have so that they stay in the
// first-level cache. Rows that are a multiple of 4 KiB or 2 KiB apart share few cache
// sets, and some ways are left for b.
int TilePlanner::CacheConflictRowLimit() const {
  constexpr int64_t kPage = 4096;  // bytes of one way
  constexpr int kNone = 1 << 16;
  if (plan_->a_storage != OperandStorage::kDirect || source_.lane.a != 0 ||
      source_.k_dims.back().a != 1)
    return kNone;
  int64_t k_count = source_.a_in_place ? source_.k_dims.back().size : KCount(source_);
  int64_t row_bytes = std::abs(source_.row.a) * ElementBytes(source_.a_type);
  if (k_count < 256 || row_bytes == 0) return kNone;
  int64_t ways = std::clamp<int64_t>(target_.l1_bytes / kPage - 2, 4, 8);
  int64_t sets = kPage / std::gcd(row_bytes, kPage);
  return sets > 2 ? kNone : static_cast<int>(ways * sets);
}

// Whether rows of the operand can be packed for several micro-panels at once.
bool TilePlanner::PacksAcross(bool is_a) const {
  bool k_groups = is_a ? plan_->pack_k_groups_a : plan_->pack_k_groups_b;
  const Contraction& from = k_groups ? plan_->elements : source_;
  return from.k_dims.size() == 1 && !(is_a ? from.a_hook : from.b_hook) &&
         (is_a ? from.row.a : from.lane.b) == 1 && from.lane.a == 0 &&
         (!k_groups ||
          from.k_dims.back().size == source_.k_dims.back().size * plan_->k_group_size);
}

// A large dense operand a that one or two column tiles use comes from memory. The
// hardware prefetcher does not see that the rows of a row tile form one stream.
void TilePlanner::ChoosePrefetch() {
  const Contraction& problem = plan_->problem;
  if (plan_->dot) {
    // For short columns the next tile is fetched, because the hardware prefetcher does
    // not see them as one stream.
    constexpr int64_t kShort = 8 << 10, kAhead = 2 << 10;
    int64_t column = std::abs(problem.lane.b) * ElementBytes(problem.b_type);
    if (BatchCount(problem) * problem.lane.size * column > 2 * target_.l2_bytes)
      plan_->dot_ahead = column < kShort ? plan_->vectors * column : kAhead;
  }
  const KDim& k_dim = problem.k_dims.back();
  int64_t bytes = ElementBytes(problem.a_type);
  plan_->prefetch_a = plan_->a_storage == OperandStorage::kDirect &&
                      !source_.a_in_place && !plan_->dot && !plan_->multiply_matrices &&
                      problem.lane.a == 0 && problem.k_dims.size() == 1 && k_dim.a == 1 &&
                      problem.row.a == k_dim.size && plan_->column_tiles <= 2 &&
                      source_.polyphases.empty() && plan_->k_slices == 1 &&
                      plan_->k_block >= plan_->slice_size &&
                      RowsTotal() * k_dim.size * bytes > target_.l2_bytes;
}

int64_t TilePlanner::PaddedRow(int64_t elements) const {
  int64_t stride = AlignUp(elements, plan_->lanes);
  return stride * acc_bytes_ % 1024 == 0 ? stride + plan_->lanes : stride;
}

// Fills plan_->problem, whose strides are those of the operands where compute reads them.
void TilePlanner::PlaceOperands() {
  plan_->source = source_;
  Contraction& problem = plan_->problem;
  problem = source_;
  int64_t width = int64_t{plan_->vectors} * plan_->lanes;
  if (plan_->b_storage == OperandStorage::kMicroPanels) {
    problem.b_type = plan_->operand_type;
    problem.b_base = 0;
    for (OutDim& dim : problem.batch) dim.b = 0;
    problem.lane.b = 0;
    int64_t stride = width;
    for (size_t i = problem.k_dims.size(); i-- > 0;) {
      problem.k_dims[i].b = stride;
      stride *= problem.k_dims[i].size;
    }
    b_micro_panel_elements_ = stride;
  }
  if (plan_->a_storage == OperandStorage::kMicroPanels) {
    problem.a_type = plan_->operand_type;
    problem.a_base = 0;
    for (OutDim& dim : problem.batch) dim.a = 0;
    for (OutDim& dim : problem.outer) dim.a = 0;
    int64_t stride = plan_->multiply_matrices ? 1 : plan_->rows;
    for (size_t i = problem.k_dims.size(); i-- > 0;) {
      problem.k_dims[i].a = stride;
      stride *= problem.k_dims[i].size;
    }
    problem.row.a = 1;
    if (plan_->multiply_matrices) {
      problem.row.a = PaddedRow(stride);
      // Micro-panels consist of whole registers.
      stride = AlignUp(plan_->rows, target_.matrix_unit.rows) * problem.row.a;
    }
    plan_->a_micro_panel_elements = stride;
    plan_->a_offset = ReserveScratch(BatchCount(source_) * OuterCount(source_) *
                                     plan_->row_tiles * stride * acc_bytes_);
  } else if (plan_->a_storage == OperandStorage::kCopy) {
    problem.a_type = plan_->operand_type;
    problem.a_base = 0;
    // Dense, in the order of the source's strides; the innermost rows are padded.
    std::vector<std::pair<int64_t*, int64_t>> dims;  // stride, size
    auto add = [&](int64_t& stride, int64_t size) {
      if (stride != 0 && size > 1) dims.push_back({&stride, size});
    };
    for (OutDim& dim : problem.batch) add(dim.a, dim.size);
    for (OutDim& dim : problem.outer) add(dim.a, dim.size);
    add(problem.row.a, problem.row.size);
    add(problem.lane.a, problem.lane.size);
    for (KDim& dim : problem.k_dims) add(dim.a, dim.size);
    std::stable_sort(dims.begin(), dims.end(), [](const auto& x, const auto& y) {
      return std::abs(*x.first) > std::abs(*y.first);
    });
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0;) {
      *dims[i].first = stride;
      stride *= dims[i].second;
      if (i + 1 == dims.size())
        stride = dims.size() > 1 ? PaddedRow(stride) : AlignUp(stride, plan_->lanes);
    }
    plan_->a_offset = ReserveScratch(stride * acc_bytes_);
    if (!dims.empty()) copy_row_size_ = dims.back().second;
    for (size_t i = 0; i + 1 < dims.size(); ++i) copy_rows_ *= dims[i].second;
  }
  for (const KDim& dim : problem.k_dims) plan_->copy_k_strides.push_back(dim.a);
  MergeKDims(problem, plan_->b_storage == OperandStorage::kMicroPanels);
  if (plan_->multiply_matrices)
    plan_->matrix_step =
        MatrixStep(problem.k_dims.back().size, target_.matrix_unit.columns);
}

KernelPlan TilePlanner::Plan(std::shared_ptr<const InputCopy> input_copy) {
  acc_bytes_ = ElementBytes(source_.accumulate);
  plan_->target = target_;
  if (input_copy) ReserveScratch(input_copy->elements * ElementBytes(input_copy->to));
  plan_->input_copy = std::move(input_copy);
  plan_->operand_type = source_.accumulate;
  if (!ChooseDot()) {
    plan_->source = source_;
    if (ChooseKGroups(*plan_, VectorLanes())) source_ = plan_->source;
    ChooseStorage();
    if (plan_->multiply_matrices)
      ChooseMatrixTile();
    else if (!ChooseTapsTile())
      ChooseTile();
  }
  PlaceOperands();
  if (plan_->dot)
    plan_->slice_size = plan_->k_block = plan_->problem.k_dims.front().size;
  else
    ChooseKBlocks();
  ChooseChunks();
  ChoosePrefetch();
  PlaceMicroPanels();
  bool direct = !source_.store_hook && source_.out_type == source_.accumulate &&
                !IsComplex(source_.out_type) && source_.lane.c == 1;
  bool clipped = plan_->b_storage == OperandStorage::kDirect || source_.lane.a != 0;
  bool partial_tile =
      !clipped && source_.lane.size % (plan_->vectors * plan_->lanes) != 0;
  bool blocked = plan_->k_block < plan_->slice_size && !plan_->column_tile_outer;
  if (plan_->k_slices > 1 || (blocked && (!direct || partial_tile)))
    plan_->partial_offset =
        ReserveScratch(plan_->k_slices * RowsTotal() * plan_->column_tiles *
                       plan_->vectors * plan_->lanes * acc_bytes_);
  PlaceZeroProducts();
  MakePhases();

  KernelPlan plan;
  plan.scratch_bytes = scratch_;
  plan.estimated_ns = ComputeNs();
  for (const TilePlan::Phase& phase : plan_->phases) {
    int64_t chunks = 0;
    for (const Stage& stage : phase.stages) chunks += stage.chunks();
    plan.phase_chunks.push_back(phase.merged ? 1 : chunks);
  }
  plan.packed_bytes = PackedBytes();
  plan.tiles = plan_;
  return plan;
}

// Packing an element of b takes about as long as 20 multiply-adds with it (16 % of 128 x
// 768 x 3072 with vectors of 256 bits), so with many rows it does not count. Small
// operands are in a cache, and looking for their packed form would cost as much.
int64_t TilePlanner::PackedBytes() const {
  constexpr int64_t kMaxRows = 1024, kMinBytes = 16 << 10;
  if (plan_->dot || plan_->b_storage != OperandStorage::kMicroPanels || source_.b_hook ||
      source_.one_thread || RowsTotal() / BatchCount(source_) > kMaxRows)
    return 0;
  // Several chunks would write one micro-panel while others read it.
  if (plan_->private_b &&
      plan_->chunk_row_tiles < OuterCount(plan_->problem) * plan_->row_tiles)
    return 0;
  int64_t bytes = BatchCount(source_) * plan_->column_tiles * TileWidth() *
                  KCount(source_) * ElementBytes(plan_->operand_type);
  return bytes >= kMinBytes ? bytes : 0;
}

std::string PackedLayout(const TilePlan& plan) {
  const Contraction& from = plan.pack_k_groups_b ? plan.elements : plan.source;
  std::string layout;
  llvm::raw_string_ostream out(layout);
  out << ElementTypeName(from.b_type) << " to " << ElementTypeName(plan.operand_type)
      << " from " << from.b_base;
  auto add = [&](const char* name, int64_t size, int64_t stride) {
    out << ' ' << name << ' ' << size << '*' << stride;
  };
  for (const OutDim& dim : from.batch) add("batch", dim.size, dim.b);
  add("lane", from.lane.size, from.lane.b);
  for (const KDim& dim : from.k_dims) add("k", dim.size, dim.b);
  out << " group " << plan.k_group_size << " width " << plan.vectors * plan.lanes;
  return layout;
}

int64_t PartBytes(ElementType type) { return ElementBytes(RealType(type)); }
int NumParts(ElementType type) { return IsComplex(type) ? 2 : 1; }

int64_t BatchCount(const Contraction& problem) {
  int64_t count = 1;
  for (const OutDim& dim : problem.batch) count *= dim.size;
  return count;
}

int64_t OuterCount(const Contraction& problem) {
  int64_t count = 1;
  for (const OutDim& dim : problem.outer) count *= dim.size;
  return count;
}

int64_t KCount(const Contraction& problem) {
  int64_t count = 1;
  for (const KDim& dim : problem.k_dims) count *= dim.size;
  return count;
}

KernelPlan PlanTiles(const Contraction& problem, const TargetTraits& target,
                     std::shared_ptr<const InputCopy> input_copy) {
  return TilePlanner(problem, target).Plan(std::move(input_copy));
}

}  // namespace tenon::compiler
