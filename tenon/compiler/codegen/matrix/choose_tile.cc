#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {
namespace {

constexpr int kMaxSide = 128, kMinSide = 16;
constexpr int kMaxStages = 4, kMinStages = 2;
// Bytes of a block along the depth: half of the banks, or, for wide products, all.
constexpr int kDepthBytes = 64, kWideDepthBytes = 128;

int Side(int64_t size) {
  return static_cast<int>(std::clamp<uint64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max<int64_t>(size, 1))), kMinSide,
      kMaxSide));
}

bool SetStages(MatrixTile& tile, int64_t element_bytes, int64_t local_bytes) {
  tile.stages = static_cast<int>(
      std::min<int64_t>(local_bytes / tile.stage_bytes(element_bytes), kMaxStages));
  return tile.stages >= kMinStages;
}

// Wide tiles have all columns in one product.
std::optional<MatrixTile> WideTile(const MatrixProduct& product,
                                   const compiler::WideProduct& wide, int64_t bytes,
                                   int64_t local_bytes) {
  if (wide.subgroups == 0 || ElementBits(product.operand) != 16 ||
      product.rows < wide.rows || product.columns < kWideDepthBytes / bytes)
    return std::nullopt;
  MatrixTile tile;
  tile.rows = std::max(std::min(Side(product.rows), kMaxSide), wide.rows);
  tile.columns = std::min(Side(product.columns), wide.max_columns);
  tile.depth = static_cast<int>(kWideDepthBytes / bytes);
  tile.subgroup_rows = wide.rows / wide.subgroups;
  tile.subgroup_columns = tile.columns;
  if (!SetStages(tile, bytes, local_bytes)) return std::nullopt;
  return tile;
}

}  // namespace

std::optional<MatrixTile> ChooseMatrixTile(const MatrixProduct& product,
                                           const MatrixInstructions& instructions,
                                           int64_t local_bytes, bool may_round) {
  const int64_t bytes = ElementBytes(product.operand);
  if (auto tile = WideTile(product, instructions.wide, bytes, local_bytes)) return tile;
  for (const FragmentProduct& candidate : instructions.products) {
    if (candidate.operand != product.operand) continue;
    if (candidate.rounds_operands && !may_round) continue;
    MatrixTile tile;
    tile.product = &candidate;
    tile.rows = Side(product.rows);
    tile.columns = Side(product.columns);
    tile.depth = static_cast<int>(kDepthBytes / bytes);
    // Sums of a lane take at most 64 registers of 32 bits.
    const int max_rows = ElementBits(candidate.sum) == 64 ? 32 : 64;
    constexpr int kMaxColumns = 32;
    tile.subgroup_rows = std::min(tile.rows, max_rows);
    tile.subgroup_columns = std::min(tile.columns, kMaxColumns);
    while (!SetStages(tile, bytes, local_bytes)) {
      if (tile.rows <= kMinSide && tile.columns <= kMinSide) return std::nullopt;
      (tile.rows >= tile.columns ? tile.rows : tile.columns) /= 2;
      tile.subgroup_rows = std::min(tile.rows, tile.subgroup_rows);
      tile.subgroup_columns = std::min(tile.columns, tile.subgroup_columns);
    }
    return tile;
  }
  return std::nullopt;
}

}  // namespace tenon::codegen
