// Makes fusions that differ in the values of constants alone equal, so that long programs
// have few kernels: the constants become operands.
#ifndef TENON_COMPILER_FUSION_SHARE_KERNELS_H_
#define TENON_COMPILER_FUSION_SHARE_KERNELS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

void ShareKernels(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_SHARE_KERNELS_H_
