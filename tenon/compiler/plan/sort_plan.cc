#include "tenon/compiler/plan/sort_plan.h"

#include <algorithm>
#include <limits>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/plan/group_sort_plan.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// These limits choose the algorithm, see docs/design/0003-sort-and-scan.md. Rows up to
// this length are sorted by rank; the second limit applies if a network is suitable.
constexpr int64_t kMaxRankRow = 256, kMaxRankRowWithNetwork = 64;
// Buckets and rows whose records take at most this many bytes are sorted by a network.
constexpr int64_t kMaxNetworkBytes = 16 << 10, kMaxNetworkRowBytes = 32 << 10;
constexpr int kMinNetworkLanes = 8;
// Rows from this length on are sorted by all threads, unless there are at least
// kMinRowsToShare rows.
constexpr int64_t kMinSplitRow = 1 << 15;
constexpr int64_t kMinRowsToShare = 8;
constexpr int64_t kMaxChunks = 64;
// The number of candidates beyond the `count` best ones that may collect before the worst
// are dropped.
constexpr int64_t kSlack = 448;
constexpr int64_t kMaxSampleRegisters = 32;
// If there are few rows, each is divided into parts of this many elements, one per chunk.
constexpr int64_t kPart = 1 << 15;
constexpr int64_t kMinParts = 16;
constexpr int64_t kRowsPerChunkElements = 1 << 14;

// Whether the keys are the elements themselves, so that nothing else must be written
// back.
bool KeysAreElements(ir::SortOp op, const SortOrder& order) {
  if (!order.is_value || op.getSources().size() != 1) return false;
  const SortKey& key = order.keys[0];
  return !IsFloat(key.type) || key.total_order;
}

bool CanUseNetwork(const RecordLayout& layout, const TargetTraits& target) {
  bool is_integer = !layout.has_position || layout.key_bits == 32;
  return is_integer && NetworkLanes(layout, target) >= kMinNetworkLanes;
}

// Whether so few elements are wanted that one pass is faster than a whole sort.
bool IsTopK(const SortShape& shape) {
  return shape.length >= 64 && shape.count * 8 <= shape.length;
}

void PlanOrdered(ir::SortOp op, const SortOrder& order, const TargetTraits& target,
                 SortPlan& plan) {
  using Kind = SortPlan::Kind;
  plan.layout = {order.bits <= 32 ? 32 : 64, !KeysAreElements(op, order)};
  const SortShape& shape = plan.shape;
  const CostModel& cost = target.cost;
  double key_words = order.bits <= 32 ? 1 : 2;
  double element_ns = key_words * cost.radix_sort_ns;
  if (CanUseNetwork(plan.layout, target))
    plan.max_network_records = kMaxNetworkBytes / plan.layout.Bytes();
  if (shape.length <=
      (plan.max_network_records > 0 ? kMaxRankRowWithNetwork : kMaxRankRow)) {
    plan.kind = Kind::kRank;
    plan.layout.has_position = true;  // elements move unchanged
    element_ns = cost.ranked_element_ns +
                 cost.rank_comparison_ns * static_cast<double>(shape.length);
  } else if (plan.max_network_records > 0 &&
             shape.length * plan.layout.Bytes() <= kMaxNetworkRowBytes) {
    plan.kind = Kind::kNetwork;
    element_ns = key_words * cost.network_sort_ns;
  } else if (shape.length >= kMinSplitRow && shape.rows < kMinRowsToShare) {
    plan.kind = Kind::kSplit;
  } else {
    plan.kind = Kind::kRadix;
  }
  plan.estimated_ns = element_ns * static_cast<double>(shape.rows * shape.length);
  int64_t buffer_records = plan.kind == Kind::kRank ? 0 : shape.length;
  if (plan.kind == Kind::kNetwork)
    buffer_records = NetworkBufferRecords(plan.layout, target, shape.length);
  plan.buffer_bytes = llvm::alignTo(buffer_records * plan.layout.Bytes(), 64);
  plan.region_bytes = 2 * plan.buffer_bytes;
  if (plan.kind == Kind::kSplit) {
    plan.chunks = std::min(kMaxChunks, (shape.length + kSortChunk - 1) / kSortChunk);
    plan.counters_offset = plan.region_bytes;
    plan.bits_offset = plan.counters_offset + (plan.chunks + 1) * 4 * kSortBuckets;
    plan.region_bytes = plan.bits_offset + llvm::alignTo(plan.chunks * 3 * 8, 64);
    plan.scratch_bytes = shape.rows * plan.region_bytes;
    int64_t all = shape.rows * plan.chunks;
    plan.phase_chunks = {all, all, shape.rows, all, all};
    if (!plan.layout.has_position && !order.merged.empty())
      plan.phase_chunks.push_back(shape.rows);
  } else {
    int64_t min_rows = (kSortChunk / 4 + shape.length - 1) / shape.length;
    plan.rows_per_chunk = std::max(min_rows, (shape.rows + kMaxChunks - 1) / kMaxChunks);
    plan.scratch_bytes = plan.RowChunks() * plan.region_bytes;
    plan.phase_chunks = {plan.RowChunks()};
  }
}

