// Element types of buffers and literals. The numbers are PJRT_Buffer_Type's.
#ifndef TENON_TYPES_ELEMENT_TYPE_H_
#define TENON_TYPES_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon {

// X(enumerator, PJRT number, StableHLO text, bits as a value, bytes in a dense buffer)
//
// Types of less than 8 bits take one byte per element in every Tenon buffer.
#define TENON_ELEMENT_TYPES(X)                 \
  X(kPred, 1, "i1", 1, 1)                      \
  X(kS8, 2, "i8", 8, 1)                        \
  X(kS16, 3, "i16", 16, 2)                     \
  X(kS32, 4, "i32", 32, 4)                     \
  X(kS64, 5, "i64", 64, 8)                     \
  X(kU8, 6, "ui8", 8, 1)                       \
  X(kU16, 7, "ui16", 16, 2)                    \
  X(kU32, 8, "ui32", 32, 4)                    \
  X(kU64, 9, "ui64", 64, 8)                    \
  X(kF16, 10, "f16", 16, 2)                    \
  X(kF32, 11, "f32", 32, 4)                    \
  X(kF64, 12, "f64", 64, 8)                    \
  X(kBF16, 13, "bf16", 16, 2)                  \
  X(kC64, 14, "complex<f32>", 64, 8)           \
  X(kC128, 15, "complex<f64>", 128, 16)        \
  X(kF8E5M2, 16, "f8E5M2", 8, 1)               \
  X(kF8E4M3FN, 17, "f8E4M3FN", 8, 1)           \
  X(kF8E4M3B11FNUZ, 18, "f8E4M3B11FNUZ", 8, 1) \
  X(kF8E5M2FNUZ, 19, "f8E5M2FNUZ", 8, 1)       \
  X(kF8E4M3FNUZ, 20, "f8E4M3FNUZ", 8, 1)       \
  X(kS4, 21, "i4", 4, 1)                       \
  X(kU4, 22, "ui4", 4, 1)                      \
  X(kToken, 23, "token", 0, 0)                 \
  X(kS2, 24, "i2", 2, 1)                       \
  X(kU2, 25, "ui2", 2, 1)                      \
  X(kF8E4M3, 26, "f8E4M3", 8, 1)               \
  X(kF8E3M4, 27, "f8E3M4", 8, 1)               \
  X(kF8E8M0FNU, 28, "f8E8M0FNU", 8, 1)         \
  X(kF4E2M1FN, 29, "f4E2M1FN", 4, 1)           \
  X(kF6E2M3FN, 32, "f6E2M3FN", 6, 1)           \
  X(kF6E3M2FN, 33, "f6E3M2FN", 6, 1)

enum class ElementType : int32_t {
  kInvalid = 0,
#define X(name, number, text, bits, bytes) name = number,
  TENON_ELEMENT_TYPES(X)
#undef X
};

// The StableHLO spelling, e.g. "f32"; "invalid" for kInvalid.
std::string_view ElementTypeName(ElementType type);
std::optional<ElementType> ElementTypeFromName(std::string_view name);
// Nullopt for the number of kInvalid, and for numbers of no element type.
std::optional<ElementType> ElementTypeFromNumber(int64_t number);
// Bits of the value itself (1 for kPred, 4 for kS4), 0 for kToken and kInvalid.
int ElementBits(ElementType type);
// Bytes that one element takes in a buffer.
int64_t ElementBytes(ElementType type);

}  // namespace tenon

#endif  // TENON_TYPES_ELEMENT_TYPE_H_
