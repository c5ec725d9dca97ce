// Devices give each other borders of their parts ("halos").
#ifndef TENON_COMPILER_PARTITION_EXCHANGE_H_
#define TENON_COMPILER_PARTITION_EXCHANGE_H_

#include <functional>

#include "tenon/compiler/partition/mesh_code.h"
#include "tenon/compiler/partition/part_builder.h"

namespace tenon::compiler::partition {

// A dimension of `whole` elements of which each device has one of equal parts.
struct SplitDim {
  int64_t dim;
  int64_t whole;
  Axes axes;  // whose shards are the parts

  int64_t shards() const { return SizeOf(axes); }
  int64_t part() const { return whole / shards(); }
};

// What shard k needs of a dimension: `size` elements from `start + k * step`. They may be
// outside of the dimension.
struct Window {
  int64_t start, step, size;
};

// Returns, on each device, the elements of `window`; those outside of the dimension are
// `fill` (a scalar; null: zeros). Pieces that other devices have come by
// collective_permute, one per distance between shards. If there are more than
// kMaxDistances of them, the dimension is gathered.
inline constexpr int64_t kMaxDistances = 4;
mlir::Value FetchWindow(PartBuilder& p, MeshCode& code, mlir::Value local,
                        const SplitDim& split, const Window& window, mlir::Value fill);

// The largest number of elements along the dimension that a shard receives for `window`.
int64_t ReceivedElements(const SplitDim& split, const Window& window);

// Sends each shard the part of shard `source(shard)`; -1: zeros. No shard is the source
// of two others.
mlir::Value PermuteShards(PartBuilder& p, MeshCode& code, mlir::Value local, AxesRef axes,
                          const std::function<int64_t(int64_t)>& source);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_EXCHANGE_H_
