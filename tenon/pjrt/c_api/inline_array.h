// An array whose size is known at run time, on the stack if it is small.
#ifndef TENON_PJRT_C_API_INLINE_ARRAY_H_
#define TENON_PJRT_C_API_INLINE_ARRAY_H_

#include <cstddef>
#include <memory>
#include <span>

namespace tenon::pjrt::c_api {

// `size` value-initialized elements. Up to N elements need no allocation.
template <typename T, size_t N>
class InlineArray {
 public:
  explicit InlineArray(size_t size)
      : size_(size),
        data_(size <= N ? reinterpret_cast<T*>(storage_)
                        : static_cast<T*>(::operator new(size * sizeof(T)))) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    std::uninitialized_value_construct_n(data_, size_);
  }
  InlineArray(const InlineArray&) = delete;
  InlineArray& operator=(const InlineArray&) = delete;
  ~InlineArray() {
    std::destroy_n(data_, size_);
    if (size_ > N) ::operator delete(data_);
  }

  T* data() { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }

 private:
  alignas(T) unsigned char storage_[N * sizeof(T)];
  size_t size_;
  T* data_;
};

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_INLINE_ARRAY_H_
