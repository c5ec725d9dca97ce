#include "tenon/pjrt/c_api/shapes.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace tenon::pjrt::c_api {
namespace {

std::string ListText(std::span<const int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(values[i]);
  }
  return text + "]";
}

Status CheckPermutation(std::span<const int64_t> minor_to_major, size_t rank) {
  bool ok = minor_to_major.size() == rank;
  std::vector<bool> seen(rank);
  for (int64_t dim : minor_to_major) {
    if (!ok) break;
    ok = dim >= 0 && dim < static_cast<int64_t>(rank) && !seen[dim];
    if (ok) seen[dim] = true;
  }
  if (ok) return OkStatus();
  return InvalidArgument("minor_to_major " + ListText(minor_to_major) +
                         " is not a permutation of " + std::to_string(rank) +
                         " dimensions");
}

}  // namespace

StatusOr<ElementType> ReadElementType(PJRT_Buffer_Type type) {
  if (auto known = ElementTypeFromNumber(type)) return *known;
  if (type == PJRT_Buffer_Type_S1 || type == PJRT_Buffer_Type_U1) {
    return Unimplemented(std::string("element type ") +
                         (type == PJRT_Buffer_Type_S1 ? "s1" : "u1") +
                         " is not supported");
  }
  return InvalidArgument("element type " + std::to_string(static_cast<int>(type)) +
                         " is not a PJRT_Buffer_Type of an array");
}

StatusOr<std::span<const int64_t>> ReadDims(const int64_t* dims, size_t rank,
                                            ElementType type) {
  if (rank > 0 && dims == nullptr) return InvalidArgument("dims is null");
  std::span<const int64_t> sizes(dims, rank);
  int64_t bytes = std::max<int64_t>(1, ElementBytes(type));
  bool overflow = false;
  for (int64_t size : sizes) {
    if (size < 0) {
      return InvalidArgument("dims " + ListText(sizes) + " has a negative size");
    }
    // Ignore sizes of zero: the strides of the other dimensions must not overflow either.
    if (size > 0) overflow |= __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (overflow) {
    return InvalidArgument("an array of " + std::string(ElementTypeName(type)) +
                           " with dims " + ListText(sizes) +
                           " has more bytes than an int64 counts");
  }
  return sizes;
}

Status LayoutArgument::Read(const PJRT_Buffer_MemoryLayout* layout,
                            std::span<const int64_t> dims, ElementType type) {
  minor_to_major_.reset();
  if (layout == nullptr) return OkStatus();
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout->tiled;
    if (tiled.num_tiles > 0) return Unimplemented("tiled layouts are not supported");
    if (tiled.minor_to_major == nullptr && tiled.minor_to_major_size > 0) {
      return InvalidArgument("minor_to_major is null");
    }
    std::span<const int64_t> view(tiled.minor_to_major, tiled.minor_to_major_size);
    TENON_RETURN_IF_ERROR(CheckPermutation(view, dims.size()));
    minor_to_major_ = view;
    return OkStatus();
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Strides) {
    return InvalidArgument("memory layout type " +
                           std::to_string(static_cast<int>(layout->type)) +
                           " is neither tiled nor strides");
  }
  const PJRT_Buffer_MemoryLayout_Strides& strides = layout->strides;
  if (strides.num_byte_strides != dims.size() ||
      (strides.byte_strides == nullptr && !dims.empty())) {
    return InvalidArgument("a layout has " + std::to_string(strides.num_byte_strides) +
                           " byte strides for " + std::to_string(dims.size()) +
                           " dimensions");
  }
  std::span<const int64_t> given(strides.byte_strides, strides.num_byte_strides);
  storage_.resize(dims.size());
  // Dimensions with equal strides, which have size 1, stay in row-major order.
  std::iota(storage_.begin(), storage_.end(), 0);
  std::sort(storage_.begin(), storage_.end(), [&](int64_t a, int64_t b) {
    return given[a] != given[b] ? given[a] < given[b] : a > b;
  });
  std::vector<int64_t> dense = DenseByteStrides(storage_, dims, ElementBytes(type));
  bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  for (size_t i = 0; i < dims.size() && !empty; ++i) {
    if (dims[i] > 1 && dense[i] != given[i]) {
      return Unimplemented("a device layout with byte strides " + ListText(given) +
                           " is not dense");
    }
  }
  minor_to_major_ = storage_;
  return OkStatus();
}

Status ShapeArgument::Read(PJRT_Buffer_Type type, const int64_t* dims, size_t rank,
                           const PJRT_Buffer_MemoryLayout* layout) {
  TENON_ASSIGN_OR_RETURN(shape_.type, ReadElementType(type));
  TENON_ASSIGN_OR_RETURN(shape_.dims, ReadDims(dims, rank, shape_.type));
  TENON_RETURN_IF_ERROR(layout_.Read(layout, shape_.dims, shape_.type));
  shape_.minor_to_major = layout_.minor_to_major();
  return OkStatus();
}

std::vector<int64_t> DenseByteStrides(std::span<const int64_t> minor_to_major,
                                      std::span<const int64_t> dims,
                                      int64_t element_bytes) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = element_bytes;
  for (int64_t dim : minor_to_major) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(dims[dim], 1);
  }
  return strides;
}

bool IsRowMajor(std::span<const int64_t> minor_to_major) {
  int64_t expected = static_cast<int64_t>(minor_to_major.size());
  for (int64_t dim : minor_to_major) {
    if (dim != --expected) return false;
  }
  return true;
}

}  // namespace tenon::pjrt::c_api
