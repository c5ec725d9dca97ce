// How a sort is done: by which method, in which phases, with what scratch. Plain values;
// any thread.
#ifndef TENON_COMPILER_PLAN_SORT_PLAN_H_
#define TENON_COMPILER_PLAN_SORT_PLAN_H_

#include <vector>

#include "tenon/base/status.h"
#include "tenon/compiler/analysis/sort_order.h"
#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

using compiler::SortKey;
using compiler::SortKeyBits;
using compiler::SortOrder;

// Runs that insertion sort makes before merging starts.
inline constexpr int kSortRunBits = 3;
inline constexpr int64_t kSortRun = 1 << kSortRunBits;
// Elements one chunk sorts on its own, and outputs one chunk of a merge writes.
inline constexpr int64_t kSortBlock = 4096;
inline constexpr int64_t kMergeGrain = 2 * kSortBlock;
// Bits of the digits of a radix sort that all threads share, and counters they take.
inline constexpr int kWideDigit = 11;
inline constexpr int64_t kSortBuckets = 1 << kWideDigit;
// Elements of a chunk of a sort by records.
inline constexpr int64_t kSortChunk = 1 << 15;
// Rows from which on digits have kWideDigit bits.
inline constexpr int64_t kMinWideDigitRow = 1 << 14;
// Rows of a sorting network that are sorted and merged in registers: more would be a
// little faster, but take much longer to compile.
inline constexpr int kNetworkBlockBits = 3;
inline constexpr int kNetworkBlock = 1 << kNetworkBlockBits;

// The rows of a sort. Outputs have `count` <= `length` elements a row.
struct SortShape {
  int64_t rows = 1, inner = 1, length = 1, count = 1;
};
SortShape ShapeOfSort(ir::SortOp op);

// Sorts of a known order work on records of a key and the position it comes from. Keys
// are unsigned integers, the smallest first. With a position the record is one integer of
// twice the bits of a 32-bit key (the key above), or a pair of 64-bit integers.
struct RecordLayout {
  int key_bits = 32;  // or 64
  bool has_position = false;

  int64_t Bytes() const { return key_bits / 8 * (has_position ? 2 : 1); }
};

// A sorting network works on registers of this many records.
int NetworkLanes(const RecordLayout& layout, const TargetTraits& target);
// How many records both of its buffers have room for, for at most `count` records.
int64_t NetworkRoom(const RecordLayout& layout, const TargetTraits& target,
                    int64_t count);

struct SortPlan {
  enum class Kind {
    kNothing,  // there are no elements
    kMerge,    // any comparator: blocks are sorted in parallel, then merged in parallel
    // Keys that are integers:
    kRank,     // a row at a time, each element to the place of its rank
    kNetwork,  // a row at a time, by a network of comparisons
    kRadix,    // a row at a time, by digits
    kSplit,    // rows that all threads share, by digits
    kTopK,     // the first few elements of each row only
  };
  Kind kind = Kind::kNothing;
  SortShape shape;
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  std::vector<int> function_of;  // as StructuredPlan has it
  double estimated_ns = 0;
  int64_t rows_per_chunk = 1;

  // kMerge: blocks of a row, merges within a block and of blocks, and where in scratch
  // the two buffers of each operand lie.
  int64_t blocks = 1;
  int block_passes = 0, merge_phases = 0;
  std::vector<int64_t> buffer_offsets;
  int64_t buffer_elements = 0;

  // Sorts by records. A region is the scratch of a chunk, or of a row that chunks share.
  RecordLayout layout;
  int64_t region_bytes = 0;
  int64_t network_most = 0;  // records of a bucket; 0: no network suits
  int64_t chunks = 1;        // kSplit: of a row
  // Of a region: two buffers of records, counters, bits.
  int64_t buffer_bytes = 0, counters_at = 0, bits_at = 0;
  // kTopK: parts of a row and candidates held. Of a region: keys, positions, two buffers
  // of records. Behind those of all chunks: the best of each part.
  int64_t parts = 1, capacity = 0;
  int64_t positions_at = 0, records_at = 0, other_at = 0, best_at = 0;

  // The chunks of all rows, rows_per_chunk each.
  int64_t RowChunks() const { return (shape.rows + rows_per_chunk - 1) / rows_per_chunk; }
};

// UNIMPLEMENTED for rows too long to number.
StatusOr<SortPlan> PlanSort(ir::SortOp op, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_SORT_PLAN_H_
