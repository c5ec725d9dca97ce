// Which values of the program of one device are equal on several devices.
#ifndef TENON_COMPILER_PARTITION_REPLICATION_H_
#define TENON_COMPILER_PARTITION_REPLICATION_H_

#include <cstdint>
#include <map>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/partition/mesh_code.h"

namespace tenon::compiler::partition {

// For each value the axes of the mesh along which it may differ. Sound, not exact:
// arguments differ along the axes that split them, an op's results along those of its
// operands, and along all axes for ops that may depend on the device. Reductions and
// gathers make values equal along the axes of their groups.
class Replication {
 public:
  using AxisSet = uint64_t;  // by number of the axis
  static constexpr size_t kMaxAxes = 64;

  // `arguments` are the sets of the function's arguments.
  Replication(mlir::func::FuncOp function, llvm::ArrayRef<AxisSet> arguments,
              MeshCode& code);

  AxisSet VariesAlong(mlir::Value value) const;
  // The axes that the groups of a collective are of: nothing for other groups.
  std::optional<AxisSet> AxesOf(mlir::Operation* collective);

 private:
  void Run(mlir::Block& block);
  void Run(mlir::Operation& op);
  void RunLoop(mlir::Operation& op);
  AxisSet ResultsOf(mlir::Operation& op);
  // Adds to the set of `value`; returns whether that changes it.
  bool Add(mlir::Value value, AxisSet axes);

  MeshCode& code_;
  AxisSet all_;
  llvm::DenseMap<mlir::Value, AxisSet> sets_;
  llvm::DenseMap<mlir::Attribute, std::optional<AxisSet>> groups_;
};

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_REPLICATION_H_
