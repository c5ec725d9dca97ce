// Shardings of values that loops stack up, one slice per iteration.
#ifndef TENON_COMPILER_PARTITION_LOOP_STACKS_H_
#define TENON_COMPILER_PARTITION_LOOP_STACKS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/partition/program_shardings.h"

namespace tenon::compiler::partition {

// Lets a loop keep what it stacks up (the residuals of a scan, which its gradient reads)
// as the slices are split when they are computed. Propagation may give the stack the
// sharding of its reader, and then every slice is moved when it is written. If it is
// moved when it is read, that costs as much, and the reader often does not need it: the
// contraction of a product can be split as the slice is. So no program communicates more,
// as long as no slice is read by two loops.
//
// Changes the shardings of the stack in the loop that writes it and in the one that reads
// it, and of the slices. Only of stacks that the writing loop does not read, that have at
// most one reading loop, and that are no parameter or result of the program.
void KeepStacksAsWritten(mlir::func::FuncOp function, ProgramShardings& shardings);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOOP_STACKS_H_
