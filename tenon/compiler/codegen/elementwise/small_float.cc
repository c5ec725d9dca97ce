#include "tenon/compiler/codegen/elementwise/small_float.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/ErrorHandling.h"

namespace tenon::compiler {

FloatFormat GetFloatFormat(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return {5, 10, 15, FloatSpecials::kIeee};
    case ElementType::kF8E5M2:
      return {5, 2, 15, FloatSpecials::kIeee};
    case ElementType::kF8E4M3:
      return {4, 3, 7, FloatSpecials::kIeee};
    case ElementType::kF8E3M4:
      return {3, 4, 3, FloatSpecials::kIeee};
    case ElementType::kF8E4M3FN:
      return {4, 3, 7, FloatSpecials::kFn};
    case ElementType::kF8E4M3B11FNUZ:
      return {4, 3, 11, FloatSpecials::kFnuz};
    case ElementType::kF8E4M3FNUZ:
      return {4, 3, 8, FloatSpecials::kFnuz};
    case ElementType::kF8E5M2FNUZ:
      return {5, 2, 16, FloatSpecials::kFnuz};
    case ElementType::kF4E2M1FN:
      return {2, 1, 1, FloatSpecials::kFinite};
    case ElementType::kF6E2M3FN:
      return {2, 3, 1, FloatSpecials::kFinite};
    case ElementType::kF6E3M2FN:
      return {3, 2, 3, FloatSpecials::kFinite};
    default:
      llvm_unreachable("not a float format of sign, exponent and mantissa");
  }
}

namespace {

constexpr uint32_t kF32Infinity = 0x7f800000, kF32Nan = 0x7fc00000;
constexpr int kF32Mantissa = 23, kF32Bias = 127;

// Codes without the sign bit.
uint32_t InfinityCode(const FloatFormat& format) {
  return ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
}

uint32_t SignCode(const FloatFormat& format) {
  return 1u << (format.exponent_bits + format.mantissa_bits);
}

}  // namespace

llvm::Value* DecodeFloat(FloatMath& f32, const FloatFormat& format, llvm::Value* raw) {
  llvm::IRBuilderBase& b = f32.builder();
  uint32_t sign_code = SignCode(format);
  llvm::Value* sign = b.CreateAnd(raw, f32.Int(sign_code));
  llvm::Value* code = b.CreateAnd(raw, f32.Int(sign_code - 1));
  int shift = kF32Mantissa - format.mantissa_bits;
  llvm::Value* normal =
      b.CreateAdd(b.CreateShl(code, f32.Int(shift)),
                  f32.Int(static_cast<uint32_t>(kF32Bias - format.bias) << kF32Mantissa));
  // A denormal is a small integer times a power of two.
  llvm::Value* denormal =
      f32.Mul(b.CreateSIToFP(code, f32.type()),
              f32.Const(std::ldexp(1.0, 1 - format.bias - format.mantissa_bits)));
  llvm::Value* bits =
      f32.Select(b.CreateICmpULT(code, f32.Int(1u << format.mantissa_bits)),
                 f32.ToBits(denormal), normal);
  switch (format.specials) {
    case FloatSpecials::kIeee: {
      uint32_t infinity = InfinityCode(format);
      bits = f32.Select(b.CreateICmpUGE(code, f32.Int(infinity)), f32.Int(kF32Infinity),
                        bits);
      bits = f32.Select(b.CreateICmpUGT(code, f32.Int(infinity)), f32.Int(kF32Nan), bits);
      break;
    }
    case FloatSpecials::kFn:
      bits = f32.Select(b.CreateICmpEQ(code, f32.Int(sign_code - 1)), f32.Int(kF32Nan),
                        bits);
      break;
    case FloatSpecials::kFnuz:
      bits = f32.Select(b.CreateICmpEQ(raw, f32.Int(sign_code)), f32.Int(kF32Nan), bits);
      break;
    case FloatSpecials::kFinite:
      break;
  }
  int sign_shift = 31 - format.exponent_bits - format.mantissa_bits;
  return f32.FromBits(b.CreateOr(bits, b.CreateShl(sign, f32.Int(sign_shift))));
}

