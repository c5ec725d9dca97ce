// Makes fusions equal that differ only in the values of constants, by turning the
// constants into operands. Long programs then have few kernels.
#ifndef TENON_COMPILER_FUSION_SHARE_KERNELS_H_
#define TENON_COMPILER_FUSION_SHARE_KERNELS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

void ShareKernels(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_SHARE_KERNELS_H_
