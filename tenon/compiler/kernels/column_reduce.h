// Column reductions of large arrays, which keep the innermost dimension. Reads whole rows
// in memory order, several at a time, into a row of accumulators.
#ifndef TENON_COMPILER_KERNELS_COLUMN_REDUCE_H_
#define TENON_COMPILER_KERNELS_COLUMN_REDUCE_H_

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

// Depends on shapes alone, and so does the order in which elements are combined.
struct ColumnReducePlan {
  llvm::SmallVector<stablehlo::ReduceOp> reduces;  // all over the same dimensions
  llvm::SmallVector<int64_t> shape;                // of the reduced arrays
  llvm::SmallVector<int64_t> reduced;              // dimensions, ascending
  size_t outer_rank;         // result dimensions that the phase loops over, not the row
  int64_t columns_rank;      // last dimensions of a row that one loop goes through
  int64_t column_block;      // elements of that loop in a block
  int64_t parts;             // parts of a column that are reduced independently
  int64_t first_rows, rows;  // rows that a part starts with; rows per later step
  // All are sums of floats: each block of steps is summed from zero, so that rounding
  // errors are those of short sums.
  bool sums_in_blocks;
};

// Nullopt if the fusion contains other reductions, or is too small to benefit.
std::optional<ColumnReducePlan> PlanColumnReduce(KernelFrame& frame);
Status BuildColumnReduce(KernelFrame& frame, const ColumnReducePlan& plan);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_COLUMN_REDUCE_H_
