// Conversion of the 16, 8, 6 and 4-bit float types from and to f32 and f64.
//
// Decoding is exact. Encoding rounds once, to nearest even. A value beyond the largest
// finite one becomes infinity; NaN if the type has no infinity; the largest finite value
// if the type has neither. Pure functions, callable from any thread.
#ifndef TENON_TYPES_SMALL_FLOATS_H_
#define TENON_TYPES_SMALL_FLOATS_H_

#include <bit>
#include <cstdint>

#include "tenon/types/element_type.h"

namespace tenon {

// How a binary float format represents infinities and NaNs.
enum class FloatSpecials {
  kIeee,         // infinities and NaNs
  kNanOnly,      // one NaN per sign, all ones; no infinity
  kNanAtMinus0,  // the encoding of -0 is the NaN; no infinity
  kNone,         // finite values only; NaN encodes to -0, -NaN to 0 (as ml_dtypes)
  kExponentOnly  // no sign, no zero; all ones is NaN
};

struct FloatFormat {
  int bits;           // size of the encoding
  int mantissa_bits;  // without the hidden bit
  int bias;
  FloatSpecials specials;
};

// The format of a float type of at most 16 bits; bits == 0 for every other type.
FloatFormat SmallFloatFormat(ElementType type);
// Whether `type` is a float of at most 16 bits.
inline bool IsSmallFloat(ElementType type) { return SmallFloatFormat(type).bits != 0; }

double DecodeSmallFloat(const FloatFormat& format, uint32_t bits);
uint32_t EncodeSmallFloat(const FloatFormat& format, double value);

// Convert arrays of `count` elements. `type` is a small float type, whose array has one
// or two bytes per element.
void DecodeSmallFloats(ElementType type, const void* from, float* to, int64_t count);
void EncodeSmallFloats(ElementType type, const float* from, void* to, int64_t count);
void EncodeSmallFloats(ElementType type, const double* from, void* to, int64_t count);
// Rounds `values` to the nearest values that `type` can represent.
void RoundToSmallFloats(ElementType type, float* values, int64_t count);

inline float Bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
inline uint16_t FloatToBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (bits >> 16) | 0x40;  // quiet NaN
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

}  // namespace tenon

#endif  // TENON_TYPES_SMALL_FLOATS_H_
