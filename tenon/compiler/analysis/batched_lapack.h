// Recognizes LAPACK calls on batches of small matrices, for which Tenon has kernels.
#ifndef TENON_COMPILER_ANALYSIS_BATCHED_LAPACK_H_
#define TENON_COMPILER_ANALYSIS_BATCHED_LAPACK_H_

#include <optional>

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

struct BatchedLapack {
  ir::LinalgKind kind;
  bool lower = false;
};

// The kernel that replaces `op`. Nullopt for other ops, small batches, large matrices,
// complex numbers, layouts other than LAPACK's, and calls of which a result is used that
// the kernel does not compute. Depends on shapes and RecordLapackBatches alone.
std::optional<BatchedLapack> AsBatchedLapack(mlir::Operation* op);

// Records the batches of whole arrays in LAPACK calls. After the program is partitioned,
// AsBatchedLapack decides by them: the algorithms differ in the signs of the vectors that
// they return, and results must not depend on the number of devices.
void RecordLapackBatches(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_BATCHED_LAPACK_H_
