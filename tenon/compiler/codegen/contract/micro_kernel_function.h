// The micro-kernel as a function that programs share (ir/shared_names.h): one register
// tile, whose strides and trip counts are arguments.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_MICRO_KERNEL_FUNCTION_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_MICRO_KERNEL_FUNCTION_H_

#include <optional>
#include <string>
#include <utility>

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/types/element_type.h"

namespace tenon::codegen {

// What the code depends on. A tile of `rows` x `vectors` x `lanes` sums of products.
struct MicroKernel {
  // Taps along the tile's rows for which the first and the last rows are padding.
  struct Run {
    int skip_first = 0, skip_last = 0;
  };
  ElementType type;  // of the operands and the sums: kF32 or kF64
  int lanes = 1, rows = 1, vectors = 1;
  int unroll = 1;           // independent sets of sums
  bool is_partial = false;  // lanes of the last vector do not exist
  bool fma = false;
  llvm::SmallVector<Run, 3> runs = {Run()};
  // There is a loop over taps, each of which has steps. Otherwise a run is one loop over
  // the steps of all its taps.
  bool has_taps = false;
  // Both operands are vectors (depthwise convolutions): a step is all taps along a row,
  // and there are no runs. Row r and tap t read a at r * row_step + t * tap_step.
  struct RowTaps {
    int row_step = 1, tap_step = 1;
    int taps = 1;
    // If windows reach past the ends of a row, for each tap: the first row of the first
    // tile whose element exists, and one past the last such row of the last tile.
    llvm::SmallVector<std::pair<int, int>, 4> rows;
  };
  std::optional<RowTaps> row_taps;
  // Some blocks of b are multiplied with padding.
  bool has_padding = false;

  // Without the prefix. Equal names mean equal code.
  std::string Name() const;
};

// The loops, from the outside: blocks; for each block the runs, one after the other; for
// each run its taps, if there are any; the steps. A step is one index of k. Pointers move
// on through all loops: `a_next` and `b_next` are the bytes from the end of an iteration
// of a loop to the start of the next.
struct MicroKernelArguments {
  struct Loop {
    int64_t a_next = 0, b_next = 0;
  };
  struct Run {
    llvm::Value *taps, *steps;  // i64; without a loop over taps, `taps` is null
  };
  // The sums go to `dest`, and are added to those there if `adds` (i64) is not 0.
  llvm::Value *dest, *dest_row_bytes, *adds;
  llvm::Value *a, *b;
  int64_t a_row_bytes = 0;  // with taps along a row: of a unit of their steps
  // With taps along a row, if windows reach past its ends: whether the tile is the first
  // and the last (i64).
  llvm::Value *is_first = nullptr, *is_last = nullptr;
  llvm::Value* blocks;  // i64
  Loop block, tap, step;
  llvm::SmallVector<Run, 3> runs;
  // With padding: the blocks of b before and after those that are multiplied with a, and
  // their numbers (i64). Their elements that are not finite make NaN. `padding_steps` is
  // the number of steps of each, which are adjacent.
  llvm::Value *before = nullptr, *blocks_before = nullptr;
  llvm::Value *after = nullptr, *blocks_after = nullptr;
  int64_t padding_steps = 0;
  int64_t last_lanes = 0;  // lanes of the last vector, if it is partial
};

// Emits a call, and the function if the module does not have it.
Status CallMicroKernel(IrBuilder& b, const MicroKernel& kernel,
                       const MicroKernelArguments& arguments);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_MICRO_KERNEL_FUNCTION_H_
