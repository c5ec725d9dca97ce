// Which elements of a tensor a device holds.
#ifndef TENON_COMPILER_PARTITION_BOX_H_
#define TENON_COMPILER_PARTITION_BOX_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

// A range of indices per dimension of the whole tensor.
struct Box {
  llvm::SmallVector<int64_t, 4> start, size;
  bool empty = false;  // the device holds nothing; the sizes are 0

  bool operator==(const Box&) const = default;
};

// Whether each dimension is a multiple of its number of shards.
bool IsDivisible(const Sharding& sharding, llvm::ArrayRef<int64_t> shape);

// The shape of the largest shard: each dimension divided by its shards, rounded up. A
// sharding on one device has the whole shape.
llvm::SmallVector<int64_t, 4> LocalShape(const Sharding& sharding,
                                         llvm::ArrayRef<int64_t> shape);

// What `device` (a partition number) holds of a tensor. Shard i of a dimension begins at
// i times the local size. Where the size is no multiple of the shards, the last shards
// are smaller or empty. Devices outside of the mesh hold nothing.
Box BoxOf(const Sharding& sharding, const Mesh& mesh, llvm::ArrayRef<int64_t> shape,
          int64_t device);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_BOX_H_
