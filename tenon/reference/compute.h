// Computing form: the types in which elements are computed, and conversions from and to
// storage.
//
// Every element type is computed as one of six: integers of any width as 64-bit integers,
// floats of at most 32 bits as f32 (rounded to their type after each operation), all
// others as themselves. So kernels are compiled for six types instead of thirty. Pure
// functions.
#ifndef TENON_REFERENCE_COMPUTE_H_
#define TENON_REFERENCE_COMPUTE_H_

#include <cstdint>
#include <memory>

#include "tenon/types/element_type.h"
#include "tenon/types/literal.h"

namespace tenon::reference {

enum class ComputeKind { kSigned, kUnsigned, kF32, kF64, kC64, kC128 };

ComputeKind ComputeKindOf(ElementType type);
// Size of an element in computing form: 4, 8 or 16 bytes.
int64_t ComputeBytes(ComputeKind kind);
inline int64_t ComputeBytes(ElementType type) {
  return ComputeBytes(ComputeKindOf(type));
}

// Returns whether storage and computing form have the same bytes.
bool IsStoredAsComputed(ElementType type);

// Converts `count` elements from storage to computing form and back. Storing wraps
// integers and rounds floats.
void LoadElements(ElementType type, const void* storage, void* compute, int64_t count);
void StoreElements(ElementType type, const void* compute, void* storage, int64_t count);
// Brings computed values into the range of `type`; equals storing and loading them.
void WrapElements(ElementType type, void* compute, int64_t count);

// Returns whether any value (or part of a complex value) is a denormal.
bool HasDenormals(ComputeKind kind, const void* compute, int64_t count);
// Replaces denormals by zeros with the same sign.
void FlushDenormals(ComputeKind kind, void* compute, int64_t count);

// A literal's elements in computing form, without a copy if possible.
class ComputeArray {
 public:
  explicit ComputeArray(const Literal& literal);
  template <typename T>
  const T* values() const {
    return static_cast<const T*>(data_);
  }
  const void* data() const { return data_; }

 private:
  Literal literal_;
  std::unique_ptr<uint8_t[]> converted_;
  const void* data_;
};

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_COMPUTE_H_
