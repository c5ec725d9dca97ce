#include "tenon/executable/constant_data.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tenon {

ConstantData::ConstantData(size_t size) {
  if (size == 0) return;
  // Whole pages can be protected, and zeros take no memory until they are written.
  void* mapping =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<uint8_t*>(mapping);
  size_ = size;
}

ConstantData::ConstantData(std::span<const uint8_t> bytes) : ConstantData(bytes.size()) {
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
}

ConstantData::ConstantData(std::initializer_list<uint8_t> bytes)
    : ConstantData(std::span<const uint8_t>(bytes.begin(), bytes.size())) {}

ConstantData::~ConstantData() {
  if (data_) munmap(data_, size_);
}

void ConstantData::Seal() {
  if (data_) mprotect(data_, size_, PROT_READ);
}

void ConstantData::swap(ConstantData& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
}

bool operator==(const ConstantData& a, const ConstantData& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

}  // namespace tenon
