// Reductions down the columns of large arrays (the innermost dimension is kept): whole
// rows are read in the order of memory, several at once, into a row of accumulators.
#ifndef TENON_COMPILER_KERNELS_COLUMN_REDUCE_H_
#define TENON_COMPILER_KERNELS_COLUMN_REDUCE_H_

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

// Depends on shapes alone, and with it the order of the combinations.
struct ColumnReducePlan {
  llvm::SmallVector<stablehlo::ReduceOp> reduces;  // all over the same dimensions
  llvm::SmallVector<int64_t> shape;                // of what is reduced
  llvm::SmallVector<int64_t> reduced;              // dimensions, ascending
  size_t outer_rank;         // dimensions of the result that are a phase's, not a row's
  int64_t column_block;      // of the last dimension
  int64_t parts;             // pieces of a column that are reduced apart from each other
  int64_t first_rows, rows;  // that a part starts with, that it takes at a time
};

// Nothing if the fusion holds something else, or is too small for it to matter.
std::optional<ColumnReducePlan> PlanColumnReduce(KernelFrame& frame);
Status BuildColumnReduce(KernelFrame& frame, const ColumnReducePlan& plan);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_COLUMN_REDUCE_H_