void PlanTopK(const SortOrder& order, const TargetTraits& target, SortPlan& plan) {
  plan.kind = SortPlan::Kind::kTopK;
  plan.layout = {order.bits <= 32 ? 32 : 64, /*has_position=*/true};
  const SortShape& shape = plan.shape;
  if (shape.rows < kMinRowsToShare) {
    // The first elements of each part are sorted, and then those of all parts.
    int64_t part = std::max(
        {kPart, 8 * shape.count, std::min(128 * shape.count, shape.length / kMinParts)});
    plan.parts = std::max<int64_t>(1, shape.length / part);
  }
  // A whole vector is written if its first lane is wanted.
  int64_t lanes = target.vector_bits / plan.layout.key_bits;
  plan.capacity = shape.count + std::max(kSlack, shape.count) + lanes;
  // About twice as many subsets as elements leave few candidates.
  const int64_t registers =
      std::min((2 * shape.count + lanes - 1) / lanes, kMaxSampleRegisters);
  if (shape.count <= registers * lanes) plan.samples = registers * lanes;
  int64_t key_bytes = plan.layout.key_bits / 8;
  plan.positions_offset = llvm::alignTo((plan.capacity + lanes) * key_bytes, 64);
  plan.records_offset = 2 * plan.positions_offset;
  int64_t record_bytes = llvm::alignTo((plan.capacity + lanes) * plan.layout.Bytes(), 64);
  plan.swap_records_offset = plan.records_offset + record_bytes;
  const int64_t block =
      std::min(kTopKBlock, (shape.length + plan.parts - 1) / plan.parts);
  plan.block_offset = plan.swap_records_offset + record_bytes + target.vector_bits / 8;
  plan.region_bytes = llvm::alignTo(
      plan.block_offset + llvm::alignTo(block + kTopKVectors * lanes, lanes) * key_bytes,
      64);
  plan.rows_per_chunk = std::max<int64_t>(1, kRowsPerChunkElements / shape.length);
  int64_t chunks = plan.parts > 1 ? shape.rows * plan.parts : plan.RowChunks();
  plan.phase_chunks = {chunks};
  plan.scratch_bytes = plan.best_offset = chunks * plan.region_bytes;
  if (plan.parts > 1) {
    plan.phase_chunks.push_back(shape.rows);
    plan.scratch_bytes += 2 * shape.rows * plan.parts * shape.count * plan.layout.Bytes();
  }
  plan.estimated_ns =
      static_cast<double>(shape.rows) *
      (target.cost.scanned_key_ns * static_cast<double>(shape.length) +
       target.cost.candidate_ns *
           static_cast<double>(plan.samples ? shape.count : shape.count + kSlack));
}

