#include "tenon/types/canonical_bytes.h"

#include <algorithm>
#include <array>

namespace tenon {
namespace {

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

bool NeedsCanonicalBytes(ElementType type) { return CanonicalTable(type) != nullptr; }

bool HasCanonicalBytes(ElementType type, const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  if (type == ElementType::kPred) {
    // No branch in the loop, so that it is vectorized: this runs on every upload.
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

}  // namespace tenon
