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

std::optional<GroupSortPlan> PlanGroupSort(ir::SortOp op, const TargetTraits& target) {
  constexpr uint64_t kMaxSlots = 4096, kMinSlots = 512, kFewSlots = 64;
  GroupSortPlan plan{.shape = ShapeOfSort(op)};
  if (!target.device || plan.shape.rows * plan.shape.count == 0 ||
      plan.shape.length > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  uint64_t slot_bytes = 4;  // a position and its keys
  for (unsigned operand : KeyOperands(op)) {
    mlir::Type argument = op.getComparator().front().getArgument(2 * operand).getType();
    slot_bytes += static_cast<uint64_t>(ElementBytes(ir::ElementTypeOfShaped(argument)));
  }
  // The rest of local memory is for what the comparator needs.
  const auto local_bytes = static_cast<uint64_t>(target.device->local_bytes) / 4 * 3;
  const uint64_t limit = std::min(kMaxSlots, std::bit_floor(local_bytes / slot_bytes));
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

}  // namespace tenon::compiler
