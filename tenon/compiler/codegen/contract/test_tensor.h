// Test support: buffers of any element type, readable and writable as numbers, that end
// at an inaccessible page. Not shared between threads while written.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_TEST_TENSOR_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_TEST_TENSOR_H_

#include <sys/mman.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>

#include "tenon/types/element_type.h"

namespace tenon::codegen {

using Number = std::complex<double>;

inline float RoundToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  bits += 0x7fff + ((bits >> 16) & 1);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

class TestTensor {
 public:
  // Bytes are initially 0xa5.
  TestTensor(ElementType type, int64_t count) : type_(type), count_(count) {
    int64_t bytes = count * ElementBytes(type);
    mapped_ = (bytes + kPage - 1) / kPage * kPage + kPage;
    base_ = static_cast<char*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + mapped_ - kPage, kPage, PROT_NONE);
    data_ = base_ + mapped_ - kPage - bytes;
    std::memset(base_, 0xa5, mapped_ - kPage);
  }
  ~TestTensor() { munmap(base_, mapped_); }
  TestTensor(const TestTensor&) = delete;
  TestTensor& operator=(const TestTensor&) = delete;

  void* data() { return data_; }
  int64_t count() const { return count_; }

  Number Get(int64_t i) const {
    switch (type_) {
      case ElementType::kPred:
        return Raw<uint8_t>(i) != 0;
      case ElementType::kS4:
        return int8_t(Raw<uint8_t>(i) << 4) >> 4;
      case ElementType::kU4:
        return Raw<uint8_t>(i) & 15;
      case ElementType::kS8:
        return Raw<int8_t>(i);
      case ElementType::kU8:
        return Raw<uint8_t>(i);
      case ElementType::kS16:
        return Raw<int16_t>(i);
      case ElementType::kU16:
        return Raw<uint16_t>(i);
      case ElementType::kS32:
        return Raw<int32_t>(i);
      case ElementType::kU32:
        return Raw<uint32_t>(i);
      case ElementType::kS64:
        return double(Raw<int64_t>(i));
      case ElementType::kU64:
        return double(Raw<uint64_t>(i));
      case ElementType::kF16:
        return double(Raw<_Float16>(i));
      case ElementType::kBF16:
        return std::bit_cast<float>(uint32_t(Raw<uint16_t>(i)) << 16);
      case ElementType::kF32:
        return Raw<float>(i);
      case ElementType::kF64:
        return Raw<double>(i);
      case ElementType::kC64:
        return {Raw<float>(2 * i), Raw<float>(2 * i + 1)};
      case ElementType::kC128:
        return {Raw<double>(2 * i), Raw<double>(2 * i + 1)};
      default:
        std::abort();
    }
  }

  // Rounds to nearest even; integers wrap around.
  void Set(int64_t i, Number number) {
    double value = number.real();
    switch (type_) {
      case ElementType::kPred:
        return Put<uint8_t>(i, value != 0);
      case ElementType::kS4:
        return Put<uint8_t>(i, uint8_t(int8_t(uint8_t(int64_t(value)) << 4) >> 4));
      case ElementType::kU4:
        return Put<uint8_t>(i, uint8_t(int64_t(value)) & 15);
      case ElementType::kS8:
      case ElementType::kU8:
        return Put<uint8_t>(i, uint8_t(int64_t(value)));
      case ElementType::kS16:
      case ElementType::kU16:
        return Put<uint16_t>(i, uint16_t(int64_t(value)));
      case ElementType::kS32:
      case ElementType::kU32:
        return Put<uint32_t>(i, uint32_t(int64_t(value)));
      case ElementType::kS64:
      case ElementType::kU64:
        return Put<uint64_t>(i, uint64_t(int64_t(value)));
      case ElementType::kF16:
        return Put<_Float16>(i, _Float16(value));
      case ElementType::kBF16:
        return Put<uint16_t>(
            i, uint16_t(std::bit_cast<uint32_t>(RoundToBf16(float(value))) >> 16));
      case ElementType::kF32:
        return Put<float>(i, float(value));
      case ElementType::kF64:
        return Put<double>(i, value);
      case ElementType::kC64:
        Put<float>(2 * i, float(value));
        return Put<float>(2 * i + 1, float(number.imag()));
      case ElementType::kC128:
        Put<double>(2 * i, value);
        return Put<double>(2 * i + 1, number.imag());
      default:
        std::abort();
    }
  }

  // Small integers, so that sums of their products are exact.
  void FillSmall(uint32_t seed) {
    bool sign = type_ != ElementType::kPred && !ElementTypeName(type_).starts_with("ui");
    bool pred = type_ == ElementType::kPred;
    for (int64_t i = 0; i < count_; ++i) {
      auto next = [&] {
        seed = seed * 1664525u + 1013904223u;
        return int((seed >> 16) % 5) - (sign ? 2 : pred ? 3 : 0);
      };
      double re = next();
      if (pred) re = re > 0;
      Set(i, {re, double(next())});
    }
  }

 private:
  static constexpr int64_t kPage = 4096;
  template <typename T>
  T Raw(int64_t i) const {
    T value;
    std::memcpy(&value, data_ + i * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T>
  void Put(int64_t i, T value) {
    std::memcpy(data_ + i * sizeof(T), &value, sizeof(T));
  }

  ElementType type_;
  int64_t count_;
  char* base_;
  char* data_;
  int64_t mapped_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_TEST_TENSOR_H_
