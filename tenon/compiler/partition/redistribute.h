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
//
// Uses what moves the fewest elements of these, in this order: a slice of what the device
// has, reduce_scatter or all_reduce of partial results, all_to_all where axes move
// between dimensions, collective_permute where all parts keep their size, and all_gather
// of the dimensions that do not fit, followed by a slice. Only axes that differ are
// gathered.
StatusOr<mlir::Value> Redistribute(mlir::OpBuilder& builder, mlir::Location location,
                                   mlir::Value local, const Redistribution& moved,
                                   MeshCode& code);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_REDISTRIBUTE_H_
