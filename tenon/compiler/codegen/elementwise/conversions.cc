#include "tenon/compiler/codegen/elementwise/conversions.h"

#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/elementwise/small_float.h"

namespace tenon::compiler {

FloatMath Conversions::MathLike(llvm::Value* value, bool f64) {
  llvm::Type* scalar = f64 ? builder_.getDoubleTy() : builder_.getFloatTy();
  return FloatMath(builder_, WithLanes(value, scalar), options_);
}

llvm::Value* Conversions::Widen(ElementType from, llvm::Value* value) {
  if (from == ElementType::kF32 || from == ElementType::kF64) return value;
  FloatMath f32 = MathLike(value, /*f64=*/false);
  if (from == ElementType::kF16 && options_.native_f16_conversion) {
    llvm::Type* half = WithLanes(value, builder_.getHalfTy());
    return builder_.CreateFPExt(builder_.CreateBitCast(value, half), f32.type());
  }
  if (from == ElementType::kBF16 && options_.bf16)
    return options_.bf16->widen(builder_, value);
  llvm::Value* raw = builder_.CreateZExt(value, f32.int_type());
  if (from == ElementType::kBF16)
    return f32.FromBits(builder_.CreateShl(raw, f32.Int(16)));
  if (from == ElementType::kF8E8M0FNU) return DecodeE8M0(f32, raw);
  return DecodeFloat(f32, GetFloatFormat(from), raw);
}

llvm::Value* Conversions::Narrow(ElementType to, llvm::Value* value) {
  if (to == ElementType::kF32 || to == ElementType::kF64) return value;
  FloatMath f32 = MathLike(value, /*f64=*/false);
  llvm::Type* narrow = WithLanes(value, ElementLlvmType(builder_.getContext(), to));
  auto rounded_to = [&](llvm::Type* scalar) {
    return builder_.CreateBitCast(builder_.CreateFPTrunc(value, WithLanes(value, scalar)),
                                  narrow);
  };
  if (to == ElementType::kF16 && options_.native_f16_conversion)
    return rounded_to(builder_.getHalfTy());
  if (to == ElementType::kBF16 && options_.bf16)
    return options_.bf16->narrow(builder_, value);
  if (to == ElementType::kBF16 && options_.native_bf16_conversion &&
      !options_.ieee_denormals)
    return rounded_to(builder_.getBFloatTy());
  llvm::Value* bits;
  if (to == ElementType::kBF16) {
    llvm::Value* pattern = f32.ToBits(value);
    llvm::Value* odd =
        builder_.CreateAnd(builder_.CreateLShr(pattern, f32.Int(16)), f32.Int(1));
    llvm::Value* rounded =
        builder_.CreateAdd(pattern, builder_.CreateAdd(odd, f32.Int(0x7fff)));
    llvm::Value* quiet = builder_.CreateOr(pattern, f32.Int(1u << 22));
    bits = f32.Select(f32.Unordered(value, value), quiet, rounded);
    bits = builder_.CreateLShr(bits, f32.Int(16));
  } else if (to == ElementType::kF8E8M0FNU) {
    bits = EncodeE8M0(f32, value);
  } else {
    bits = EncodeFloat(f32, GetFloatFormat(to), value);
  }
  return builder_.CreateTrunc(bits, narrow);
}

llvm::Value* Conversions::NarrowRepresentable(ElementType to, llvm::Value* value) {
  if (to != ElementType::kBF16) return Narrow(to, value);
  FloatMath f32 = MathLike(value, /*f64=*/false);
  llvm::Value* high = builder_.CreateLShr(f32.ToBits(value), f32.Int(16));
  return builder_.CreateTrunc(high, WithLanes(value, builder_.getInt16Ty()));
}

llvm::Value* Conversions::RoundToBf16InPlace(llvm::Value* value) {
  FloatMath f32 = MathLike(value, /*f64=*/false);
  llvm::Value* bits = f32.ToBits(value);
  // Adds half of the last place, less one bit if the last bit is 0: ties go to even.
  llvm::Value* sum;
  if (options_.native_bf16_conversion) {
    // A bit test and a masked addition: targets that convert to bf16 by an instruction
    // have mask registers, which both use.
    llvm::Value* is_odd =
        builder_.CreateICmpNE(builder_.CreateAnd(bits, f32.Int(1u << 16)), f32.Int(0));
    sum = f32.Select(is_odd, builder_.CreateAdd(bits, f32.Int(0x8000)),
                     builder_.CreateAdd(bits, f32.Int(0x7fff)));
  } else {
    llvm::Value* odd =
        builder_.CreateAnd(builder_.CreateLShr(bits, f32.Int(16)), f32.Int(1));
    sum = builder_.CreateAdd(builder_.CreateAdd(bits, f32.Int(0x7fff)), odd);
  }
  // Otherwise a NaN stays one, because the sum does not carry out of its low bits.
  if (!options_.has_short_nans) {
    llvm::Value* quiet = builder_.CreateOr(bits, f32.Int(1u << 22));
    sum = f32.Select(f32.Unordered(value, value), quiet, sum);
  }
  return f32.FromBits(builder_.CreateAnd(sum, f32.Int(0xffff0000)));
}

llvm::Value* Conversions::RoundToOddF32(llvm::Value* value) {
  FloatMath f64 = MathLike(value, /*f64=*/true);
  // Cuts to 24 bits and sets the last one if any bit that is cut off is set. f32
  // represents that exactly.
  constexpr uint64_t kUnit = uint64_t{1} << 29;
  llvm::Value* pattern = f64.ToBits(value);
  llvm::Value* cut = builder_.CreateAnd(pattern, f64.Int(kUnit - 1));
  llvm::Value* kept = builder_.CreateAnd(pattern, f64.Int(~(kUnit - 1)));
  llvm::Value* sticky =
      f64.Select(builder_.CreateICmpEQ(cut, f64.Int(0)), f64.Int(0), f64.Int(kUnit));
  llvm::Value* odd = f64.FromBits(builder_.CreateOr(kept, sticky));
  return builder_.CreateFPTrunc(odd, WithLanes(value, builder_.getFloatTy()));
}

llvm::Value* Conversions::FloatToInteger(ElementType to, llvm::Value* value) {
  bool is_signed = IsSignedInteger(to);
  int bits = ElementBits(to);
  llvm::Type* result = WithLanes(value, builder_.getIntNTy(bits));
  // LLVM takes vectors apart for processors whose conversions do not saturate.
  if (bits >= 32 && !value->getType()->isVectorTy()) {
    auto id = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return builder_.CreateIntrinsic(id, {result, value->getType()}, {value});
  }
  // Clamps as a float, to the largest one that can be converted, and converts narrow
  // integers through 32 bits.
  const bool f64 = value->getType()->getScalarType()->isDoubleTy();
  FloatMath math = MathLike(value, f64);
  const int magnitude_bits = is_signed ? bits - 1 : bits, precision = f64 ? 53 : 24;
  const double end = std::ldexp(1.0, magnitude_bits);
  llvm::Value* high =
      math.Const(end - std::ldexp(1.0, std::max(0, magnitude_bits - precision)));
  llvm::Value* low = math.Const(is_signed ? -end : 0);
  llvm::Value* clamped = math.Select(math.Unordered(value, value), math.Const(0), value);
  clamped = math.Select(math.Gt(clamped, high), high, clamped);
  clamped = math.Select(math.Lt(clamped, low), low, clamped);
  if (bits < 32) {
    llvm::Type* wide = WithLanes(value, builder_.getInt32Ty());
    return builder_.CreateTrunc(builder_.CreateFPToSI(clamped, wide), result);
  }
  llvm::Value* integer = is_signed ? builder_.CreateFPToSI(clamped, result)
                                   : builder_.CreateFPToUI(clamped, result);
  if (magnitude_bits <= precision) return integer;
  const llvm::APInt largest =
      is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  return builder_.CreateSelect(math.Ge(value, math.Const(end)),
                               llvm::ConstantInt::get(result, largest), integer);
}

llvm::Value* Conversions::IntegerToFloat(ElementType from, ElementType to,
                                         llvm::Value* value) {
  bool is_signed = IsSignedInteger(from);
  int bits = ElementBits(from);
  auto to_float = [&](llvm::Value* v, llvm::Type* scalar) {
    llvm::Type* type = WithLanes(v, scalar);
    return is_signed ? builder_.CreateSIToFP(v, type) : builder_.CreateUIToFP(v, type);
  };
  if (to == ElementType::kF64) return to_float(value, builder_.getDoubleTy());
  if (to == ElementType::kF32 || bits <= 16)
    return Narrow(to, to_float(value, builder_.getFloatTy()));
  if (bits == 64) {
    // For large values, cuts to the upper half and sets its last bit if any bit that is
    // cut off is set. The result is exact in f64 and rounds as the whole integer does.
    // Integers below 2^48 are exact in f64 as they are.
    llvm::Type* type = value->getType();
    auto constant = [&](uint64_t v) { return llvm::ConstantInt::get(type, v); };
    llvm::Value* low = builder_.CreateAnd(value, constant(0xffffffff));
    llvm::Value* sticky = builder_.CreateSelect(builder_.CreateICmpEQ(low, constant(0)),
                                                constant(0), constant(uint64_t{1} << 32));
    llvm::Value* high = builder_.CreateAnd(value, constant(~uint64_t{0xffffffff}));
    high = builder_.CreateOr(high, sticky);
    llvm::Value* magnitude = is_signed
                                 ? builder_.CreateBinaryIntrinsic(
                                       llvm::Intrinsic::abs, value, builder_.getFalse())
                                 : value;
    llvm::Value* is_large =
        builder_.CreateICmpUGE(magnitude, constant(uint64_t{1} << 48));
    value = builder_.CreateSelect(is_large, high, value);
  }
  return Narrow(to, RoundToOddF32(to_float(value, builder_.getDoubleTy())));
}

llvm::Value* Conversions::Convert(ElementType from, ElementType to, llvm::Value* value) {
  if (from == to) return value;
  llvm::Type* result = WithLanes(value, ElementLlvmType(builder_.getContext(), to));
  if (to == ElementType::kPred) {
    if (!IsFloat(from)) return builder_.CreateIsNotNull(value);
    value = Widen(from, value);
    return builder_.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  if (!IsFloat(from)) {
    if (IsFloat(to)) return IntegerToFloat(from, to, value);
    return builder_.CreateIntCast(value, result, IsSignedInteger(from));
  }
  if (!IsFloat(to)) return FloatToInteger(to, Widen(from, value));
  if (from == ElementType::kF64) {
    if (to == ElementType::kF32) return builder_.CreateFPTrunc(value, result);
    if (to == ElementType::kF8E8M0FNU) {
      FloatMath f64 = MathLike(value, /*f64=*/true);
      return builder_.CreateTrunc(EncodeE8M0(f64, value), result);
    }
    return Narrow(to, RoundToOddF32(value));
  }
  if (to == ElementType::kF64) {
    if (from == ElementType::kF8E8M0FNU) {
      FloatMath f64 = MathLike(value, /*f64=*/true);
      return DecodeE8M0(f64, builder_.CreateZExt(value, f64.int_type()));
    }
    return builder_.CreateFPExt(Widen(from, value), result);
  }
  return Narrow(to, Widen(from, value));
}

}  // namespace tenon::compiler
