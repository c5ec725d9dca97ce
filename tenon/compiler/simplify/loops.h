// Reduces what loops carry and what they recompute.
#ifndef TENON_COMPILER_SIMPLIFY_LOOPS_H_
#define TENON_COMPILER_SIMPLIFY_LOOPS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Drops loop-carried values that never change, and hoists invariant operands of products
// and other heavy ops out of loops.
void SimplifyLoops(mlir::func::FuncOp function);

// Computes elements of iotas from their index. A scan over an iota reads no array then.
void IndexIotas(mlir::func::FuncOp function);

// Clones splat constants, iotas and broadcasts into the control-flow regions that use
// them, so that kernels in the region compute them instead of reading arrays. Must run
// last, because common subexpression elimination would undo it.
void SinkBroadcasts(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_SIMPLIFY_LOOPS_H_
