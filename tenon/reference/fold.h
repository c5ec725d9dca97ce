// Constant folding: one operation of constant operands, evaluated.
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
  // Bytes by which the results may outgrow the operands, as constants are stored (a splat
  // is one element). Design 4.5: folding never grows data beyond 64 KiB.
  int64_t max_growth_bytes = 64 << 10;
  // Bytes of operands to look at, so that folding stays cheap next to compiling.
  int64_t max_operand_bytes = 16 << 20;
  // Element operations (work.h): some tens of milliseconds at most.
  int64_t max_work = 16 << 20;
  // Operations executed, for ops that carry loops.
  int64_t max_steps = 100000;
};

// The values of all results of `op`, or none when an operand is no constant, the op has
// side effects, is not evaluated (custom calls, random numbers, device numbers, ...), is
// one whose bits depend on how code computes it (same_bits.h) or exceeds a limit. Splats
// stay splats where the op allows it, whatever their size. `op` is not changed. May run
// on several threads where no module changes.
std::optional<llvm::SmallVector<mlir::Attribute>> FoldOp(mlir::Operation* op,
                                                         const FoldOptions& options = {});

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_FOLD_H_
