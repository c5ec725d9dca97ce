#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {
namespace {

constexpr int kMaxSide = 128, kMinSide = 16;
constexpr int kMaxStages = 4, kMinStages = 2;
// Bytes of a block along the depth: half of the banks, or, for wide products, all.
constexpr int kDepthBytes = 64, kWideDepthBytes = 128;
// Tiles are made smaller until there are this many groups, as for other products.
constexpr int64_t kMinGroups = 64;
// Of a subgroup's part: sums take at most 64 registers of 32 bits.
constexpr int kMaxSubgroupRows = 64, kMaxSubgroupColumns = 32;

int64_t CeilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }

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
      return Fit(tile, kMinSide, kMinSide);
    }
    return std::nullopt;
  }

 private:
  // All columns of a tile are in one product.
  std::optional<MatrixTile> ChooseWide() {
    const compiler::WideProduct& wide = instructions_.wide;
    const int min_columns = static_cast<int>(kWideDepthBytes / bytes_);
    if (wide.subgroups == 0 || ElementBits(product_.operand) != 16 ||
        product_.sum != ElementType::kF32 || product_.rows < wide.rows ||
        product_.columns < min_columns)
      return std::nullopt;
    MatrixTile tile;
    tile.rows = Side(product_.rows);
    tile.columns = std::min(Side(product_.columns), wide.max_columns);
    tile.depth = static_cast<int>(kWideDepthBytes / bytes_);
    return Fit(tile, wide.rows, min_columns);
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
    tile.stages = static_cast<int>(
        std::min<int64_t>(limits_.local_bytes / tile.stage_bytes(bytes_), kMaxStages));
  }

  // Halves the sides until the tile fits, and then until there are enough groups.
  std::optional<MatrixTile> Fit(MatrixTile tile, int min_rows, int min_columns) {
    auto fits = [&] {
      return tile.stages >= kMinStages &&
             tile.subgroups() * instructions_.lanes <= limits_.max_items;
    };
    auto groups = [&] {
      return limits_.batch * CeilDiv(product_.rows, tile.rows) *
             CeilDiv(product_.columns, tile.columns);
    };
    for (SetParts(tile); !fits() || groups() < kMinGroups; SetParts(tile)) {
      if (tile.columns > min_columns &&
          (tile.columns >= tile.rows || tile.rows <= min_rows))
        tile.columns /= 2;
      else if (tile.rows > min_rows)
        tile.rows /= 2;
      else if (fits())
        break;
      else
        return std::nullopt;
    }
    return tile;
  }

  const MatrixProduct& product_;
  const MatrixInstructions& instructions_;
  const TileLimits& limits_;
  const int64_t bytes_;
};

}  // namespace

std::optional<MatrixTile> ChooseMatrixTile(const MatrixProduct& product,
                                           const MatrixInstructions& instructions,
                                           const TileLimits& limits) {
  return TileChooser(product, instructions, limits).Choose();
}

}  // namespace tenon::codegen
