#include "tenon/types/small_floats.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

// X(type, bits, mantissa bits, bias, specials)
#define TENON_SMALL_FLOATS(X)               \
  X(kF16, 16, 10, 15, kIeee)                \
  X(kBF16, 16, 7, 127, kIeee)               \
  X(kF8E5M2, 8, 2, 15, kIeee)               \
  X(kF8E4M3, 8, 3, 7, kIeee)                \
  X(kF8E3M4, 8, 4, 3, kIeee)                \
  X(kF8E4M3FN, 8, 3, 7, kNanOnly)           \
  X(kF8E4M3B11FNUZ, 8, 3, 11, kNanAtMinus0) \
  X(kF8E5M2FNUZ, 8, 2, 16, kNanAtMinus0)    \
  X(kF8E4M3FNUZ, 8, 3, 8, kNanAtMinus0)     \
  X(kF8E8M0FNU, 8, 0, 127, kExponentOnly)   \
  X(kF4E2M1FN, 4, 1, 1, kNone)              \
  X(kF6E2M3FN, 6, 3, 1, kNone)              \
  X(kF6E3M2FN, 6, 2, 3, kNone)

uint32_t SignBit(const FloatFormat& f) { return 1u << (f.bits - 1); }

// The encoding of +infinity in the IEEE formats.
uint32_t InfinityBits(const FloatFormat& f) {
  return (SignBit(f) - 1) & ~((1u << f.mantissa_bits) - 1);
}

uint32_t MaxFiniteBits(const FloatFormat& f) {
  switch (f.specials) {
    case FloatSpecials::kIeee:
      return InfinityBits(f) - 1;
    case FloatSpecials::kNanOnly:
      return SignBit(f) - 2;
    case FloatSpecials::kNanAtMinus0:
    case FloatSpecials::kNone:
      return SignBit(f) - 1;
    case FloatSpecials::kExponentOnly:
      return 0xfe;
  }
  return 0;
}

uint32_t NanBits(const FloatFormat& f, bool negative) {
  const uint32_t sign = negative ? SignBit(f) : 0;
  switch (f.specials) {
    case FloatSpecials::kIeee:
      return sign | InfinityBits(f) | (1u << (f.mantissa_bits - 1));
    case FloatSpecials::kNanOnly:
      return sign | (SignBit(f) - 1);
    case FloatSpecials::kNanAtMinus0:
      return SignBit(f);
    case FloatSpecials::kNone:
      return negative ? 0 : SignBit(f);
    case FloatSpecials::kExponentOnly:
      return 0xff;
  }
  return 0;
}

uint32_t OverflowBits(const FloatFormat& f, bool negative) {
  const uint32_t sign = negative ? SignBit(f) : 0;
  if (f.specials == FloatSpecials::kIeee) return sign | InfinityBits(f);
  if (f.specials == FloatSpecials::kNone) return sign | MaxFiniteBits(f);
  return NanBits(f, negative);
}

// A table of all values of a type of at most 8 bits.
const std::array<float, 256>& ValueTable(ElementType type) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 34> all{};
#define X(name, bits, mantissa, bias, specials)        \
  if (bits <= 8)                                       \
    for (uint32_t i = 0; i < 256; ++i)                 \
      all[static_cast<size_t>(ElementType::name)][i] = \
          static_cast<float>(DecodeSmallFloat(SmallFloatFormat(ElementType::name), i));
    TENON_SMALL_FLOATS(X)
#undef X
    return all;
  }();
  return tables[static_cast<size_t>(type)];
}

template <typename From>
void Encode(ElementType type, const From* from, void* to, int64_t count) {
  const FloatFormat format = SmallFloatFormat(type);
  if (format.bits == 16) {
    auto* out = static_cast<uint16_t*>(to);
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<uint16_t>(EncodeSmallFloat(format, from[i]));
  } else {
    auto* out = static_cast<uint8_t*>(to);
    for (int64_t i = 0; i < count; ++i)
      out[i] = static_cast<uint8_t>(EncodeSmallFloat(format, from[i]));
  }
}

}  // namespace

FloatFormat SmallFloatFormat(ElementType type) {
  switch (type) {
#define X(name, bits, mantissa, bias, specials) \
  case ElementType::name:                       \
    return {bits, mantissa, bias, FloatSpecials::specials};
    TENON_SMALL_FLOATS(X)
#undef X
    default:
      return {0, 0, 0, FloatSpecials::kIeee};
  }
}

