// What loops carry, and where what does not change in them is computed.
#ifndef TENON_COMPILER_SIMPLIFY_LOOPS_H_
#define TENON_COMPILER_SIMPLIFY_LOOPS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Values that a loop hands on unchanged are no longer carried, and operands of products
// and the like that are the same in every round are computed before the loop.
void SimplifyLoops(mlir::func::FuncOp function);

// Makes constants of one value, iotas and broadcasts anew in the regions of control flow
// that use them, where they become part of kernels; from outside they come as arrays. The
// last thing to be done: sharing equal ops would undo it.
void SinkSpreads(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_LOOPS_H_
