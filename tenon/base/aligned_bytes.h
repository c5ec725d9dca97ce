// A block of bytes, 64-byte aligned and not initialized. Move-only.
#ifndef TENON_BASE_ALIGNED_BYTES_H_
#define TENON_BASE_ALIGNED_BYTES_H_

#include <cstddef>
#include <memory>
#include <new>

namespace tenon {

class AlignedBytes {
 public:
  static constexpr size_t kAlignment = 64;

  AlignedBytes() = default;
  // Throws std::bad_alloc.
  explicit AlignedBytes(size_t size)
      : data_(static_cast<char*>(
            ::operator new(size ? size : 1, std::align_val_t(kAlignment)))),
        size_(size) {}

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Delete {
    void operator()(char* data) const {
      ::operator delete(data, std::align_val_t(kAlignment));
    }
  };
  std::unique_ptr<char, Delete> data_;
  size_t size_ = 0;
};

}  // namespace tenon

#endif  // TENON_BASE_ALIGNED_BYTES_H_
