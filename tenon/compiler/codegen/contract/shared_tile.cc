// Tiles that the shared micro-kernel computes (micro_kernel_function.h).
#include <numeric>

#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

bool IsClipped(const KDim& dim) { return dim.window && dim.window->outer >= 0; }
bool HasBorderTaps(const KDim& dim) { return dim.window && dim.window->outer < 0; }

}  // namespace

bool ContractionEmitter::HasMicroKernelLoops() const {
  llvm::ArrayRef<KDim> dims = problem_.k_dims;
  if (plan_.taps) {
    const KDim& taps = dims.back();
    return dims.size() <= 2 && taps.polyphase < 0 && !IsClipped(taps) && taps.a > 0 &&
           problem_.row.a > 0 && plan_.unroll == 1 && plan_.vectors == 1 &&
           (dims.size() == 1 || (dims[0].polyphase < 0 && !HasBorderTaps(dims[0])));
  }
  if (dims.size() > 3) return false;
  for (auto [level, dim] : llvm::enumerate(dims)) {
    if (dim.polyphase >= 0 || (IsClipped(dim) && level > 0)) return false;
    // The taps are in the outer or the middle loop, and runs of them next to each other.
    if (HasBorderTaps(dim) && (level > 1 || level + 2 < dims.size())) return false;
  }
  // Padding reads all of a block of b as one run of steps.
  bool is_adjacent = dims.size() < 3 || dims[1].b == dims[2].b * dims[2].size;
  return !IsClipped(dims.front()) || is_adjacent;
}

std::optional<MicroKernel> ContractionEmitter::FindMicroKernel(
    const TileShape& shape) const {
  if (!plan_.target.shared_tiles) return std::nullopt;
  const ElementType type = problem_.accumulate;
  const bool in_panels = plan_.b_storage == OperandStorage::kMicroPanels;
  if ((type != ElementType::kF32 && type != ElementType::kF64) ||
      plan_.operand_type != type || problem_.a_type != type ||
      (!in_panels && (problem_.b_type != type || problem_.lane.b != 1)))
    return std::nullopt;
  if (plan_.multiply_matrices || plan_.k_group_product.emit || problem_.group > 1 ||
      problem_.lane.a != (plan_.taps ? 1 : 0) || plan_.streaming || plan_.prefetch_a ||
      plan_.zero_products || !HasMicroKernelLoops())
    return std::nullopt;
  MicroKernel kernel;
  kernel.type = type;
  kernel.lanes = plan_.lanes;
  kernel.rows = shape.rows;
  kernel.vectors = shape.vectors;
  kernel.unroll = plan_.unroll;
  kernel.is_partial = shape.last_mask != nullptr;
  kernel.fma = plan_.target.fma;
  return kernel;
}

// The indices of the outermost dimension of k that a tile multiplies in one k block, and
// those at which b is multiplied with padding.
ContractionEmitter::Range ContractionEmitter::SetBlocks(const Tile& tile,
                                                        MicroKernel& kernel,
                                                        MicroKernelArguments& arguments) {
  llvm::ArrayRef<KDim> dims = problem_.k_dims;
  const int64_t bytes = PartBytes(problem_.accumulate);
  llvm::Value *lower = tile.block.lower, *upper = tile.block.upper;
  kernel.has_padding = IsClipped(dims.front());
  if (kernel.has_padding) {
    llvm::Value *first = lower, *last = upper;
    lower = MaxI(b_, lower, ranges_[0].lower);
    upper = MaxI(b_, lower, MinI(b_, upper, ranges_[0].upper));
    auto block_of_b = [&](llvm::Value* index) {
      return OffsetPointer(b_, tile.b_columns, MulI(b_, index, dims[0].b), bytes);
    };
    arguments.before = block_of_b(first);
    arguments.after = block_of_b(upper);
    arguments.blocks_before = b_.CreateSub(MinI(b_, lower, last), first);
    arguments.blocks_after = b_.CreateSub(last, upper);
  }
  arguments.a = OffsetPointer(b_, tile.a, MulI(b_, lower, dims[0].a), bytes);
  arguments.b = OffsetPointer(b_, tile.b_columns, MulI(b_, lower, dims[0].b), bytes);
  return {lower, upper};
}

