#include "tenon/pjrt/interface/topology.h"

namespace tenon::pjrt {

std::vector<int64_t> RowMajorLayout(size_t rank) {
  std::vector<int64_t> minor_to_major(rank);
  for (size_t i = 0; i < rank; ++i)
    minor_to_major[i] = static_cast<int64_t>(rank - 1 - i);
  return minor_to_major;
}

StatusOr<std::vector<int64_t>> Topology::DefaultLayout(
    ElementType, std::span<const int64_t> dims) const {
  return RowMajorLayout(dims.size());
}

}  // namespace tenon::pjrt
