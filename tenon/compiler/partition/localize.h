// The program of one device, from a program on whole tensors.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/program_shardings.h"

namespace tenon::compiler::partition {

// Replaces `function` by the program that every device of the mesh runs: StableHLO on the
// device's parts of tensors, with collectives between partitions. Arguments and results
// are split by their shardings, which must divide their shapes. The function has no calls
// and static shapes.
//
// An op with a factor rule computes on parts (decide.h); its operands are moved to the
// shardings that it needs, and its results to those of the program. All other ops are
// computed on whole tensors by every device. UNIMPLEMENTED for ops with side effects
// outside of manual computations, and for tensors that are unreduced by max or min.
Status Localize(mlir::func::FuncOp function, const ProgramShardings& shardings);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_H_
