// An array of plain values that is sized once. Allocates with calloc and throws nothing,
// so that the C library needs no C++ library.
#ifndef TENON_EMBED_ARRAY_H_
#define TENON_EMBED_ARRAY_H_

#include <cstddef>
#include <span>

namespace tenon::embed {

template <typename T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { __builtin_free(data_); }

  // False if there is no memory.
  bool Resize(size_t size) {
    data_ = static_cast<T*>(__builtin_calloc(size ? size : 1, sizeof(T)));
    size_ = data_ ? size : 0;
    return data_ != nullptr;
  }
  T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) const { return data_[i]; }
  std::span<T> All() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tenon::embed

#endif  // TENON_EMBED_ARRAY_H_
