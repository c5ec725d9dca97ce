// Copies of arrays between dense and strided memory. Pure functions.
#ifndef TENON_TYPES_STRIDED_COPY_H_
#define TENON_TYPES_STRIDED_COPY_H_

#include <cstdint>
#include <span>

#include "tenon/types/shape.h"

namespace tenon {

// Copies an array of `dims` with elements of `element_bytes` bytes (1, 2, 4, 8 or 16).
// Strides are in bytes and may be negative or 0. The arrays must not overlap.
void CopyStrided(void* dst, std::span<const int64_t> dst_strides, const void* src,
                 std::span<const int64_t> src_strides, std::span<const int64_t> dims,
                 int64_t element_bytes);

// The byte strides of a dense array whose dimensions, fastest first, are
// `minor_to_major`.
Dims LayoutByteStrides(std::span<const int64_t> dims,
                       std::span<const int64_t> minor_to_major, int64_t element_bytes);

}  // namespace tenon

#endif  // TENON_TYPES_STRIDED_COPY_H_
