#include "tenon/pjrt/client/host_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tenon::pjrt {
namespace {

struct Dimension {
  int64_t size;
  int64_t dst_stride;
  int64_t src_stride;
};

// Outermost first, with what lies together in both arrays joined.
std::vector<Dimension> Simplify(std::span<const int64_t> dst_strides,
                                std::span<const int64_t> src_strides,
                                std::span<const int64_t> dims) {
  std::vector<Dimension> all;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1) all.push_back({dims[i], dst_strides[i], src_strides[i]});
  }
  // Writing in order matters more than reading in order.
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

// Two dimensions in blocks that stay in the cache, for transposes.
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

// The canonical byte for each byte, or null if every byte is canonical.
using ByteTable = std::array<uint8_t, 256>;

const ByteTable* CanonicalTable(ElementType type) {
  static const auto make = [](auto function) {
    ByteTable table;
    for (int i = 0; i < 256; ++i) table[static_cast<size_t>(i)] = function(i);
    return table;
  };
  static const auto sign_extend = [](int bits) {
    return make([bits](int i) {
      const int value = i & ((1 << bits) - 1);
      return static_cast<uint8_t>(value >> (bits - 1) ? value - (1 << bits) : value);
    });
  };
  static const auto mask = [](int bits) {
    return make([bits](int i) { return static_cast<uint8_t>(i & ((1 << bits) - 1)); });
  };
  static const ByteTable pred = make([](int i) { return static_cast<uint8_t>(i != 0); });
  static const ByteTable s4 = sign_extend(4), s2 = sign_extend(2);
  static const ByteTable low2 = mask(2), low4 = mask(4), low6 = mask(6);
  switch (type) {
    case ElementType::kPred:
      return &pred;
    case ElementType::kS4:
      return &s4;
    case ElementType::kS2:
      return &s2;
    case ElementType::kU2:
      return &low2;
    case ElementType::kU4:
    case ElementType::kF4E2M1FN:
      return &low4;
    case ElementType::kF6E2M3FN:
    case ElementType::kF6E3M2FN:
      return &low6;
    default:
      return nullptr;
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

bool NeedsCanonicalBytes(ElementType type) { return CanonicalTable(type) != nullptr; }

bool HasCanonicalBytes(ElementType type, const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  if (type == ElementType::kPred) {
    // No branch in the loop, so that it becomes vector code: this runs on every upload.
    uint8_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits |= bytes[i];
    return bits <= 1;
  }
  const ByteTable* table = CanonicalTable(type);
  if (!table) return true;
  return std::all_of(bytes, bytes + size,
                     [table](uint8_t byte) { return (*table)[byte] == byte; });
}

void MakeBytesCanonical(ElementType type, void* data, size_t size) {
  const ByteTable* table = CanonicalTable(type);
  if (!table) return;
  auto* bytes = static_cast<uint8_t*>(data);
  for (size_t i = 0; i < size; ++i) bytes[i] = (*table)[bytes[i]];
}

}  // namespace tenon::pjrt
