// An array for the arguments of a call.
#ifndef TENON_PJRT_CPP_SMALL_ARRAY_HPP_
#define TENON_PJRT_CPP_SMALL_ARRAY_HPP_

#include <cstddef>
#include <memory>

#include "tenon/pjrt/raw.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {
namespace detail {

// Uninitialized elements, without an allocation if they are at most N.
template <typename T, size_t N>
class SmallArray {
 public:
  explicit SmallArray(size_t size) {
    if (size > N) [[unlikely]] {
      heap_ = std::make_unique<T[]>(size);
      data_ = heap_.get();
    }
  }
  T* data() { return data_; }
  T& operator[](size_t i) { return data_[i]; }

 private:
  T inline_[N];
  std::unique_ptr<T[]> heap_;
  T* data_ = inline_;
};

}  // namespace detail

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_SMALL_ARRAY_HPP_
