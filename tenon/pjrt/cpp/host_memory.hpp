// Host memory for a transfer to a device. Its type says who may touch the memory until
// when:
//
//   copied(range)                 the plugin reads it during the call only
//   immutable_until_done(range)   the plugin reads it until the future that to_device
//                                 returns is complete
//   borrowed(range, keep_alive)   the buffer may use the memory itself, which must not
//                                 change; `keep_alive` is destroyed when the plugin no
//                                 longer uses the memory
//   owned(vector)                 the same; the buffer keeps the vector
//
// A range has the elements of the array in row-major order, or any order that strided()
// describes.
#ifndef TENON_PJRT_CPP_HOST_MEMORY_HPP_
#define TENON_PJRT_CPP_HOST_MEMORY_HPP_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/cpp/element_types.hpp"
#include "tenon/pjrt/cpp/result.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// The sizes of an array. Refers to the caller's memory, so it is for parameters only.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> dims) : dims_(dims.begin(), dims.size()) {}
  Dims(std::span<const int64_t> dims) : dims_(dims) {}
  Dims(const std::vector<int64_t>& dims) : dims_(dims) {}

  std::span<const int64_t> get() const { return dims_; }
  size_t rank() const { return dims_.size(); }

 private:
  std::span<const int64_t> dims_;
};

namespace detail {

template <typename R>
concept ElementRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                       Element<std::ranges::range_value_t<R>>;

// The number of elements; -1 if a size is negative or the number is too large.
inline int64_t count_elements(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
  }
  return count;
}

inline std::string to_string(std::span<const int64_t> dims) {
  std::string text = "[";
  for (int64_t dim : dims) {
    if (text.size() > 1) text += ',';
    text += std::to_string(dim);
  }
  return text + "]";
}

inline bool is_permutation(std::span<const int64_t> order, size_t rank) {
  std::vector<bool> seen(rank);
  for (int64_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank)) return false;
    if (seen[static_cast<size_t>(dim)]) return false;
    seen[static_cast<size_t>(dim)] = true;
  }
  return order.size() == rank;
}

// Copies an array whose dimensions lie in `from` into one with the order `to`. Both
// orders are permutations of the dimensions.
template <typename T>
void reorder(const T* source, T* destination, std::span<const int64_t> dims,
             std::span<const int64_t> from, std::span<const int64_t> to) {
  if (count_elements(dims) <= 0) return;
  std::vector<int64_t> strides(dims.size()), index(dims.size());
  int64_t stride = 1;
  for (int64_t dim : from) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= dims[static_cast<size_t>(dim)];
  }
  // Counts through the indices in the order of the destination.
  for (const T* at = source;;) {
    *destination++ = *at;
    size_t place = 0;
    for (; place < to.size(); ++place) {
      auto dim = static_cast<size_t>(to[place]);
      at += strides[dim];
      if (++index[dim] < dims[dim]) break;
      at -= strides[dim] * dims[dim];
      index[dim] = 0;
    }
    if (place == to.size()) return;
  }
}

// A range of host memory and how an array lies in it.
struct HostSpan {
  const std::byte* data;
  size_t size;  // bytes
  ElementType type;
  std::vector<int64_t> byte_strides = {};  // empty means row-major
  size_t first = 0;                        // byte offset of element [0, ..., 0]

  // Why an array of `dims` does not lie within the range; empty if it does.
  std::string why_invalid(std::span<const int64_t> dims) const {
    int64_t count = count_elements(dims);
    auto element = static_cast<int64_t>(host_size(type));
    if (count < 0 || count > INT64_MAX / 16) {
      return "the dimensions " + to_string(dims) + " are negative or too large";
    }
    if (byte_strides.empty()) {
      if (static_cast<uint64_t>(count * element) == size) return "";
      return "an array of " + std::to_string(count) + " elements of " + type_name(type) +
             " (dimensions " + to_string(dims) + ") has " +
             std::to_string(count * element) + " bytes, but the range has " +
             std::to_string(size);
    }
    if (byte_strides.size() != dims.size()) {
      return std::to_string(byte_strides.size()) + " strides for " +
             std::to_string(dims.size()) + " dimensions";
    }
    if (count == 0) return "";
    // The lowest and the highest byte of any element.
    auto low = static_cast<int64_t>(first), high = low + element;
    bool fits = true;
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t reach = 0;
      int64_t& end = byte_strides[i] < 0 ? low : high;
      fits = fits && !__builtin_mul_overflow(dims[i] - 1, byte_strides[i], &reach) &&
             !__builtin_add_overflow(end, reach, &end);
    }
    if (fits && low >= 0 && high <= static_cast<int64_t>(size)) return "";
    return "dimensions " + to_string(dims) + " with byte strides " +
           to_string(byte_strides) + " reach outside of the range of " +
           std::to_string(size) + " bytes";
  }
};

template <typename R>
HostSpan host_span(const R& range) {
  using T = std::ranges::range_value_t<R>;
  return {reinterpret_cast<const std::byte*>(std::ranges::data(range)),
          std::ranges::size(range) * sizeof(T), element_type_of<T>};
}

// Adds strided() to the kinds of host memory.
template <typename Derived>
struct HostMemory {
  explicit HostMemory(HostSpan given) : span(std::move(given)) {}
  // Byte strides of each dimension, and the byte offset of the first element.
  Derived strided(Dims byte_strides, size_t first = 0) && {
    span.byte_strides.assign(byte_strides.get().begin(), byte_strides.get().end());
    span.first = first;
    return std::move(static_cast<Derived&>(*this));
  }
  HostSpan span;
};

}  // namespace detail

struct Copied : detail::HostMemory<Copied> {
  using HostMemory::HostMemory;
};
struct ImmutableUntilDone : detail::HostMemory<ImmutableUntilDone> {
  using HostMemory::HostMemory;
};
template <typename Keep>
struct Borrowed : detail::HostMemory<Borrowed<Keep>> {
  Borrowed(detail::HostSpan given, Keep kept)
      : detail::HostMemory<Borrowed<Keep>>(std::move(given)), keep(std::move(kept)) {}
  Keep keep;
};

template <detail::ElementRange R>
Copied copied(const R& range) {
  return Copied(detail::host_span(range));
}
// For element types without a C++ type, such as f8e4m3fn.
inline Copied copied_bytes(std::span<const std::byte> bytes, ElementType type) {
  return Copied(detail::HostSpan{bytes.data(), bytes.size(), type});
}
template <detail::ElementRange R>
ImmutableUntilDone immutable_until_done(const R& range) {
  return ImmutableUntilDone(detail::host_span(range));
}
template <detail::ElementRange R, typename Keep>
Borrowed<std::decay_t<Keep>> borrowed(const R& range, Keep&& keep_alive) {
  return {detail::host_span(range), std::forward<Keep>(keep_alive)};
}
template <Element T>
  requires(!std::is_same_v<T, bool>)
Borrowed<std::vector<T>> owned(std::vector<T> values) {
  detail::HostSpan span = detail::host_span(values);
  return {std::move(span), std::move(values)};
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_HOST_MEMORY_HPP_
