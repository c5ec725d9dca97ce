// The values that buffers and literals allow. Pure functions.
#ifndef TENON_TYPES_CANONICAL_BYTES_H_
#define TENON_TYPES_CANONICAL_BYTES_H_

#include <cstddef>
#include <cstdint>

#include "tenon/types/element_type.h"

namespace tenon {

// Types that do not use all bits of their byte have one byte for each value: booleans 0
// or 1, signed integers sign-extended, the rest with clear upper bits.
bool NeedsCanonicalBytes(ElementType type);
bool HasCanonicalBytes(ElementType type, const void* data, size_t size);
void MakeBytesCanonical(ElementType type, void* data, size_t size);

}  // namespace tenon

#endif  // TENON_TYPES_CANONICAL_BYTES_H_
