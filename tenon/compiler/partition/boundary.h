// Shardings of the program's arguments and results: what the client sees.
#ifndef TENON_COMPILER_PARTITION_BOUNDARY_H_
#define TENON_COMPILER_PARTITION_BOUNDARY_H_

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// The sharding of which each dimension keeps the major axes that divide its size. The
// last of them may be a sub-axis.
Sharding LargestDivisible(const Sharding& sharding, llvm::ArrayRef<int64_t> shape,
                          const Mesh& mesh);

// The sharding without the sub-axes that propagation gave to open dimensions, and without
// the axes after them.
Sharding WithoutOpenSubAxes(const Sharding& sharding, const Mesh& mesh);

// After propagation: makes the shardings of the main function's arguments and results
// divisible and closed. A sharding that the program gives, and that divides the shape,
// stays as it is. Manual computations' shardings become divisible too.
Status SettleBoundary(mlir::ModuleOp module);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_BOUNDARY_H_