void PlanMerge(ir::SortOp op, const CostModel& cost, SortPlan& plan) {
  plan.kind = SortPlan::Kind::kMerge;
  int64_t length = plan.shape.length;
  plan.buffer_elements = plan.shape.rows * length;
  plan.blocks = (length + kSortBlock - 1) / kSortBlock;
  plan.rows_per_chunk = std::max<int64_t>(1, kSortBlock / length);
  int64_t block = std::min(length, kSortBlock);
  while ((kSortRun << plan.block_passes) < block) ++plan.block_passes;
  while ((kSortBlock << plan.merge_phases) < length) ++plan.merge_phases;
  int64_t element_bytes = 0;
  for (mlir::Value input : op.getInputs()) {
    auto type = llvm::cast<mlir::MemRefType>(input.getType());
    int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
    element_bytes += bytes;
    plan.buffer_offsets.push_back(plan.scratch_bytes);
    plan.scratch_bytes += llvm::alignTo(2 * plan.buffer_elements * bytes, 64);
  }
  plan.phase_chunks.push_back(plan.blocks == 1 ? plan.RowChunks()
                                               : plan.shape.rows * plan.blocks);
  for (int phase = 0; phase < plan.merge_phases; ++phase)
    plan.phase_chunks.push_back(plan.shape.rows *
                                ((length + kMergeGrain - 1) / kMergeGrain));
  int passes = plan.block_passes + plan.merge_phases;
  plan.estimated_ns = static_cast<double>(plan.buffer_elements) *
                      (cost.sorted_run_ns + cost.merge_pass_ns * passes) *
                      (element_bytes > 8 ? 2 : 1);
  // All merge phases except the last, which writes the results, share one function.
  for (int phase = 0; phase <= plan.merge_phases; ++phase)
    plan.function_of.push_back(phase == plan.merge_phases ? phase : std::min(phase, 1));
}

}  // namespace

SortShape ShapeOfSort(ir::SortOp op) {
  auto view = llvm::cast<mlir::MemRefType>(op.getInputs()[0].getType());
  auto output = llvm::cast<mlir::MemRefType>(op.getOutputs()[0].getType());
  SortShape shape;
  shape.inner = view.getDimSize(1);
  shape.rows = view.getDimSize(0) * shape.inner;
  shape.length = view.getDimSize(2);
  shape.count = output.getDimSize(2);
  return shape;
}

int NetworkLanes(const RecordLayout& layout, const TargetTraits& target) {
  return static_cast<int>(target.vector_bits / (8 * layout.Bytes()));
}

int64_t NetworkBufferRecords(const RecordLayout& layout, const TargetTraits& target,
                             int64_t count) {
  int64_t lanes = NetworkLanes(layout, target);
  int64_t rows = llvm::PowerOf2Ceil(llvm::divideCeil(count, lanes));
  // Padding of the last row may reach one row further.
  return (std::max<int64_t>(rows, kNetworkBlock) + 1) * lanes;
}

StatusOr<SortPlan> PlanSort(ir::SortOp op, const TargetTraits& target) {
  SortPlan plan;
  const SortShape shape = plan.shape = ShapeOfSort(op);
  if (shape.rows * shape.count == 0) return plan;
  if (shape.length > std::numeric_limits<int32_t>::max())
    return UnsupportedOp(
        *op,
        "a row of " + std::to_string(shape.length) +
            " elements is too long to sort; at most 2^31 - 1 elements are supported");
  if (auto top = PlanGroupTopK(op, target)) {
    // As of sorts by groups, below.
    plan.scratch_bytes = top->scratch_bytes;
    plan.estimated_ns =
        target.cost.scanned_key_ns * static_cast<double>(shape.rows * shape.length);
    return plan;
  }
  if (auto radix = PlanGroupRadix(op, target)) {
    plan.scratch_bytes = radix->scratch_bytes;
    plan.estimated_ns = target.cost.radix_sort_ns * radix->passes *
                        static_cast<double>(shape.rows * shape.length);
    return plan;
  }
  if (auto network = PlanGroupNetwork(op, target)) {
    plan.estimated_ns =
        target.cost.network_sort_ns * static_cast<double>(shape.rows * shape.length);
    return plan;
  }
  if (auto groups = PlanGroupSort(op, target)) {
    // Has no phases of its own: code generation plans the groups again.
    plan.scratch_bytes = groups->scratch_bytes;
    const auto passes =
        static_cast<double>(llvm::Log2_64_Ceil(static_cast<uint64_t>(shape.length) + 1));
    plan.estimated_ns = target.cost.merge_pass_ns * passes *
                        static_cast<double>(shape.rows * shape.length);
    return plan;
  }
  if (auto order = RecognizeSortOrder(op.getComparator().front())) {
    if (IsTopK(shape))
      PlanTopK(*order, target, plan);
    else
      PlanOrdered(op, *order, target, plan);
    return plan;
  }
  if (llvm::is_contained(op.getSources(), -1) || shape.count != shape.length ||
      op.getOutputs().size() != op.getSources().size())
    return Internal("a sort with an unknown order must keep all operands and results");
  PlanMerge(op, target.cost, plan);
  return plan;
}

}  // namespace tenon::compiler
