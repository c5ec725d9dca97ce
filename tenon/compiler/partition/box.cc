#include "tenon/compiler/partition/box.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::compiler::partition {

bool IsDivisible(const Sharding& sharding, llvm::ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::zip_equal(sharding.dims, shape), [](auto pair) {
    return std::get<1>(pair) % std::get<0>(pair).num_shards() == 0;
  });
}

llvm::SmallVector<int64_t, 4> LocalShape(const Sharding& sharding,
                                         llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> local;
  for (auto [dim, size] : llvm::zip_equal(sharding.dims, shape)) {
    local.push_back(llvm::divideCeil(static_cast<uint64_t>(size),
                                     static_cast<uint64_t>(dim.num_shards())));
  }
  return local;
}

Box BoxOf(const Sharding& sharding, const Mesh& mesh, llvm::ArrayRef<int64_t> shape,
          int64_t device) {
  Box box;
  std::optional<int64_t> position;
  if (sharding.maximal >= 0) {
    if (device == sharding.maximal) position = 0;
  } else if (mesh.IsEmpty()) {
    position = 0;
  } else {
    position = mesh.PositionOf(device);
  }
  if (!position) {
    box.start.assign(shape.size(), 0);
    box.size.assign(shape.size(), 0);
    box.empty = true;
    return box;
  }
  llvm::SmallVector<int64_t, 4> local = LocalShape(sharding, shape);
  for (auto [dim, size, part] : llvm::zip_equal(sharding.dims, shape, local)) {
    int64_t shard = 0;
    for (Axis axis : dim.axes) {
      shard = shard * axis.size + mesh.Coordinate(*position, axis);
    }
    int64_t start = std::min(shard * part, size);
    box.start.push_back(start);
    box.size.push_back(std::min(part, size - start));
    if (box.size.back() == 0 && size != 0) box.empty = true;
  }
  return box;
}

}  // namespace tenon::compiler::partition
