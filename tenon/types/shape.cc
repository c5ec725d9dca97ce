#include "tenon/types/shape.h"

#include <cassert>

namespace tenon {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 62;

}  // namespace

StatusOr<int64_t> CountElements(std::span<const int64_t> dims) {
  bool empty = false;
  for (int64_t size : dims) {
    if (size < 0)
      return InvalidArgument("dimension sizes " + DimsString(dims) +
                             " include a negative one");
    empty |= size == 0;
  }
  if (empty) return int64_t{0};
  int64_t count = 1;
  for (int64_t size : dims)
    if (__builtin_mul_overflow(count, size, &count) || count > kMaxSize)
      return InvalidArgument("dimension sizes " + DimsString(dims) +
                             " have a product beyond 2^62");
  return count;
}

StatusOr<int64_t> CountBytes(ElementType type, std::span<const int64_t> dims) {
  TENON_ASSIGN_OR_RETURN(int64_t bytes, CountElements(dims));
  if (__builtin_mul_overflow(bytes, ElementBytes(type), &bytes) || bytes > kMaxSize)
    return InvalidArgument("array " + ShapeString(type, dims) + " is beyond 2^62 bytes");
  return bytes;
}

int64_t ElementCount(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims) count *= size;
  return count;
}

Dims RowMajorStrides(std::span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

Dims UnflattenIndex(int64_t linear, std::span<const int64_t> dims) {
  Dims index(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    index[i] = linear % dims[i];
    linear /= dims[i];
  }
  return index;
}

bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index) {
  assert(dims.size() == index.size());
  for (size_t i = dims.size(); i-- > 0;) {
    if (++index[i] < dims[i]) return true;
    index[i] = 0;
  }
  return false;
}

std::string DimsString(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) text += ',';
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

std::string ShapeString(ElementType type, std::span<const int64_t> dims) {
  return std::string(ElementTypeName(type)) + DimsString(dims);
}

}  // namespace tenon
