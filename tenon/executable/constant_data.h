// The constants of an image, in pages of their own. Compiled code reads them in place, so
// loading an image does not copy them.
//
// A value type. One thread fills and seals it; then it is shared read-only.
#ifndef TENON_EXECUTABLE_CONSTANT_DATA_H_
#define TENON_EXECUTABLE_CONSTANT_DATA_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace tenon {

class ConstantData {
 public:
  ConstantData() = default;
  // Zero-filled and page-aligned. Throws std::bad_alloc if there is no memory.
  explicit ConstantData(size_t size);
  ConstantData(std::initializer_list<uint8_t> bytes);
  explicit ConstantData(std::span<const uint8_t> bytes);
  // The copy is not sealed.
  ConstantData(const ConstantData& other) : ConstantData(other.bytes()) {}
  ConstantData(ConstantData&& other) noexcept { swap(other); }
  ConstantData& operator=(ConstantData other) noexcept {
    swap(other);
    return *this;
  }
  ~ConstantData();

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  friend bool operator==(const ConstantData& a, const ConstantData& b);

  // Makes the pages read-only, so that writing to them is a fault. A custom call that
  // gets a constant as its argument cannot change it for later runs.
  void Seal();

 private:
  void swap(ConstantData& other) noexcept;

  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tenon

#endif  // TENON_EXECUTABLE_CONSTANT_DATA_H_