// One k block of a tile. Dimensions of k that do not exist have one iteration.
void ContractionEmitter::SetMicroKernelLoops(const TileShape& shape, const Tile& tile,
                                             MicroKernel& kernel,
                                             MicroKernelArguments& arguments) {
  llvm::ArrayRef<KDim> dims = problem_.k_dims;
  const int64_t bytes = PartBytes(problem_.accumulate);
  const KDim* border = llvm::find_if(dims, HasBorderTaps);
  const size_t border_level = border - dims.begin();
  const bool has_border = border != dims.end();
  const bool joins = has_border && JoinsInner(border_level);
  // The innermost dimension is that of steps, unless the index of the output clips it.
  const KDim *block = nullptr, *tap = nullptr, *step = nullptr;
  const bool has_block =
      has_border ? border_level > 0 : dims.size() > 1 || IsClipped(dims.front());
  if (has_block) block = &dims.front();
  llvm::ArrayRef<KDim> inner = dims.drop_front(has_block);
  if (!inner.empty()) step = &inner.back();
  if (inner.size() > 1 && !joins) tap = &inner.front();
  KDim none;
  none.size = 1;
  const KDim& steps = step ? *step : none;

  auto [lower, upper] = SetBlocks(tile, kernel, arguments);
  arguments.blocks = block ? b_.CreateSub(upper, lower) : I64(1);
  int64_t inner_count = 1;
  for (const KDim& dim : inner) inner_count *= dim.size;
  arguments.padding_steps = inner_count;

  // The bytes of one pass through a dimension and all inside it.
  auto next = [&](const KDim* dim, int64_t passed_a, int64_t passed_b) {
    if (!dim) return MicroKernelArguments::Loop();
    return MicroKernelArguments::Loop{(dim->a - passed_a) * bytes,
                                      (dim->b - passed_b) * bytes};
  };
  arguments.step = next(step, 0, 0);
  kernel.has_taps = tap != nullptr;
  arguments.tap = next(tap, steps.a * steps.size, steps.b * steps.size);
  const KDim& outer = tap ? *tap : joins ? *border : steps;
  arguments.block = next(block, outer.a * outer.size, outer.b * outer.size);

  if (!has_border) {
    llvm::Value* count = block || tap ? I64(steps.size) : b_.CreateSub(upper, lower);
    arguments.runs = {{tap ? I64(tap->size) : nullptr, count}};
    return;
  }
  kernel.runs.clear();
  for (auto [some, first, last] : BorderTaps(shape, *border)) {
    kernel.runs.push_back({some.skip_first, some.skip_last});
    if (border_level == 0) {
      first = MaxI(b_, first, lower);
      last = MaxI(b_, first, MinI(b_, last, upper));
    }
    llvm::Value* count = b_.CreateSub(last, first);
    if (tap)
      arguments.runs.push_back({count, I64(steps.size)});
    else
      arguments.runs.push_back({nullptr, MulI(b_, count, joins ? steps.size : 1)});
  }
}

// The same for taps along a row, if both operands are vectors.
void ContractionEmitter::SetRowTaps(const TileShape& shape, const Tile& tile,
                                    MicroKernel& kernel,
                                    MicroKernelArguments& arguments) {
  llvm::ArrayRef<KDim> dims = problem_.k_dims;
  const int64_t bytes = PartBytes(problem_.accumulate);
  const KDim& taps = dims.back();
  const int64_t unit = std::gcd(problem_.row.a, taps.a);
  MicroKernel::RowTaps& row_taps = kernel.row_taps.emplace();
  row_taps.row_step = static_cast<int>(problem_.row.a / unit);
  row_taps.tap_step = static_cast<int>(taps.a / unit);
  row_taps.taps = static_cast<int>(taps.size);
  kernel.runs.clear();
  arguments.a_row_bytes = unit * bytes;
  arguments.step.b_next = taps.b * bytes;
  arguments.padding_steps = taps.size;
  if (HasBorderTaps(taps)) {
    for (int tap = 0; tap < row_taps.taps; ++tap) {
      const TapRows rows = RowsOfTap(*taps.window, tap, shape.rows, LastRow0());
      row_taps.rows.emplace_back(IsFalse(is_first_) ? 0 : rows.first,
                                 IsFalse(is_last_) ? shape.rows : rows.last);
    }
    arguments.is_first = b_.CreateZExt(is_first_, b_.getInt64Ty());
    arguments.is_last = b_.CreateZExt(is_last_, b_.getInt64Ty());
  }
  if (dims.size() == 1) {
    arguments.a = tile.a, arguments.b = tile.b_columns;
    arguments.blocks = I64(1);
    return;
  }
  auto [lower, upper] = SetBlocks(tile, kernel, arguments);
  arguments.blocks = b_.CreateSub(upper, lower);
  arguments.block = {dims[0].a * bytes, (dims[0].b - taps.size * taps.b) * bytes};
}

Status ContractionEmitter::EmitSharedTile(const TileShape& shape, const Tile& tile,
                                          MicroKernel kernel) {
  const int64_t bytes = PartBytes(problem_.accumulate);
  MicroKernelArguments arguments;
  if (plan_.taps) {
    SetRowTaps(shape, tile, kernel, arguments);
  } else {
    SetMicroKernelLoops(shape, tile, kernel, arguments);
    arguments.a_row_bytes = problem_.row.a * bytes;
  }
  arguments.dest = tile.buffer ? tile.buffer : tile.out;
  llvm::Value* out_bytes = I64(problem_.row.c * bytes);
  arguments.dest_row_bytes = tile.buffer ? I64(tile.row_bytes) : out_bytes;
  if (tile.buffer && tile.out) {
    arguments.dest = b_.CreateSelect(tile.is_whole, tile.out, tile.buffer);
    arguments.dest_row_bytes =
        b_.CreateSelect(tile.is_whole, out_bytes, arguments.dest_row_bytes);
  }
  arguments.adds = b_.CreateZExt(
      HasKBlocks() ? b_.CreateNot(tile.block.is_first) : b_.getFalse(), b_.getInt64Ty());
  if (kernel.is_partial) arguments.last_lanes = problem_.lane.size % plan_.lanes;
  return CallMicroKernel(b_, kernel, arguments);
}

}  // namespace tenon::codegen
