// Concatenations of slices along a split dimension: rolls, shifts, borders put around.
//
// The slices are seldom as long as the shards divide, so they have no parts of their own.
// A join reads the tensors that they are slices of: each shard of the result is a window
// of each of them (exchange.h).
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_JOINS_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_JOINS_H_

#include <optional>
#include <vector>

#include "tenon/compiler/partition/decide.h"
#include "tenon/compiler/partition/mesh_code.h"
#include "tenon/compiler/partition/sharding.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {

// Elements [start, start + size) of `source` along the dimension, and all of its others.
struct Joined {
  mlir::Value source;
  int64_t start, size;
};

// A concatenation whose result has sharding `result`, which splits the dimension.
struct Join {
  int64_t dim;
  Sharding result;
  llvm::SmallVector<Joined> pieces;
  std::vector<Sharding> sources;  // that the device's program needs, by piece
};

// Returns the join of `op`, or nothing if the dimension of the result is not split, no
// operand is a slice, or gathering the operands takes fewer bytes.
std::optional<Join> JoinOf(stablehlo::ConcatenateOp op, const Sharding& result);

// The join of the operands themselves, which `decision` splits.
Join JoinOfOperands(stablehlo::ConcatenateOp op, const Decision& decision);

// The device's part of the result. `locals` are the parts of the sources.
mlir::Value JoinParts(const Join& join, mlir::ValueRange locals, MeshCode& code,
                      mlir::OpBuilder& b, mlir::Location location);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_JOINS_H_
