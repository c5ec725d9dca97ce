// Canonical encodings of element types that do not use all bits of their bytes. Pure
// functions.
#ifndef TENON_TYPES_CANONICAL_BYTES_H_
#define TENON_TYPES_CANONICAL_BYTES_H_

#include <cstddef>
#include <cstdint>

#include "tenon/types/element_type.h"

namespace tenon {

// Whether `type` has bytes that are not canonical. Such a type has exactly one canonical
// byte for each value: booleans are 0 or 1, signed integers are sign-extended, and all
// others have clear upper bits. Buffers and literals hold only canonical bytes.
bool NeedsCanonicalBytes(ElementType type);
bool HasCanonicalBytes(ElementType type, const void* data, size_t size);
void MakeBytesCanonical(ElementType type, void* data, size_t size);

}  // namespace tenon

#endif  // TENON_TYPES_CANONICAL_BYTES_H_
