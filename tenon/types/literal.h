// A typed dense row-major array in host memory, used for constants, for arguments of the
// evaluator and for test data.
//
// Copy-on-write: copies share the storage, and the first write copies it. So a copy is
// cheap, and reading foreign memory copies nothing. A value type: one thread at a time
// may use an object; different copies may be used by different threads.
#ifndef TENON_TYPES_LITERAL_H_
#define TENON_TYPES_LITERAL_H_

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tenon/base/status.h"
#include "tenon/types/element_type.h"
#include "tenon/types/shape.h"

namespace tenon {

// Elements of fewer than 8 bits take one byte: 0 or 1 for kPred, sign-extended for kS2
// and kS4, zero-extended for the rest. A kToken literal has no data.
class Literal {
 public:
  Literal() = default;  // kInvalid, no data

  // Zero-filled. Requires valid sizes (see CountBytes) and enough memory; use Create
  // where either is in doubt.
  Literal(ElementType type, Dims dims);
  // Zero-filled. INVALID_ARGUMENT for invalid sizes, RESOURCE_EXHAUSTED without memory;
  // both name the shape.
  static StatusOr<Literal> Create(ElementType type, Dims dims);
  // A literal that reads `data` in place. `owner` keeps `data` alive; `data` must be
  // aligned for the type.
  static Literal Share(ElementType type, Dims dims, const void* data,
                       std::shared_ptr<const void> owner);
  // A literal with a copy of `count * ElementBytes(type)` bytes.
  static Literal Copy(ElementType type, Dims dims, const void* data);
  static Literal Token() { return Literal(ElementType::kToken, {}); }

  // A rank-0 literal; T must have the size of an element.
  template <typename T>
  static Literal Scalar(ElementType type, T value) {
    assert(sizeof(T) == static_cast<size_t>(ElementBytes(type)));
    return Copy(type, {}, &value);
  }
  template <typename T>
  static Literal FromValues(ElementType type, Dims dims, std::span<const T> values) {
    assert(sizeof(T) == static_cast<size_t>(ElementBytes(type)));
    assert(static_cast<int64_t>(values.size()) == ElementCount(dims));
    return Copy(type, std::move(dims), values.data());
  }

  bool valid() const { return type_ != ElementType::kInvalid; }
  ElementType type() const { return type_; }
  const Dims& dims() const { return dims_; }
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  int64_t count() const { return count_; }
  int64_t byte_size() const { return count_ * ElementBytes(type_); }

  const uint8_t* data() const { return data_; }
  // Copies the storage first if it is shared.
  uint8_t* mutable_data();

  template <typename T>
  std::span<const T> values() const {
    assert(sizeof(T) == static_cast<size_t>(ElementBytes(type_)));
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(count_)};
  }
  template <typename T>
  std::span<T> mutable_values() {
    assert(sizeof(T) == static_cast<size_t>(ElementBytes(type_)));
    return {reinterpret_cast<T*>(mutable_data()), static_cast<size_t>(count_)};
  }

  // The same elements with other dimension sizes, whose product must be the same.
  Literal Reshaped(Dims dims) const&;
  Literal Reshaped(Dims dims) &&;
  // The same bytes as elements of another type of equal size in bytes.
  Literal Retyped(ElementType type) const;

  // Element `i` in row-major order; the real part of a complex element. Exact, except for
  // 64-bit integers above 2^53.
  double ValueAsDouble(int64_t i) const;
  // Element `i` of an integer or kPred literal; kU64 wraps.
  int64_t ValueAsInt(int64_t i) const;
  // Element `i` as text. Floats have enough digits to read back the same value.
  std::string ValueAsText(int64_t i) const;

  // "f32[2,2] {1, 2, 3, 4}", at most `limit` elements.
  std::string ToString(int64_t limit = 64) const;

 private:
  bool Allocate(bool zero);  // false: no memory

  ElementType type_ = ElementType::kInvalid;
  Dims dims_;
  int64_t count_ = 0;
  bool writable_ = false;  // the storage is ours, if no copy shares it
  const uint8_t* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

}  // namespace tenon

#endif  // TENON_TYPES_LITERAL_H_
