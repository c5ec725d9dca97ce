// XLA's numbers for element types (xla.PrimitiveType), which protos and the FFI use. Pure
// functions.
#ifndef TENON_TYPES_PRIMITIVE_TYPE_H_
#define TENON_TYPES_PRIMITIVE_TYPE_H_

#include <cstdint>

#include "tenon/types/element_type.h"

namespace tenon {

// 0 for kInvalid.
int32_t PrimitiveTypeNumber(ElementType type);

}  // namespace tenon

#endif  // TENON_TYPES_PRIMITIVE_TYPE_H_
