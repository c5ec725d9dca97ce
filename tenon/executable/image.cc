#include "tenon/executable/image.h"

namespace tenon {

std::string_view CollectiveName(CollectiveKind kind) {
  constexpr std::string_view kNames[] = {
      "all_reduce",         "all_gather",           "reduce_scatter",   "all_to_all",
      "collective_permute", "collective_broadcast", "ragged_all_to_all"};
  static_assert(std::size(kNames) == kNumCollectiveKinds);
  return kNames[static_cast<size_t>(kind)];
}

int64_t ImageTensor::ByteSize() const {
  int64_t bytes = ElementBytes(type);
  for (int64_t dim : dims) bytes *= dim;
  return bytes;
}

}  // namespace tenon
