// Moves a tensor from one sharding to another, in the program of one device.
#ifndef TENON_COMPILER_PARTITION_REDISTRIBUTE_H_
#define TENON_COMPILER_PARTITION_REDISTRIBUTE_H_

#include "mlir/IR/Builders.h"
#include "tenon/compiler/partition/mesh_code.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

struct Redistribution {
  Sharding from, to;              // both divide the shape
  llvm::ArrayRef<int64_t> shape;  // of the whole tensor
  // The op of two scalars that combines partial results; empty: that of from.reduction.
  llvm::StringRef combiner;
};

// Returns the device's part under `to` of the tensor whose part under `from` is `local`.
// The steps are those of move_plan.h.
StatusOr<mlir::Value> Redistribute(mlir::OpBuilder& builder, mlir::Location location,
                                   mlir::Value local, const Redistribution& moved,
                                   MeshCode& code);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_REDISTRIBUTE_H_
