// Factorizations and triangular systems on a device, where one group of items computes a
// matrix: large ones become loops over blocks of small ones and products, which use the
// whole device. No state.
#ifndef TENON_COMPILER_PIPELINE_BLOCK_FACTORIZATIONS_H_
#define TENON_COMPILER_PIPELINE_BLOCK_FACTORIZATIONS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Replaces tenon.cholesky, tenon.lu and stablehlo.triangular_solve of large matrices in
// `entry`. Only after the optimized program is written: it keeps the ops.
void BlockFactorizations(mlir::func::FuncOp entry);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_BLOCK_FACTORIZATIONS_H_