double DecodeSmallFloat(const FloatFormat& f, uint32_t bits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (f.specials == FloatSpecials::kExponentOnly)
    return bits == 0xff ? kNan : std::ldexp(1.0, static_cast<int>(bits) - f.bias);
  const bool negative = bits & SignBit(f);
  const uint32_t magnitude = bits & (SignBit(f) - 1);
  if (f.specials == FloatSpecials::kNanAtMinus0 && negative && magnitude == 0)
    return kNan;
  if (magnitude > MaxFiniteBits(f)) {
    const bool infinite =
        f.specials == FloatSpecials::kIeee && magnitude == InfinityBits(f);
    const double special = infinite ? std::numeric_limits<double>::infinity() : kNan;
    return std::copysign(special, negative ? -1.0 : 1.0);
  }
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const uint32_t hidden = exponent == 0 ? 0 : 1u << f.mantissa_bits;
  const double mantissa = hidden | (magnitude & ((1u << f.mantissa_bits) - 1));
  const double value =
      std::ldexp(mantissa, (exponent == 0 ? 1 : exponent) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

uint32_t EncodeSmallFloat(const FloatFormat& f, double value) {
  const uint64_t raw = std::bit_cast<uint64_t>(value);
  const bool negative = raw >> 63;
  if (std::isnan(value)) return NanBits(f, negative);
  if (std::isinf(value)) return OverflowBits(f, negative);
  const bool unsigned_format = f.specials == FloatSpecials::kExponentOnly;
  // Exponent-only types have neither zero nor negative values. These become NaN, as in
  // ml_dtypes.
  if (unsigned_format && (negative || value == 0)) return NanBits(f, negative);
  const uint32_t sign = negative && !unsigned_format ? SignBit(f) : 0;
  const int source_exponent = static_cast<int>(raw >> 52) & 0x7ff;
  // Doubles below 2^-1022 are far below every small format's smallest value.
  if (source_exponent == 0) return f.specials == FloatSpecials::kNanAtMinus0 ? 0 : sign;
  const uint64_t mantissa = (raw & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const int exponent = source_exponent - 1023;
  const int min_exponent = unsigned_format ? -f.bias : 1 - f.bias;
  const int kept_exponent = exponent > min_exponent ? exponent : min_exponent;
  const int shift = 52 - f.mantissa_bits + (kept_exponent - exponent);
  uint64_t kept = 0;
  if (shift <= 54) {
    kept = mantissa >> shift;
    const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  if (unsigned_format) {
    if (kept == 0) kept = 1;  // the type has no zero
    const int64_t bits = int64_t{kept_exponent} + f.bias + (kept > 1 ? 1 : 0);
    return bits > 0xfe ? 0xff : static_cast<uint32_t>(bits);
  }
  // Addition, unlike bitwise or, carries a mantissa that was rounded up into the
  // exponent.
  const int64_t bits = (int64_t{kept_exponent + f.bias - 1} << f.mantissa_bits) +
                       static_cast<int64_t>(kept);
  if (bits > MaxFiniteBits(f)) return OverflowBits(f, negative);
  if (bits == 0 && f.specials == FloatSpecials::kNanAtMinus0) return 0;
  return sign | static_cast<uint32_t>(bits);
}

void DecodeSmallFloats(ElementType type, const void* from, float* to, int64_t count) {
  assert(IsSmallFloat(type));
  if (type == ElementType::kBF16) {
    const auto* in = static_cast<const uint16_t*>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = Bf16ToFloat(in[i]);
  } else if (type == ElementType::kF16) {
    const auto* in = static_cast<const uint16_t*>(from);
    const FloatFormat format = SmallFloatFormat(type);
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<float>(DecodeSmallFloat(format, in[i]));
  } else {
    const auto* in = static_cast<const uint8_t*>(from);
    const std::array<float, 256>& table = ValueTable(type);
    for (int64_t i = 0; i < count; ++i) to[i] = table[in[i]];
  }
}

void EncodeSmallFloats(ElementType type, const float* from, void* to, int64_t count) {
  if (type == ElementType::kBF16) {
    auto* out = static_cast<uint16_t*>(to);
    for (int64_t i = 0; i < count; ++i) out[i] = FloatToBf16(from[i]);
    return;
  }
  Encode(type, from, to, count);
}

void EncodeSmallFloats(ElementType type, const double* from, void* to, int64_t count) {
  Encode(type, from, to, count);
}

void RoundToSmallFloats(ElementType type, float* values, int64_t count) {
  if (type == ElementType::kBF16) {
    for (int64_t i = 0; i < count; ++i) values[i] = Bf16ToFloat(FloatToBf16(values[i]));
    return;
  }
  const FloatFormat format = SmallFloatFormat(type);
  for (int64_t i = 0; i < count; ++i)
    values[i] =
        static_cast<float>(DecodeSmallFloat(format, EncodeSmallFloat(format, values[i])));
}

}  // namespace tenon
