// How many operations on numbers a program does, as XLA's cost analysis counts them.
#ifndef TENON_COMPILER_PIPELINE_COSTS_H_
#define TENON_COMPILER_PIPELINE_COSTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

struct Costs {
  double flops = 0;
  double transcendentals = 0;  // exp, log, sine ...: not among the flops
};

// Loops count as one round, branches as the dearest one.
Costs CountCosts(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_COSTS_H_
