// Element types of buffers, and the C++ types that hold their elements in host memory.
//
// Element types of less than a byte occupy one byte each in host memory. To transfer a
// type of your own, specialise pjrt::element_traits for it.
#ifndef TENON_PJRT_CPP_ELEMENT_TYPES_HPP_
#define TENON_PJRT_CPP_ELEMENT_TYPES_HPP_

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tenon/pjrt/raw.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// The numbers are those of the C API. A newer plugin may use others.
enum class ElementType : int {
  invalid = PJRT_Buffer_Type_INVALID,
  pred = PJRT_Buffer_Type_PRED,
  s8 = PJRT_Buffer_Type_S8,
  s16 = PJRT_Buffer_Type_S16,
  s32 = PJRT_Buffer_Type_S32,
  s64 = PJRT_Buffer_Type_S64,
  u8 = PJRT_Buffer_Type_U8,
  u16 = PJRT_Buffer_Type_U16,
  u32 = PJRT_Buffer_Type_U32,
  u64 = PJRT_Buffer_Type_U64,
  f16 = PJRT_Buffer_Type_F16,
  f32 = PJRT_Buffer_Type_F32,
  f64 = PJRT_Buffer_Type_F64,
  bf16 = PJRT_Buffer_Type_BF16,
  c64 = PJRT_Buffer_Type_C64,
  c128 = PJRT_Buffer_Type_C128,
  f8e5m2 = PJRT_Buffer_Type_F8E5M2,
  f8e4m3fn = PJRT_Buffer_Type_F8E4M3FN,
  f8e4m3b11fnuz = PJRT_Buffer_Type_F8E4M3B11FNUZ,
  f8e5m2fnuz = PJRT_Buffer_Type_F8E5M2FNUZ,
  f8e4m3fnuz = PJRT_Buffer_Type_F8E4M3FNUZ,
  s4 = PJRT_Buffer_Type_S4,
  u4 = PJRT_Buffer_Type_U4,
  token = PJRT_Buffer_Type_TOKEN,
  s2 = PJRT_Buffer_Type_S2,
  u2 = PJRT_Buffer_Type_U2,
  f8e4m3 = PJRT_Buffer_Type_F8E4M3,
  f8e3m4 = PJRT_Buffer_Type_F8E3M4,
  f8e8m0fnu = PJRT_Buffer_Type_F8E8M0FNU,
  f4e2m1fn = PJRT_Buffer_Type_F4E2M1FN,
  s1 = PJRT_Buffer_Type_S1,
  u1 = PJRT_Buffer_Type_U1,
};

// The bytes of an element in host memory; 0 if the type has none or is not known.
constexpr size_t host_size(ElementType type) {
  switch (type) {
    case ElementType::invalid:
    case ElementType::token:
      return 0;
    case ElementType::s16:
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::s32:
    case ElementType::u32:
    case ElementType::f32:
      return 4;
    case ElementType::s64:
    case ElementType::u64:
    case ElementType::f64:
    case ElementType::c64:
      return 8;
    case ElementType::c128:
      return 16;
    default:
      return static_cast<int>(type) <= static_cast<int>(ElementType::u1) ? 1 : 0;
  }
}

constexpr const char* type_name(ElementType type) {
  constexpr const char* kNames[] = {
      "invalid",    "pred",   "s8",       "s16",           "s32",
      "s64",        "u8",     "u16",      "u32",           "u64",
      "f16",        "f32",    "f64",      "bf16",          "c64",
      "c128",       "f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz",
      "f8e4m3fnuz", "s4",     "u4",       "token",         "s2",
      "u2",         "f8e4m3", "f8e3m4",   "f8e8m0fnu",     "f4e2m1fn",
      "s1",         "u1"};
  auto number = static_cast<size_t>(type);
  return number < std::size(kNames) ? kNames[number] : "an unknown type";
}

// A truth value of one byte, because std::vector<bool> has no memory to transfer.
struct pred {
  bool value;
  operator bool() const { return value; }
};

// The upper half of a float. Conversion from float rounds to nearest even.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  bfloat16(float value) {
    auto all = std::bit_cast<uint32_t>(value);
    bool is_nan = (all & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<uint16_t>(is_nan ? (all >> 16) | 0x40u
                                        : (all + 0x7fffu + ((all >> 16) & 1u)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

// IEEE binary16. Conversion from float rounds to nearest even.
struct float16 {
  uint16_t bits = 0;
  float16() = default;
  float16(float value) {
    auto all = std::bit_cast<uint32_t>(value);
    uint32_t sign = (all >> 16) & 0x8000u, magnitude = all & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u) {
      half = 0x7e00u;  // NaN
    } else if (magnitude >= 0x477ff000u) {
      half = 0x7c00u;  // rounds to infinity
    } else if (magnitude < 0x38800000u) {
      // Subnormal: this addition puts the last bit of float where half has its own.
      float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      half = std::bit_cast<uint32_t>(shifted) - 0x3f000000u;
    } else {
      half = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    }
    bits = static_cast<uint16_t>(sign | half);
  }
  operator float() const {
    uint32_t sign = uint32_t{bits & 0x8000u} << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) {
      return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    }
    // Scales by 2^112, which is exact for normal and subnormal numbers.
    float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
};

// `type` is the element type that T holds.
template <typename T>
struct element_traits;
#define TENON_PJRT_ELEMENT(cpp_type, element_type)                 \
  template <>                                                      \
  struct element_traits<cpp_type> {                                \
    static constexpr ElementType type = ElementType::element_type; \
  }
TENON_PJRT_ELEMENT(bool, pred);
TENON_PJRT_ELEMENT(pred, pred);
TENON_PJRT_ELEMENT(int8_t, s8);
TENON_PJRT_ELEMENT(int16_t, s16);
TENON_PJRT_ELEMENT(int32_t, s32);
TENON_PJRT_ELEMENT(int64_t, s64);
TENON_PJRT_ELEMENT(uint8_t, u8);
TENON_PJRT_ELEMENT(uint16_t, u16);
TENON_PJRT_ELEMENT(uint32_t, u32);
TENON_PJRT_ELEMENT(uint64_t, u64);
TENON_PJRT_ELEMENT(float16, f16);
TENON_PJRT_ELEMENT(bfloat16, bf16);
TENON_PJRT_ELEMENT(float, f32);
TENON_PJRT_ELEMENT(double, f64);
TENON_PJRT_ELEMENT(std::complex<float>, c64);
TENON_PJRT_ELEMENT(std::complex<double>, c128);
#undef TENON_PJRT_ELEMENT

template <typename T>
concept Element = requires { element_traits<std::remove_const_t<T>>::type; } &&
                  std::is_trivially_copyable_v<T>;

template <Element T>
constexpr ElementType element_type_of = element_traits<std::remove_const_t<T>>::type;

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_ELEMENT_TYPES_HPP_
