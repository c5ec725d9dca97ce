// Propagation of shardings through a program, in Shardy's order and with its results.
#ifndef TENON_COMPILER_PARTITION_PROPAGATE_H_
#define TENON_COMPILER_PARTITION_PROPAGATE_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler::partition {

// Gives every value that a sharding reaches a sharding. Those that the program gives
// stay, except that open dimensions may gain axes. The shardings are written as sdy
// attributes: sdy.sharding on ops, on the arguments of functions and on the results of
// the main function, and in the attributes of sdy ops.
//
// Also changes the program as prepare.h says, so that it has sdy.named_computation ops
// and copies of constants, and erases dead ops. Fails on malformed shardings and rules,
// and on groups whose members differ.
Status PropagateShardings(mlir::ModuleOp module);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PROPAGATE_H_
