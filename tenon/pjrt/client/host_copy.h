// Copies of arrays between layouts, and the values that buffers allow. Pure functions.
#ifndef TENON_PJRT_CLIENT_HOST_COPY_H_
#define TENON_PJRT_CLIENT_HOST_COPY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/types/element_type.h"

namespace tenon::pjrt {

// Copies an array of `dims` whose elements have `element_bytes` bytes (1, 2, 4, 8 or 16)
// between memory with these byte strides, of any sign. The arrays do not overlap.
void CopyStrided(void* dst, std::span<const int64_t> dst_strides, const void* src,
                 std::span<const int64_t> src_strides, std::span<const int64_t> dims,
                 int64_t element_bytes);

// Types that do not use all bits of their byte have one byte for each value: booleans 0
// or 1, signed integers sign-extended, the rest with clear upper bits.
bool NeedsCanonicalBytes(ElementType type);
bool HasCanonicalBytes(ElementType type, const void* data, size_t size);
void MakeBytesCanonical(ElementType type, void* data, size_t size);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_HOST_COPY_H_
