// The sizes in which the allocator hands out memory. Pure functions.
#ifndef TENON_RUNTIME_SIZE_CLASSES_H_
#define TENON_RUNTIME_SIZE_CLASSES_H_

#include <bit>
#include <cstddef>

#include "tenon/device/memory_space.h"

namespace tenon::runtime {

// Size classes are multiples of 64 bytes up to 512 bytes. Above there are eight classes
// per doubling, up to 2^47 bytes, so at most an eighth of a block is wasted.
inline constexpr size_t kAlignment = device::kAlignment;
inline constexpr size_t kLargestClass = size_t{1} << 47;
inline constexpr int kNumClasses = 8 + 38 * 8;

// 0 <= size <= kLargestClass.
constexpr int SizeClass(size_t size) {
  if (size <= 512) return size <= 64 ? 0 : static_cast<int>((size - 1) / 64);
  const int log2 = std::bit_width(size - 1) - 1;  // 9 or more
  const int step = static_cast<int>(((size - 1) >> (log2 - 3)) & 7);
  return 8 + (log2 - 9) * 8 + step;
}

constexpr size_t ClassBytes(int size_class) {
  if (size_class < 8) return static_cast<size_t>(size_class + 1) * 64;
  const int log2 = 9 + (size_class - 8) / 8;
  const size_t step = static_cast<size_t>((size_class - 8) % 8);
  return (size_t{1} << log2) + ((step + 1) << (log2 - 3));
}

static_assert(ClassBytes(SizeClass(0)) == 64 && ClassBytes(SizeClass(65)) == 128);
static_assert(ClassBytes(SizeClass(512)) == 512 && ClassBytes(SizeClass(513)) == 576);
static_assert(ClassBytes(SizeClass(1024)) == 1024 && ClassBytes(SizeClass(1025)) == 1152);
static_assert(SizeClass(kLargestClass) == kNumClasses - 1);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_SIZE_CLASSES_H_
