// Sorts on a device, by any comparator: groups of items sort blocks of positions in local
// memory, then all items merge the blocks of each row. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_GROUP_SORT_PLAN_H_
#define TENON_COMPILER_PLAN_GROUP_SORT_PLAN_H_

#include <optional>
#include <vector>

#include "tenon/compiler/plan/sort_plan.h"

namespace tenon::compiler {

struct GroupSortPlan {
  SortShape shape;
  // The positions in the local memory of a group: a power of two. They are those of
  // `group_rows` rows, or of one of `blocks` blocks of a row.
  int64_t group_slots = 1, group_rows = 1, blocks = 1;
  int merge_passes = 0;
  // Two buffers of 32-bit positions, if there is more than one block.
  int64_t scratch_bytes = 0;

  // The groups that sort blocks.
  int64_t Groups() const {
    return blocks > 1 ? shape.rows * blocks : (shape.rows + group_rows - 1) / group_rows;
  }
};

// The first elements of rows, if they are few. Groups go through the parts of rows, tile
// by tile, and keep candidates in slots of local memory.
struct GroupTopKPlan {
  SortShape shape;
  int items = 1;
  // A power of two; the elements of a tile; the candidates after which the best are
  // chosen. A tile of candidates fits beside them.
  int64_t slots = 1, tile = 1, most_waiting = 0;
  int64_t parts = 1, part_length = 1;
  // The positions of the first elements of parts, if there are several.
  int64_t scratch_bytes = 0;
};

// Digits of a pass of a radix sort, and those whose counts a group adds up.
inline constexpr int64_t kRadixDigits = 256, kSummedDigits = 32;

// Radix sorts of records of 64 bits, a 32-bit key and a position.
struct GroupRadixPlan {
  SortShape shape;
  int items = 256, passes = 1;
  int64_t tile = 2048;  // the records that a group sorts in local memory
  int64_t tiles = 1;    // of a row
  // In scratch: up to two buffers of records, the counts of the digits of each tile, and
  // those of each row.
  int64_t counts_offset = 0, totals_offset = 0, scratch_bytes = 0;
};

// Bitonic sorts of such records, of one or several rows in a group.
struct GroupNetworkPlan {
  SortShape shape;
  int items = 1;
  int64_t slots = 1, row_slots = 1;  // powers of two

  int64_t Groups() const {
    const int64_t group_rows = slots / row_slots;
    return (shape.rows + group_rows - 1) / group_rows;
  }
};
// The bytes of `count` records in local memory, where every ninth place is empty.
constexpr int64_t LocalRecordBytes(int64_t count) { return count / 8 * 9 * 8; }

// The operands that the comparator reads.
std::vector<unsigned> KeyOperands(ir::SortOp op);

// Nullopt if the target has no device, there is nothing to sort, or the keys of a few
// positions do not fit local memory.
std::optional<GroupSortPlan> PlanGroupSort(ir::SortOp op, const TargetTraits& target);
// Nullopt unless the comparator has the order of keys of at most 32 bits, and rows are
// longer than a group can sort.
std::optional<GroupRadixPlan> PlanGroupRadix(ir::SortOp op, const TargetTraits& target);
// Nullopt unless the comparator has such an order, and a group can sort a row.
std::optional<GroupNetworkPlan> PlanGroupNetwork(ir::SortOp op,
                                                 const TargetTraits& target);
// Nullopt if a sort is better, or not possible on this target.
std::optional<GroupTopKPlan> PlanGroupTopK(ir::SortOp op, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_GROUP_SORT_PLAN_H_
