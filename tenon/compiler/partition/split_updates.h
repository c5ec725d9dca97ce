// Computes once per group what follows a reduction, such as the update of weights.
#ifndef TENON_COMPILER_PARTITION_SPLIT_UPDATES_H_
#define TENON_COMPILER_PARTITION_SPLIT_UPDATES_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/partition/mesh_code.h"
#include "tenon/compiler/partition/replication.h"

namespace tenon::compiler::partition {

// Replaces an all_reduce whose result is only used by elementwise ops that lead to one
// value, such as
//   w - rate * all_reduce(g)
// by a reduce_scatter, the ops on parts, and an all_gather of that value. Each device
// then computes a part of what all would compute alike, and as many bytes are sent.
//
// Transposes and reshapes between the two are computed before the reduction.
//
// Only if the other operands are the same on all devices of the group (replication.h),
// because the result has elements that each of them computed. `arguments` are the sets of
// the function's arguments. The mesh has at most kMaxAxes axes, and there is one replica.
void SplitUpdates(mlir::func::FuncOp function,
                  llvm::ArrayRef<Replication::AxisSet> arguments, MeshCode& code);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_SPLIT_UPDATES_H_
