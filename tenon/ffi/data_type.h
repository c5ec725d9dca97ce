// The FFI's numbers of element types (those of xla.PrimitiveType). Pure functions.
#ifndef TENON_FFI_DATA_TYPE_H_
#define TENON_FFI_DATA_TYPE_H_

#include <cstdint>

#include "tenon/types/element_type.h"

namespace tenon::ffi {

// 0 for kInvalid.
int32_t DataTypeNumber(ElementType type);

}  // namespace tenon::ffi

#endif  // TENON_FFI_DATA_TYPE_H_
