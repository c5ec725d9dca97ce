// Sizes and row-major indexing of dense arrays. Pure functions, callable from any thread.
#ifndef TENON_TYPES_SHAPE_H_
#define TENON_TYPES_SHAPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/types/element_type.h"

namespace tenon {

using Dims = std::vector<int64_t>;

// The number of elements. An error if a size is negative or the product exceeds 2^62.
StatusOr<int64_t> CountElements(std::span<const int64_t> dims);
// The size of a dense array in bytes. An error if CountElements fails or the size exceeds
// 2^62 bytes.
StatusOr<int64_t> CountBytes(ElementType type, std::span<const int64_t> dims);

// The number of elements, for sizes that are known to be valid.
int64_t ElementCount(std::span<const int64_t> dims);

// Strides in elements of a row-major array.
Dims RowMajorStrides(std::span<const int64_t> dims);

// The multi-index of element `linear` in row-major order.
Dims UnflattenIndex(int64_t linear, std::span<const int64_t> dims);

// Advances `index` in row-major order. After the last index it resets all to zero and
// returns false.
bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index);

// "f32[2,3]".
std::string ShapeString(ElementType type, std::span<const int64_t> dims);
// "[2,3]".
std::string DimsString(std::span<const int64_t> dims);

}  // namespace tenon

#endif  // TENON_TYPES_SHAPE_H_
