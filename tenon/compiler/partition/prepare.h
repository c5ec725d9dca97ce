// Changes a program so that shardings propagate through it as through Shardy's programs.
// Each function works on the whole module, on the thread that owns it.
#ifndef TENON_COMPILER_PARTITION_PREPARE_H_
#define TENON_COMPILER_PARTITION_PREPARE_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/sharding_table.h"

namespace tenon::compiler::partition {

// Replaces each call by an sdy.named_computation with the callee's body and adds its
// edges, and erases the callees. Fails on recursion and on programs that grow beyond a
// limit.
Status ImportCalls(mlir::ModuleOp module);
// Replaces each sdy.named_computation by its body.
void InlineNamedComputations(mlir::ModuleOp module);

// Gives each user of a constant expression a copy of it, so that a constant does not tie
// its users' shardings together. Constants, iotas, and elementwise ops, broadcasts,
// reshapes and slices of them are constant expressions; a broadcast scalar is copied too.
void SplitConstants(mlir::ModuleOp module);

// Gives the shardings of constraints and of manual computations' operands to the values
// that they constrain, where Shardy does.
void ApplyConstraints(mlir::ModuleOp module, ShardingTable& table);

// Groups of values that must be sharded alike, and their members.
struct ShardingGroups {
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> members;
  llvm::DenseMap<mlir::Value, int32_t> group_of;
};
// Reads the sdy.sharding_group ops. Groups that share a value become one. Members get the
// sharding that one of them has; if they contradict each other, open constraints are
// added and take the members' places. Fails if members have different shapes or are in
// different manual computations.
StatusOr<ShardingGroups> ImportGroups(mlir::ModuleOp module, ShardingTable& table);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PREPARE_H_
