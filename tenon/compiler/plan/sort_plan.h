// The method of a sort, its phases and its scratch. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_SORT_PLAN_H_
#define TENON_COMPILER_PLAN_SORT_PLAN_H_

#include <vector>

#include "tenon/base/status.h"
#include "tenon/compiler/analysis/sort_order.h"
#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// Length of the runs that insertion sort sorts before merging starts.
inline constexpr int kSortRunBits = 3;
inline constexpr int64_t kSortRun = 1 << kSortRunBits;
// Elements that one chunk sorts on its own, and outputs that one chunk of a merge writes.
inline constexpr int64_t kSortBlock = 4096;
inline constexpr int64_t kMergeGrain = 2 * kSortBlock;
// The keys that the search for the first elements of a row looks at at a time.
inline constexpr int64_t kTopKBlock = 4096;
// The vectors of keys that it looks at together.
inline constexpr int kTopKVectors = 4;
// Bits of a digit of a radix sort that all threads share, and the counters that it needs.
inline constexpr int kWideDigit = 11;
inline constexpr int64_t kSortBuckets = 1 << kWideDigit;
// Elements per chunk of a sort by records.
inline constexpr int64_t kSortChunk = 1 << 15;
// From this row length on, digits have kWideDigit bits.
inline constexpr int64_t kMinWideDigitRow = 1 << 14;
// Rows of a sorting network that are sorted and merged in registers. More rows would be a
// little faster, but take much longer to compile.
inline constexpr int kNetworkBlockBits = 3;
inline constexpr int kNetworkBlock = 1 << kNetworkBlockBits;

// The rows of a sort. Outputs have `count` <= `length` elements per row.
struct SortShape {
  int64_t rows = 1, inner = 1, length = 1, count = 1;
};
SortShape ShapeOfSort(ir::SortOp op);

// Sorts with a known order work on records: a key, and the position that it comes from.
// Keys are unsigned integers, smallest first. With a position, the record is one integer
// of twice the bits if the key has 32 bits (the key in the upper half), or a pair of
// 64-bit integers.
struct RecordLayout {
  int key_bits = 32;  // or 64
  bool has_position = false;

  int64_t Bytes() const { return key_bits / 8 * (has_position ? 2 : 1); }
};

// The number of records in a register of a sorting network.
int NetworkLanes(const RecordLayout& layout, const TargetTraits& target);
// The number of records that each of its two buffers has room for, to sort at most
// `count` records.
int64_t NetworkBufferRecords(const RecordLayout& layout, const TargetTraits& target,
                             int64_t count);

struct SortPlan {
  enum class Kind {
    kNothing,  // there are no elements
    kMerge,    // any comparator: blocks are sorted in parallel, then merged in parallel
    // Integer keys:
    kRank,     // row by row, each element to the position of its rank
    kNetwork,  // row by row, by a sorting network
    kRadix,    // row by row, radix sort
    kSplit,    // radix sort of rows that all threads share
    kTopK,     // only the first few elements of each row
  };
  Kind kind = Kind::kNothing;
  SortShape shape;
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  std::vector<int> function_of;  // as in StructuredPlan
  double estimated_ns = 0;
  int64_t rows_per_chunk = 1;

  // kMerge: blocks of a row, merge passes within a block and over blocks, and the offsets
  // in scratch of the two buffers of each operand.
  int64_t blocks = 1;
  int block_passes = 0, merge_phases = 0;
  std::vector<int64_t> buffer_offsets;
  int64_t buffer_elements = 0;

  // Sorts by records. A region is the scratch of a chunk, or of a row that chunks share.
  RecordLayout layout;
  int64_t region_bytes = 0;
  // Largest bucket that a network sorts, in records; 0: no network.
  int64_t max_network_records = 0;
  int64_t chunks = 1;  // kSplit: chunks of a row
  // Within a region: two buffers of records, counters, bits.
  int64_t buffer_bytes = 0, counters_offset = 0, bits_offset = 0;
  // kTopK: parts of a row, and the capacity for candidates. Within a region: keys,
  // positions, two buffers of records, the keys of a block with room for a vector before
  // and kTopKVectors after them. After all regions: the best records of each part.
  int64_t parts = 1, capacity = 0;
  // kTopK: the number of subsets of a block whose smallest keys bound the first elements
  // of all; 0: they are not computed.
  int64_t samples = 0;
  int64_t positions_offset = 0, records_offset = 0, swap_records_offset = 0,
          block_offset = 0, best_offset = 0;

  // The chunks of all rows, rows_per_chunk each.
  int64_t RowChunks() const { return (shape.rows + rows_per_chunk - 1) / rows_per_chunk; }
};

// UNIMPLEMENTED for rows that are too long for 32-bit positions.
StatusOr<SortPlan> PlanSort(ir::SortOp op, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_SORT_PLAN_H_
