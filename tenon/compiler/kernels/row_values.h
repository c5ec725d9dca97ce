// Row values that several loops over a row use.
#ifndef TENON_COMPILER_KERNELS_ROW_VALUES_H_
#define TENON_COMPILER_KERNELS_ROW_VALUES_H_

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

// Stores costly values of the row at `outer`, the first indices in `shape`, that more
// than one loop uses, and binds them in `points`. Each reduction is a loop, and `results`
// are computed in one more. The storage is local to the chunk. Ops that only compute the
// values `known` are ignored. On a device, at most 1/`device_share` of the local memory
// of a group is used.
Status CacheRepeated(KernelFrame& frame, PointBuilder& points, mlir::ValueRange results,
                     mlir::ValueRange known, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<mlir::Value> outer, int64_t device_share);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_ROW_VALUES_H_
