#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {
namespace {

constexpr int kMaxSide = 128, kMinSide = 16;
constexpr int kMaxStages = 4, kMinStages = 2, kMinWideStages = 3;
// Bytes of a block along the depth: half of the banks, or, for wide products, all.
constexpr int kDepthBytes = 64, kWideDepthBytes = 128;
// Tiles are made smaller until there are this many groups, as for other products.
constexpr int64_t kMinGroups = 64;
// Of wide products.
constexpr int kWideRows[] = {128, 64}, kWideColumns[] = {256, 128, 64};
// Of a subgroup's part: sums take at most 64 registers of 32 bits.
constexpr int kMaxSubgroupRows = 64, kMaxSubgroupColumns = 32;

int Side(int64_t size) {
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(size, 1));
  return static_cast<int>(
      std::clamp<uint64_t>(llvm::PowerOf2Ceil(wanted), kMinSide, kMaxSide));
}

class TileChooser {
 public:
  TileChooser(const MatrixProduct& product, const MatrixInstructions& instructions,
              const TileLimits& limits)
      : product_(product),
        instructions_(instructions),
        limits_(limits),
        bytes_(ElementBytes(product.operand)) {}

  std::vector<MatrixTile> Candidates() {
    std::optional<MatrixTile> best = Choose();
    if (!best) return {};
    std::vector<MatrixTile> candidates = {*best};
    const auto add = [&](MatrixTile tile) {
      SetParts(tile);
      const bool is_known = std::ranges::any_of(candidates, [&](const MatrixTile& other) {
        return other.rows == tile.rows && other.columns == tile.columns;
      });
      if (!is_known && Fits(tile)) candidates.push_back(tile);
    };
    for (const int rows : {best->rows / 2, best->rows, best->rows * 2}) {
      for (const int columns : {best->columns / 2, best->columns, best->columns * 2}) {
        MatrixTile tile = *best;
        tile.rows = rows;
        tile.columns = columns;
        if (best->product
                ? IsSide(rows, product_.rows) && IsSide(columns, product_.columns)
                : IsWideTile(rows, columns))
          add(tile);
      }
    }
    return candidates;
  }

 private:
  std::optional<MatrixTile> Choose() {
    if (auto tile = ChooseWide()) return tile;
    for (const FragmentProduct& candidate : instructions_.products) {
      if (candidate.operand != product_.operand || candidate.sum != product_.sum)
        continue;
      if (candidate.rounds_operands && !limits_.may_round) continue;
      MatrixTile tile;
      tile.product = &candidate;
      tile.rows = Side(product_.rows);
      tile.columns = Side(product_.columns);
      tile.depth = static_cast<int>(kDepthBytes / bytes_);
      return Fit(tile);
    }
    return std::nullopt;
  }

  static bool IsSide(int side, int64_t size) {
    return side >= kMinSide && side <= Side(size);
  }
  bool IsWideTile(int rows, int columns) const {
    // Addresses of loads take the registers that more sums would need.
    return llvm::is_contained(kWideRows, rows) &&
           llvm::is_contained(kWideColumns, columns) &&
           columns <= instructions_.wide.max_columns &&
           (limits_.copies || columns <= kMaxSide);
  }

  // All columns of a tile are in one product. Of the tiles that fit, takes the one with
  // which the product is likely to end first.
  std::optional<MatrixTile> ChooseWide() {
    const compiler::WideProduct& wide = instructions_.wide;
    const int min_columns = static_cast<int>(kWideDepthBytes / bytes_);
    if (wide.subgroups == 0 || ElementBits(product_.operand) != 16 ||
        product_.sum != ElementType::kF32 || product_.rows < wide.rows ||
        product_.columns < min_columns)
      return std::nullopt;
    std::optional<MatrixTile> best;
    for (const int rows : kWideRows) {
      for (const int columns : kWideColumns) {
        MatrixTile tile;
        tile.rows = rows;
        tile.columns = columns;
        tile.depth = static_cast<int>(kWideDepthBytes / bytes_);
        if (!IsWideTile(rows, columns)) continue;
        SetParts(tile);
        if (Fits(tile) && (!best || Cost(tile) < Cost(*best))) best = tile;
      }
    }
    return best;
  }

  // An estimate of the time that all tiles take, in products of one processor. Groups on
  // one processor take turns.
  int64_t Cost(const MatrixTile& tile) const {
    // What copying an element takes, what a tile takes to start and end, and how much
    // storing a result takes.
    constexpr int64_t kCopy = 80, kStart = 64 << 10, kStore = 2;
    const int64_t results = int64_t{tile.rows} * tile.columns;
    const int64_t step = std::max(results, kCopy * (tile.rows + tile.columns));
    const int64_t steps = CeilDiv(product_.depth, tile.depth);
    const int64_t turns = CeilDiv(Groups(tile), std::max<int64_t>(limits_.processors, 1));
    return turns * (steps * step + kStart + kStore * results);
  }

  void SetParts(MatrixTile& tile) {
    if (!tile.product) {
      tile.subgroup_rows = instructions_.wide.rows / instructions_.wide.subgroups;
      tile.subgroup_columns = tile.columns;
    } else {
      const int words = ElementBits(tile.product->sum) / 32;
      tile.subgroup_rows = std::min(tile.rows, kMaxSubgroupRows / words);
      tile.subgroup_columns = std::min(tile.columns, kMaxSubgroupColumns);
    }
    const int64_t local_bytes =
        tile.product ? limits_.local_bytes
                     : std::max(limits_.local_bytes, limits_.dynamic_local_bytes);
    tile.stages = static_cast<int>(
        std::min<int64_t>(local_bytes / tile.stage_bytes(bytes_), kMaxStages));
  }

  bool Fits(const MatrixTile& tile) const {
    return tile.stages >= (tile.product ? kMinStages : kMinWideStages) &&
           tile.subgroups() * instructions_.lanes <= limits_.max_items;
  }

  int64_t Groups(const MatrixTile& tile) const {
    return limits_.batch * CeilDiv(product_.rows, tile.rows) *
           CeilDiv(product_.columns, tile.columns);
  }

  // Halves the sides until the tile fits, and then until there are enough groups.
  std::optional<MatrixTile> Fit(MatrixTile tile) {
    const int64_t min_groups = std::max<int64_t>(kMinGroups, limits_.processors * 3 / 4);
    for (SetParts(tile); !Fits(tile) || Groups(tile) < min_groups; SetParts(tile)) {
      if (tile.columns > kMinSide && tile.columns >= tile.rows)
        tile.columns /= 2;
      else if (tile.rows > kMinSide)
        tile.rows /= 2;
      else if (Fits(tile))
        break;
      else
        return std::nullopt;
    }
    // Small tiles copy more at a time, so that as much memory is under way.
    while (2 * tile.stage_bytes(bytes_) * kMaxStages <= limits_.local_bytes &&
           2 * tile.depth <= product_.depth && limits_.part_depth % (2 * tile.depth) == 0)
      tile.depth *= 2;
    SetParts(tile);
    return tile;
  }

  const MatrixProduct& product_;
  const MatrixInstructions& instructions_;
  const TileLimits& limits_;
  const int64_t bytes_;
};

}  // namespace

std::vector<MatrixTile> CandidateTiles(const MatrixProduct& product,
                                       const MatrixInstructions& instructions,
                                       const TileLimits& limits) {
  return TileChooser(product, instructions, limits).Candidates();
}

}  // namespace tenon::codegen
