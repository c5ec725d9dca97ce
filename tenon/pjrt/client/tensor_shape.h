// The type, sizes and layout of a buffer. Small ranks need no allocation.
//
// Immutable after construction.
#ifndef TENON_PJRT_CLIENT_TENSOR_SHAPE_H_
#define TENON_PJRT_CLIENT_TENSOR_SHAPE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt {

class TensorShape {
 public:
  TensorShape() = default;
  // The arguments must pass Check. A `minor_to_major` of nullopt means row-major.
  TensorShape(ElementType type, std::span<const int64_t> dims,
              std::optional<std::span<const int64_t>> minor_to_major = std::nullopt);
  TensorShape(const TensorShape& other)
      : type_(other.type_),
        row_major_(other.row_major_),
        rank_(other.rank_),
        byte_size_(other.byte_size_) {
    if (other.heap_) heap_.reset(new int64_t[2 * rank_]);
    std::copy_n(other.values(), 2 * rank_, heap_ ? heap_.get() : inline_);
  }
  TensorShape& operator=(const TensorShape&) = delete;

  // INVALID_ARGUMENT if the layout is not a permutation, or if a size is negative or the
  // product of the sizes too large.
  static Status Check(ElementType type, std::span<const int64_t> dims,
                      std::optional<std::span<const int64_t>> minor_to_major);

  ElementType type() const { return type_; }
  std::span<const int64_t> dims() const { return {values(), rank_}; }
  std::span<const int64_t> minor_to_major() const { return {values() + rank_, rank_}; }
  size_t byte_size() const { return byte_size_; }
  bool is_row_major() const { return row_major_; }
  // The stride of each dimension, in bytes.
  std::vector<int64_t> ByteStrides() const;

  bool SameAs(const TensorShape& other) const {
    return type_ == other.type_ && rank_ == other.rank_ &&
           std::equal(values(), values() + 2 * rank_, other.values());
  }

 private:
  static constexpr size_t kInlineRank = 4;
  const int64_t* values() const { return heap_ ? heap_.get() : inline_; }

  ElementType type_ = ElementType::kInvalid;
  bool row_major_ = true;
  size_t rank_ = 0;
  size_t byte_size_ = 0;
  int64_t inline_[2 * kInlineRank];  // sizes, then minor_to_major
  std::unique_ptr<int64_t[]> heap_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_TENSOR_SHAPE_H_