llvm::Value* EncodeFloat(FloatMath& f32, const FloatFormat& format, llvm::Value* value) {
  llvm::IRBuilderBase& b = f32.builder();
  llvm::Value* pattern = f32.ToBits(value);
  llvm::Value* magnitude = b.CreateAnd(pattern, f32.Int(0x7fffffff));
  int shift = kF32Mantissa - format.mantissa_bits;
  // Rounds in place. A carry out of the mantissa correctly increments the exponent.
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(magnitude, f32.Int(shift)), f32.Int(1));
  llvm::Value* rounded =
      b.CreateAdd(b.CreateAdd(magnitude, odd), f32.Int((1u << (shift - 1)) - 1));
  llvm::Value* normal = b.CreateSub(
      b.CreateLShr(rounded, f32.Int(shift)),
      f32.Int(static_cast<uint32_t>(kF32Bias - format.bias) << format.mantissa_bits));
  // Denormals: adding the power of two whose last bit is the smallest denormal rounds to
  // a multiple of it.
  uint32_t exponent_of_one = static_cast<uint32_t>(kF32Bias + 1 - format.bias -
                                                   format.mantissa_bits + kF32Mantissa);
  llvm::Value* anchor = f32.Int(exponent_of_one << kF32Mantissa);
  llvm::Value* denormal = b.CreateSub(
      f32.ToBits(f32.Add(f32.FromBits(magnitude), f32.FromBits(anchor))), anchor);
  uint32_t smallest_normal = static_cast<uint32_t>(kF32Bias + 1 - format.bias)
                             << kF32Mantissa;
  llvm::Value* code =
      f32.Select(b.CreateICmpULT(magnitude, f32.Int(smallest_normal)), denormal, normal);

  uint32_t sign_code = SignCode(format);
  int sign_shift = 31 - format.exponent_bits - format.mantissa_bits;
  llvm::Value* sign =
      b.CreateAnd(b.CreateLShr(pattern, f32.Int(sign_shift)), f32.Int(sign_code));
  llvm::Value* is_nan = b.CreateICmpUGT(magnitude, f32.Int(kF32Infinity));
  // Tests for overflow before the subtraction could wrap.
  auto overflows = [&](uint32_t largest_code) {
    llvm::Value* too_large = b.CreateICmpUGT(code, f32.Int(largest_code));
    return too_large;
  };
  switch (format.specials) {
    case FloatSpecials::kIeee: {
      uint32_t infinity = InfinityCode(format);
      code = f32.Select(overflows(infinity), f32.Int(infinity), code);
      code = f32.Select(is_nan, f32.Int(infinity | (1u << (format.mantissa_bits - 1))),
                        code);
      return b.CreateOr(code, sign);
    }
    case FloatSpecials::kFn:
      code = f32.Select(overflows(sign_code - 1), f32.Int(sign_code - 1), code);
      return b.CreateOr(code, sign);
    case FloatSpecials::kFnuz: {
      llvm::Value* is_zero = b.CreateICmpEQ(code, f32.Int(0));
      llvm::Value* too_large = overflows(sign_code - 1);
      code = b.CreateOr(code, f32.Select(is_zero, f32.Int(0), sign));
      return f32.Select(too_large, f32.Int(sign_code), code);
    }
    case FloatSpecials::kFinite:
      code = f32.Select(overflows(sign_code - 1), f32.Int(sign_code - 1), code);
      code = b.CreateOr(code, sign);
      return f32.Select(is_nan, b.CreateXor(sign, f32.Int(sign_code)), code);
  }
  llvm_unreachable("all kinds of specials return");
}

llvm::Value* DecodeE8M0(FloatMath& math, llvm::Value* raw) {
  llvm::IRBuilderBase& b = math.builder();
  llvm::Value* bits;
  if (math.is_f64()) {
    bits = b.CreateShl(b.CreateAdd(raw, math.Int(1023 - 127)), math.Int(52));
  } else {
    // 2^-127 is a denormal in f32.
    bits = math.Select(b.CreateICmpEQ(raw, math.Int(0)), math.Int(1u << 22),
                       b.CreateShl(raw, math.Int(kF32Mantissa)));
  }
  return math.Select(b.CreateICmpEQ(raw, math.Int(0xff)), math.Nan(),
                     math.FromBits(bits));
}

llvm::Value* EncodeE8M0(FloatMath& math, llvm::Value* value) {
  llvm::IRBuilderBase& b = math.builder();
  llvm::Value* pattern = math.ToBits(value);
  int mantissa_bits = math.is_f64() ? 52 : kF32Mantissa;
  // Takes the exponent, rounding up to the next power of two from the midpoint on.
  llvm::Value* half = math.Int(uint64_t{1} << (mantissa_bits - 1));
  llvm::Value* code = b.CreateLShr(b.CreateAdd(pattern, half), math.Int(mantissa_bits));
  // 2^-127 is the smallest number: everything below the midpoint of it and 2^-126 gives
  // its code.
  uint64_t first_above =
      math.is_f64() ? (uint64_t{1023 - 127} << 52) | (uint64_t{1} << 51) : 0x00600000;
  if (math.is_f64()) code = b.CreateSub(code, math.Int(1023 - 127));
  code = math.Select(b.CreateICmpULT(pattern, math.Int(first_above)), math.Int(0), code);
  code = math.Select(b.CreateICmpUGT(code, math.Int(0xff)), math.Int(0xff), code);
  return math.Select(b.CreateICmpSLE(pattern, math.Int(0)), math.Int(0xff), code);
}

}  // namespace tenon::compiler
