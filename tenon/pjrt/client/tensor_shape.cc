#include "tenon/pjrt/client/tensor_shape.h"

#include "tenon/types/shape.h"
#include "tenon/types/strided_copy.h"

namespace tenon::pjrt {

TensorShape::TensorShape(ElementType type, std::span<const int64_t> dims,
                         std::optional<std::span<const int64_t>> minor_to_major)
    : type_(type), rank_(dims.size()) {
  if (rank_ > kInlineRank) heap_.reset(new int64_t[2 * rank_]);
  int64_t* values = heap_ ? heap_.get() : inline_;
  int64_t bytes = ElementBytes(type);
  for (size_t i = 0; i < rank_; ++i) {
    values[i] = dims[i];
    bytes *= dims[i];
    const int64_t row_major = static_cast<int64_t>(rank_ - 1 - i);
    values[rank_ + i] = minor_to_major ? (*minor_to_major)[i] : row_major;
    row_major_ &= values[rank_ + i] == row_major;
  }
  byte_size_ = static_cast<size_t>(bytes);
}

Status TensorShape::Check(ElementType type, std::span<const int64_t> dims,
                          std::optional<std::span<const int64_t>> minor_to_major) {
  StatusOr<int64_t> bytes = CountBytes(type, dims);
  if (!bytes.ok()) return InvalidArgument(std::string(bytes.status().message()));
  if (!minor_to_major) return OkStatus();
  std::vector<bool> seen(dims.size());
  bool good = minor_to_major->size() == dims.size();
  for (size_t i = 0; good && i < dims.size(); ++i) {
    const int64_t dim = (*minor_to_major)[i];
    good = dim >= 0 && dim < std::ssize(dims) && !seen[static_cast<size_t>(dim)];
    if (good) seen[static_cast<size_t>(dim)] = true;
  }
  if (good) return OkStatus();
  return InvalidArgument("the layout " + DimsString(*minor_to_major) + " of " +
                         ShapeString(type, dims) +
                         " is not a permutation of its dimensions");
}

std::vector<int64_t> TensorShape::ByteStrides() const {
  return LayoutByteStrides(dims(), minor_to_major(), ElementBytes(type_));
}

}  // namespace tenon::pjrt
