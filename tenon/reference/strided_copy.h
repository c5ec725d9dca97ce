// Copies between arrays that are addressed by strides. All ops that move data use it. A
// plan is immutable; any thread may run it.
#ifndef TENON_REFERENCE_STRIDED_COPY_H_
#define TENON_REFERENCE_STRIDED_COPY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/types/literal.h"

namespace tenon::reference {

// Copies an n-dimensional block of elements. Strides count elements and may be zero (in
// the source) or negative. Dimensions are merged if both sides permit it.
class StridedCopy {
 public:
  StridedCopy(int64_t element_bytes, std::span<const int64_t> dims,
              std::span<const int64_t> from_strides, std::span<const int64_t> to_strides);

  // `from` and `to` point to the element at index zero. The blocks must not overlap.
  void Run(const uint8_t* from, uint8_t* to) const;

 private:
  struct Dim {
    int64_t size, from, to;
  };
  void RunInner(const uint8_t* from, uint8_t* to) const;

  int64_t bytes_;
  bool empty_ = false;
  std::vector<Dim> outer_;
  Dim inner_{1, 1, 1};
};

// Returns `operand` with its dimensions in the given order.
Literal Transposed(const Literal& operand, const Dims& order);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_STRIDED_COPY_H_
