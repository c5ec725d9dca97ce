// Constant folding: evaluates one operation on constant operands.
#ifndef TENON_REFERENCE_FOLD_H_
#define TENON_REFERENCE_FOLD_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace tenon::reference {

struct FoldOptions {
  bool flush_denormals = true;
  // Limit of the bytes by which results may exceed the operands, as constants are stored
  // (a splat is one element). So folding never grows data by more than 64 KiB.
  int64_t max_growth_bytes = 64 << 10;
  // Limit of the operands' bytes, which keeps folding cheap compared with compiling.
  int64_t max_operand_bytes = 16 << 20;
  // Limit of element operations (work.h): at most some tens of milliseconds.
  int64_t max_work = 16 << 20;
  // Limit of executed operations, for ops that contain loops: 3 us each.
  int64_t max_steps = 4000;
};

// Returns the values of all results of `op`. Returns nullopt if an operand is no
// constant, if the op has side effects, if the evaluator does not support it (custom
// calls, random numbers, device numbers and so on), if its bits depend on how code
// computes it (same_bits.h), or if it exceeds a limit. Splats stay splats if the op
// permits it, whatever their size. `op` does not change. Several threads may call this
// while no module changes.
std::optional<llvm::SmallVector<mlir::Attribute>> FoldOp(mlir::Operation* op,
                                                         const FoldOptions& options = {});

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_FOLD_H_
