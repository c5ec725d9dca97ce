// Values of a row that several loops over it ask for.
#ifndef TENON_COMPILER_KERNELS_ROW_VALUES_H_
#define TENON_COMPILER_KERNELS_ROW_VALUES_H_

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

// Computes the costly values of the row at `outer`, the first indices in `shape`, that
// more than one loop asks for (each reduction is one, `results` are one more), into
// memory of the chunk, and tells `points`. What `known` are made of is not
// looked at.
Status KeepRepeated(KernelFrame& frame, PointBuilder& points, mlir::ValueRange results,
                    mlir::ValueRange known, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<mlir::Value> outer);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_ROW_VALUES_H_
