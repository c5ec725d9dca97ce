#include "tenon/reference/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace tenon::reference {
namespace {

struct Bytes16 {
  uint64_t words[2];
};

template <typename T>
void CopyLine(const uint8_t* from, uint8_t* to, int64_t count, int64_t from_stride,
              int64_t to_stride) {
  const T* in = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) out[i * to_stride] = in[i * from_stride];
}

}  // namespace

StridedCopy::StridedCopy(int64_t element_bytes, std::span<const int64_t> dims,
                         std::span<const int64_t> from_strides,
                         std::span<const int64_t> to_strides)
    : bytes_(element_bytes) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) empty_ = true;
    if (dims[i] == 1) continue;
    const Dim dim{dims[i], from_strides[i], to_strides[i]};
    if (!outer_.empty() && outer_.back().from == dim.from * dim.size &&
        outer_.back().to == dim.to * dim.size) {
      outer_.back() = {outer_.back().size * dim.size, dim.from, dim.to};
    } else {
      outer_.push_back(dim);
    }
  }
  if (!outer_.empty()) {
    inner_ = outer_.back();
    outer_.pop_back();
  }
}

void StridedCopy::RunInner(const uint8_t* from, uint8_t* to) const {
  if (inner_.from == 1 && inner_.to == 1) {
    std::memcpy(to, from, inner_.size * bytes_);
    return;
  }
  switch (bytes_) {
    case 1:
      return CopyLine<uint8_t>(from, to, inner_.size, inner_.from, inner_.to);
    case 2:
      return CopyLine<uint16_t>(from, to, inner_.size, inner_.from, inner_.to);
    case 4:
      return CopyLine<uint32_t>(from, to, inner_.size, inner_.from, inner_.to);
    case 8:
      return CopyLine<uint64_t>(from, to, inner_.size, inner_.from, inner_.to);
    case 16:
      return CopyLine<Bytes16>(from, to, inner_.size, inner_.from, inner_.to);
  }
}

void StridedCopy::Run(const uint8_t* from, uint8_t* to) const {
  if (empty_) return;
  if (outer_.empty()) return RunInner(from, to);
  std::vector<int64_t> index(outer_.size(), 0);
  while (true) {
    RunInner(from, to);
    size_t d = outer_.size();
    while (d-- > 0) {
      from += outer_[d].from * bytes_;
      to += outer_[d].to * bytes_;
      if (++index[d] < outer_[d].size) break;
      from -= outer_[d].from * outer_[d].size * bytes_;
      to -= outer_[d].to * outer_[d].size * bytes_;
      index[d] = 0;
      if (d == 0) return;
    }
  }
}

Literal Transposed(const Literal& operand, const Dims& order) {
  if (std::is_sorted(order.begin(), order.end())) return operand;
  const Dims strides = RowMajorStrides(operand.dims());
  Dims dims, from;
  for (int64_t d : order) {
    dims.push_back(operand.dims()[d]);
    from.push_back(strides[d]);
  }
  Literal result(operand.type(), dims);
  if (result.count())
    StridedCopy(ElementBytes(operand.type()), dims, from, RowMajorStrides(dims))
        .Run(operand.data(), result.mutable_data());
  return result;
}

}  // namespace tenon::reference
