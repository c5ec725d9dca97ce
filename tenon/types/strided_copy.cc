#include "tenon/types/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tenon {
namespace {

struct Dimension {
  int64_t size;
  int64_t dst_stride;
  int64_t src_stride;
};

// The dimensions, outermost first. Neighbours that are contiguous in both arrays are
// merged.
std::vector<Dimension> Simplify(std::span<const int64_t> dst_strides,
                                std::span<const int64_t> src_strides,
                                std::span<const int64_t> dims) {
  std::vector<Dimension> all;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1) all.push_back({dims[i], dst_strides[i], src_strides[i]});
  }
  // Sort by the destination's strides: sequential writes matter more than sequential
  // reads.
  std::sort(all.begin(), all.end(), [](const Dimension& a, const Dimension& b) {
    return std::abs(a.dst_stride) > std::abs(b.dst_stride);
  });
  std::vector<Dimension> joined;
  for (const Dimension& inner : all) {
    if (!joined.empty()) {
      Dimension& outer = joined.back();
      if (outer.dst_stride == inner.size * inner.dst_stride &&
          outer.src_stride == inner.size * inner.src_stride) {
        outer = {outer.size * inner.size, inner.dst_stride, inner.src_stride};
        continue;
      }
    }
    joined.push_back(inner);
  }
  return joined;
}

template <size_t kBytes>
void CopyRow(char* dst, int64_t dst_stride, const char* src, int64_t src_stride,
             int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    std::memcpy(dst + i * dst_stride, src + i * src_stride, kBytes);
  }
}

using RowCopy = void (*)(char*, int64_t, const char*, int64_t, int64_t);

RowCopy RowCopyFor(int64_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return CopyRow<1>;
    case 2:
      return CopyRow<2>;
    case 4:
      return CopyRow<4>;
    case 8:
      return CopyRow<8>;
    default:
      return CopyRow<16>;
  }
}

// Copies two dimensions in blocks that fit the L1 cache; for transposes.
void CopyPlane(RowCopy copy, char* dst, const char* src, const Dimension& outer,
               const Dimension& inner) {
  constexpr int64_t kBlock = 32;
  for (int64_t i = 0; i < outer.size; i += kBlock) {
    const int64_t rows = std::min(kBlock, outer.size - i);
    for (int64_t j = 0; j < inner.size; j += kBlock) {
      const int64_t columns = std::min(kBlock, inner.size - j);
      for (int64_t r = i; r < i + rows; ++r) {
        copy(dst + r * outer.dst_stride + j * inner.dst_stride, inner.dst_stride,
             src + r * outer.src_stride + j * inner.src_stride, inner.src_stride,
             columns);
      }
    }
  }
}

}  // namespace

void CopyStrided(void* dst, std::span<const int64_t> dst_strides, const void* src,
                 std::span<const int64_t> src_strides, std::span<const int64_t> dims,
                 int64_t element_bytes) {
  for (int64_t dim : dims) {
    if (dim == 0) return;
  }
  auto* to = static_cast<char*>(dst);
  const auto* from = static_cast<const char*>(src);
  std::vector<Dimension> loops = Simplify(dst_strides, src_strides, dims);
  RowCopy copy = RowCopyFor(element_bytes);
  Dimension inner = {1, element_bytes, element_bytes};
  if (!loops.empty()) {
    inner = loops.back();
    loops.pop_back();
  }
  const bool dense =
      inner.dst_stride == element_bytes && inner.src_stride == element_bytes;
  Dimension plane = {1, 0, 0};
  if (!dense && !loops.empty()) {
    plane = loops.back();
    loops.pop_back();
  }
  std::vector<int64_t> index(loops.size());
  for (;;) {
    if (dense) {
      std::memcpy(to, from, static_cast<size_t>(inner.size * element_bytes));
    } else {
      CopyPlane(copy, to, from, plane, inner);
    }
    size_t d = loops.size();
    for (; d > 0; --d) {
      const Dimension& loop = loops[d - 1];
      to += loop.dst_stride;
      from += loop.src_stride;
      if (++index[d - 1] < loop.size) break;
      to -= loop.size * loop.dst_stride;
      from -= loop.size * loop.src_stride;
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

Dims LayoutByteStrides(std::span<const int64_t> dims,
                       std::span<const int64_t> minor_to_major, int64_t element_bytes) {
  Dims strides(dims.size());
  int64_t stride = element_bytes;
  for (int64_t dim : minor_to_major) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= dims[static_cast<size_t>(dim)];
  }
  return strides;
}

}  // namespace tenon
