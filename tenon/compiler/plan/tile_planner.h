// The planner of tiles. tile_planner.cc chooses tiles and storage; chunk_planner.cc cuts
// the work into k blocks and chunks. One thread.
#ifndef TENON_COMPILER_PLAN_TILE_PLANNER_H_
#define TENON_COMPILER_PLAN_TILE_PLANNER_H_

#include <algorithm>
#include <memory>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {

class TilePlanner {
 public:
  TilePlanner(const Contraction& problem, const TargetTraits& target)
      : plan_(std::make_shared<TilePlan>()), source_(problem), target_(target) {}

  KernelPlan Plan(std::shared_ptr<const InputCopy> input_copy);

 private:
  bool ChooseDot();
  bool SumsRows() const;
  // Whether a slice of k can keep sums of all results in the second-level cache.
  bool HasFewResults() const { return ResultBytes() <= target_.l2_bytes / 8; }
  void ChooseStorage();
  bool ChooseTapsTile();
  bool HasFewRegisters() const;
  double TileCost(int64_t rows, int64_t vectors) const;
  void ChooseTile();
  int UnrolledSets(int64_t sums, int64_t vectors) const;
  void ChooseMatrixTile();
  void CutRows(int64_t row_tiles);
  void PlaceOperands();
  bool HasLongWindows() const;
  int64_t CacheSlices() const;
  bool IsNarrow() const;
  void ChooseKSlices();
  bool ChoosePackedBlocks(int64_t row_bytes);
  int64_t StreamBlock(int64_t row_tiles, int64_t b_bytes) const;
  void ChooseCachedBlocks(int64_t row_bytes, int64_t inner);
  void ChooseKBlocks();
  int64_t WantedChunks(double ns) const;
  void ChunkStream(int64_t chunks);
  void ChunkPackedColumns(int64_t chunks);
  void ChunkRowsFirst(int64_t row_tiles, int64_t chunks);
  void ChooseChunks();
  void ChoosePrefetch();
  void PlaceMicroPanels();
  void PlaceZeroProducts();
  int64_t ComputeChunks() const;
  void MakePhases();
  // Returns the offset of the reserved bytes.
  int64_t ReserveScratch(int64_t bytes) {
    int64_t offset = scratch_;
    scratch_ = AlignUp(scratch_ + bytes, 64);
    return offset;
  }
  int RowLimit(int vectors) const;
  // The distance in scratch between rows of this many elements. It is not a multiple of 1
  // KiB, because such rows would share few cache sets.
  int64_t PaddedRow(int64_t elements) const;
  // Blocks of the outermost k dimension are a multiple of this.
  int64_t KAlignment() const {
    if (plan_->problem.k_dims.size() > 1) return 1;
    return plan_->multiply_matrices ? plan_->matrix_step : 4;
  }
  int CacheConflictRowLimit() const;
  bool PacksAcross(bool is_a) const;
  int VectorLanes() const {
    int64_t part_bits = 8 * PartBytes(source_.accumulate);
    return std::clamp<int>(target_.vector_bits / part_bits, 2, 32);
  }
  int64_t TileWidth() const { return int64_t{plan_->vectors} * plan_->lanes; }
  int64_t RowsTotal() const {
    return BatchCount(source_) * OuterCount(source_) * source_.row.size;
  }
  int64_t ResultBytes() const { return RowsTotal() * source_.lane.size * acc_bytes_; }
  double MultiplyAdds() const {
    double k_count = double(KCount(source_));
    for (const Polyphase& phases : source_.polyphases) k_count /= phases.tap_step;
    return double(RowsTotal()) * source_.lane.size * k_count * source_.group;
  }
  double ComputeNs() const;
  // KernelPlan::packed_bytes.
  int64_t PackedBytes() const;

  std::shared_ptr<TilePlan> plan_;
  Contraction source_;
  TargetTraits target_;
  int64_t scratch_ = 0;
  int64_t copy_rows_ = 1, copy_row_size_ = 1;  // rows of a's copy and their size
  int64_t b_micro_panel_elements_ = 0;         // of a micro-panel of b
  int64_t acc_bytes_ = 4;
  bool long_windows_ = false;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_TILE_PLANNER_H_
