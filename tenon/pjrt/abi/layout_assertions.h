// Assertions on the layout of C structs, for tests.
#ifndef TENON_PJRT_ABI_LAYOUT_ASSERTIONS_H_
#define TENON_PJRT_ABI_LAYOUT_ASSERTIONS_H_

#include <cstddef>

// Asserts sizeof, and <Struct>_STRUCT_SIZE, which ends with the last member.
#define SIZE(type, size, struct_size) \
  static_assert(sizeof(type) == size && type##_STRUCT_SIZE == struct_size)
#define SIZE_ONLY(type, size) static_assert(sizeof(type) == size)
#define FIELD(type, field, offset, size) \
  static_assert(offsetof(type, field) == offset && sizeof(type::field) == size)

#endif  // TENON_PJRT_ABI_LAYOUT_ASSERTIONS_H_
