// Makes a legalized function smaller: dead and repeated code goes, constants are folded.
#ifndef TENON_COMPILER_SIMPLIFY_SIMPLIFY_H_
#define TENON_COMPILER_SIMPLIFY_SIMPLIFY_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

struct SimplifyOptions {
  bool fold_constants = true;
  bool ieee_denormals = false;  // of the folded values, as of the code
};

Status Simplify(mlir::func::FuncOp function, const SimplifyOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_SIMPLIFY_H_
