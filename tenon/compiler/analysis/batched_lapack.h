// Calls of LAPACK for many small matrices, which are kernels of ours.
#ifndef TENON_COMPILER_ANALYSIS_BATCHED_LAPACK_H_
#define TENON_COMPILER_ANALYSIS_BATCHED_LAPACK_H_

#include <optional>

#include "mlir/IR/Operation.h"

namespace tenon::compiler {

struct BatchedLapack {
  llvm::StringRef kind;  // of tenon.linalg
  bool lower = false;
};

// Nothing for other ops, for few or large matrices, complex numbers, layouts other than
// LAPACK's, and results that only LAPACK has. By shapes alone.
std::optional<BatchedLapack> AsBatchedLapack(mlir::Operation* op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_BATCHED_LAPACK_H_
