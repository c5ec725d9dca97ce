// Counts a program's arithmetic operations as XLA's cost analysis does.
#ifndef TENON_COMPILER_PIPELINE_COSTS_H_
#define TENON_COMPILER_PIPELINE_COSTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

struct Costs {
  double flops = 0;
  double transcendentals = 0;  // exp, log, sine and so on; not counted in flops
};

// Loops count as one iteration, branches as the most expensive one.
Costs CountCosts(mlir::func::FuncOp function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_COSTS_H_
