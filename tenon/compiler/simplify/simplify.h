// Simplifies a legalized function: removes dead and repeated code, folds constants, and
// applies algebraic and loop rewrites.
#ifndef TENON_COMPILER_SIMPLIFY_SIMPLIFY_H_
#define TENON_COMPILER_SIMPLIFY_SIMPLIFY_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

struct SimplifyOptions {
  bool fold_constants = true;
  bool ieee_denormals = false;  // folding keeps denormals, as the generated code does
};

Status Simplify(mlir::func::FuncOp function, const SimplifyOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_SIMPLIFY_H_
