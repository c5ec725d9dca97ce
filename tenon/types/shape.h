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

// The number of elements; an error when a size is negative or the product exceeds 2^62.
StatusOr<int64_t> CountElements(std::span<const int64_t> dims);
// The bytes of a dense array; an error where CountElements is one or the bytes exceed
// 2^62.
StatusOr<int64_t> CountBytes(ElementType type, std::span<const int64_t> dims);

// The number of elements of sizes known to be valid.
int64_t ElementCount(std::span<const int64_t> dims);

// Elements to step over per dimension when the last one varies fastest.
Dims RowMajorStrides(std::span<const int64_t> dims);

// The multi-index of element `linear` in row-major order.
Dims UnflattenIndex(int64_t linear, std::span<const int64_t> dims);

// Steps `index` to the next one in row-major order; false, and all zeros, after the last.
bool NextIndex(std::span<const int64_t> dims, std::span<int64_t> index);

// "f32[2,3]".
std::string ShapeString(ElementType type, std::span<const int64_t> dims);
// "[2,3]".
std::string DimsString(std::span<const int64_t> dims);

}  // namespace tenon

#endif  // TENON_TYPES_SHAPE_H_
