// The values that buffers allow. Pure functions.
#ifndef TENON_PJRT_CLIENT_HOST_COPY_H_
#define TENON_PJRT_CLIENT_HOST_COPY_H_

#include <cstddef>
#include <cstdint>

#include "tenon/types/element_type.h"

namespace tenon::pjrt {

// Types that do not use all bits of their byte have one byte for each value: booleans 0
// or 1, signed integers sign-extended, the rest with clear upper bits.
bool NeedsCanonicalBytes(ElementType type);
bool HasCanonicalBytes(ElementType type, const void* data, size_t size);
void MakeBytesCanonical(ElementType type, void* data, size_t size);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_HOST_COPY_H_
