// Reads and checks the element types, sizes and layouts in arguments of the C API.
#ifndef TENON_PJRT_C_API_SHAPES_H_
#define TENON_PJRT_C_API_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/interface/buffer.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt::c_api {

// INVALID_ARGUMENT for a number without a type, UNIMPLEMENTED for a type that Tenon does
// not have.
StatusOr<ElementType> ReadElementType(PJRT_Buffer_Type type);
inline PJRT_Buffer_Type ToC(ElementType type) {
  return static_cast<PJRT_Buffer_Type>(type);
}

// A view of the caller's sizes. They are not negative, and the array's size in bytes fits
// an int64.
StatusOr<std::span<const int64_t>> ReadDims(const int64_t* dims, size_t rank,
                                            ElementType type);

// A device layout argument as minor_to_major; nullopt for a null layout. UNIMPLEMENTED
// for tiled layouts. The view refers to the caller's memory or to this object.
class LayoutArgument {
 public:
  Status Read(const PJRT_Buffer_MemoryLayout* layout, std::span<const int64_t> dims,
              ElementType type);
  std::optional<std::span<const int64_t>> minor_to_major() const {
    return minor_to_major_;
  }

 private:
  std::vector<int64_t> storage_;
  std::optional<std::span<const int64_t>> minor_to_major_;
};

// Type, sizes and layout. The views refer to the caller's memory or to this object.
class ShapeArgument {
 public:
  Status Read(PJRT_Buffer_Type type, const int64_t* dims, size_t rank,
              const PJRT_Buffer_MemoryLayout* layout);
  const ArrayShape& shape() const { return shape_; }

 private:
  LayoutArgument layout_;
  ArrayShape shape_;
};

// The byte strides of a dense array with the given layout.
std::vector<int64_t> DenseByteStrides(std::span<const int64_t> minor_to_major,
                                      std::span<const int64_t> dims,
                                      int64_t element_bytes);
bool IsRowMajor(std::span<const int64_t> minor_to_major);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_SHAPES_H_
