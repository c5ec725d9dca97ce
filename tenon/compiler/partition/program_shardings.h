// The sharding of every value of a program, as the partitioner takes it.
#ifndef TENON_COMPILER_PARTITION_PROGRAM_SHARDINGS_H_
#define TENON_COMPILER_PARTITION_PROGRAM_SHARDINGS_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// Of an sdy.manual_computation.
struct ManualShardings {
  Axes axes;                                // the manual axes
  std::vector<Sharding> operands, results;  // with the manual axes
};

// All shardings are over the axes of `mesh`. The `mesh` of a sharding is the number of
// its order of devices. It is 0 except for arguments and results of the function and of
// manual computations: for other values, the parts may be on any device.
struct ProgramShardings {
  Mesh mesh;
  std::vector<DeviceOrder> orders;  // the first is that of `mesh`
  // Values without an entry are replicated.
  llvm::DenseMap<mlir::Value, Sharding> values;
  std::vector<std::optional<Sharding>> results;  // of the function, where given
  llvm::DenseMap<mlir::Operation*, ManualShardings> manual;

  // Null for values without an entry.
  const Sharding* Find(mlir::Value value) const;
  // `mesh` with its devices in the order of the sharding.
  Mesh MeshOf(const Sharding& sharding) const;
};

// Reads the shardings that the attributes of `function` and its ops give: of arguments
// and results, of single ops (`sdy.sharding`), of sdy.sharding_constraint and
// sdy.reshard, and of sdy.manual_computation. Loops and branches have those of their
// results. The shardings inside of a manual computation do not have its manual axes. Open
// dimensions are read as closed. Shardings on one device are read as replicated.
StatusOr<ProgramShardings> ReadProgramShardings(mlir::func::FuncOp function);

// The sharding without the parts of axes that are in `axes`.
Sharding WithoutAxes(const Sharding& sharding, AxesRef axes);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PROGRAM_SHARDINGS_H_
