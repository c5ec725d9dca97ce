#include "tenon/compiler/plan/group_sort_plan.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {

std::vector<unsigned> KeyOperands(ir::SortOp op) {
  mlir::Block& block = op.getComparator().front();
  std::vector<unsigned> operands;
  for (unsigned number = 0; number < op.getSources().size(); ++number)
    if (!block.getArgument(2 * number).use_empty() ||
        !block.getArgument(2 * number + 1).use_empty())
      operands.push_back(number);
  return operands;
}

namespace {

// Of a sort in local memory.
constexpr uint64_t kMaxSlots = 4096;

// The slots, each a position and its keys, that fit local memory: a power of two, at most
// `most`. The rest of local memory is for what the comparator needs.
uint64_t FittingSlots(ir::SortOp op, const DeviceTarget& device, uint64_t most) {
  uint64_t bytes = 4;
  for (unsigned operand : KeyOperands(op)) {
    mlir::Type argument = op.getComparator().front().getArgument(2 * operand).getType();
    bytes += static_cast<uint64_t>(ElementBytes(ir::ElementTypeOfShaped(argument)));
  }
  const auto local_bytes = static_cast<uint64_t>(device.local_bytes) / 4 * 3;
  return std::min(most, std::bit_floor(local_bytes / bytes));
}

// The bits of the keys of records of 64 bits; 0 if there are no such records.
int RecordKeyBits(ir::SortOp op) {
  const auto order = RecognizeSortOrder(op.getComparator().front());
  if (!order || order->bits > 32 || llvm::any_of(order->operands, [&](unsigned operand) {
        return op.getSources()[operand] < 0;
      }))
    return 0;
  return order->bits;
}

}  // namespace

std::optional<GroupSortPlan> PlanGroupSort(ir::SortOp op, const TargetTraits& target) {
  constexpr uint64_t kMinSlots = 512, kFewSlots = 64;
  GroupSortPlan plan{.shape = ShapeOfSort(op)};
  if (!target.device || plan.shape.rows * plan.shape.count == 0 ||
      plan.shape.length > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  const uint64_t limit = FittingSlots(op, *target.device, kMaxSlots);
  if (limit < kFewSlots) return std::nullopt;
  const auto length = static_cast<uint64_t>(plan.shape.length);
  const auto rows = static_cast<uint64_t>(plan.shape.rows);
  uint64_t slots = std::bit_ceil(length);
  if (slots <= limit) {
    const uint64_t fitting = std::max<uint64_t>(1, std::min(kMinSlots, limit) / slots);
    const uint64_t group_rows = std::bit_ceil(std::min(fitting, rows));
    plan.group_rows = static_cast<int64_t>(group_rows);
    slots *= group_rows;
  } else {
    slots = limit;
    plan.blocks = static_cast<int64_t>(llvm::divideCeil(length, slots));
    while ((slots << plan.merge_passes) < length) ++plan.merge_passes;
    plan.scratch_bytes = static_cast<int64_t>(2 * rows * length * 4);
  }
  plan.group_slots = static_cast<int64_t>(slots);
  return plan;
}

std::optional<GroupRadixPlan> PlanGroupRadix(ir::SortOp op, const TargetTraits& target) {
  GroupRadixPlan plan{.shape = ShapeOfSort(op)};
  const SortShape& shape = plan.shape;
  if (!target.device || target.device->max_group_items < plan.items ||
      shape.rows * shape.count == 0 || shape.length <= static_cast<int64_t>(kMaxSlots) ||
      shape.length > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  const int bits = RecordKeyBits(op);
  if (bits == 0) return std::nullopt;
  plan.passes = (bits + 7) / 8;
  plan.tiles = static_cast<int64_t>(llvm::divideCeil(shape.length, plan.tile));
  plan.counts_offset = std::min(2, plan.passes - 1) * shape.rows * shape.length * 8;
  plan.totals_offset = plan.counts_offset + shape.rows * plan.tiles * kRadixDigits * 4;
  plan.scratch_bytes = plan.totals_offset + shape.rows * kRadixDigits * 4;
  return plan;
}

std::optional<GroupNetworkPlan> PlanGroupNetwork(ir::SortOp op,
                                                 const TargetTraits& target) {
  // Groups of eight records for each item, but smaller ones until there are many.
  constexpr int64_t kItemRecords = 8, kMaxGroup = 2048, kMinGroup = 256,
                    kManyGroups = 256;
  GroupNetworkPlan plan{.shape = ShapeOfSort(op)};
  const SortShape& shape = plan.shape;
  if (!target.device || shape.rows * shape.count == 0 || RecordKeyBits(op) == 0)
    return std::nullopt;
  plan.row_slots =
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(shape.length)));
  plan.slots = std::max(plan.row_slots, kMaxGroup);
  while (plan.slots > std::max(plan.row_slots, kMinGroup) && plan.Groups() < kManyGroups)
    plan.slots /= 2;
  if (plan.row_slots > static_cast<int64_t>(kMaxSlots) ||
      LocalRecordBytes(plan.slots) > target.device->local_bytes)
    return std::nullopt;
  plan.items = static_cast<int>(
      std::min<int64_t>(plan.slots / kItemRecords, target.device->max_group_items));
  return plan;
}

std::optional<GroupTopKPlan> PlanGroupTopK(ir::SortOp op, const TargetTraits& target) {
  // Groups that fill a device, and the elements and candidates that are worth one.
  constexpr int64_t kManyGroups = 512, kMinPart = 4096, kMaxCandidates = 1 << 15;
  constexpr uint64_t kMaxCandidateSlots = 2048;
  GroupTopKPlan plan{.shape = ShapeOfSort(op)};
  const SortShape& shape = plan.shape;
  if (!target.device || shape.rows * shape.count == 0 ||
      shape.length >= std::numeric_limits<int32_t>::max())
    return std::nullopt;
  plan.slots = static_cast<int64_t>(FittingSlots(op, *target.device, kMaxCandidateSlots));
  plan.tile = plan.slots / 2;
  if (plan.slots < 64 || 4 * shape.count > plan.slots || 8 * shape.count > shape.length ||
      shape.length < plan.slots)
    return std::nullopt;
  plan.items =
      static_cast<int>(std::min<int64_t>(plan.tile, target.device->max_group_items));
  plan.most_waiting = shape.count + plan.slots / 8;
  plan.parts = std::clamp<int64_t>(
      std::min(kManyGroups / shape.rows, kMaxCandidates / shape.count), 1,
      std::max<int64_t>(1, shape.length / std::max(kMinPart, 16 * shape.count)));
  // Parts begin at whole tiles, so that their loads are aligned.
  plan.part_length = static_cast<int64_t>(
      llvm::alignTo(llvm::divideCeil(shape.length, plan.parts), plan.tile));
  plan.parts = static_cast<int64_t>(llvm::divideCeil(shape.length, plan.part_length));
  if (plan.parts > 1) plan.scratch_bytes = shape.rows * plan.parts * shape.count * 4;
  return plan;
}

}  // namespace tenon::compiler
