// The part of ElementwiseEmitter for floats of all widths and for comparisons.
#include <cmath>
#include <iterator>

#include "tenon/compiler/codegen/elementwise/bf16_functions.h"
#include "tenon/compiler/codegen/elementwise/conversions.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/codegen/elementwise/narrow_result.h"
#include "tenon/compiler/codegen/elementwise/small_float.h"
#include "tenon/compiler/codegen/elementwise/unsupported.h"

namespace tenon::compiler {
namespace {

using llvm::Value;

// The function of FloatMath for an op that maps floats to a float. Structural ops, and
// ops whose operands or results are not floats, have none.
struct FloatFunction {
  ElementwiseOp op;
  Value* (FloatMath::*unary)(Value*) = nullptr;
  Value* (FloatMath::*binary)(Value*, Value*) = nullptr;
};

// A row for each op, in the order of elementwise_ops.inc.
constexpr FloatFunction kFloatFunctions[] = {
    {ElementwiseOp::kAbs, &FloatMath::Abs},
    {ElementwiseOp::kAdd, nullptr, &FloatMath::Add},
    {ElementwiseOp::kAnd},
    {ElementwiseOp::kAtan2, nullptr, &FloatMath::Atan2},
    {ElementwiseOp::kBitcast},
    {ElementwiseOp::kCbrt, &FloatMath::Cbrt},
    {ElementwiseOp::kCeil, &FloatMath::Ceil},
    {ElementwiseOp::kClamp},
    {ElementwiseOp::kCompare},
    {ElementwiseOp::kComplex},
    {ElementwiseOp::kConvert},
    {ElementwiseOp::kCosine, &FloatMath::Cos},
    {ElementwiseOp::kCountLeadingZeros},
    {ElementwiseOp::kDivide, nullptr, &FloatMath::Div},
    {ElementwiseOp::kExponential, &FloatMath::Exp},
    {ElementwiseOp::kExponentialMinusOne, &FloatMath::Expm1},
    {ElementwiseOp::kFloor, &FloatMath::Floor},
    {ElementwiseOp::kImag},
    {ElementwiseOp::kIsFinite},
    {ElementwiseOp::kLog, &FloatMath::Log},
    {ElementwiseOp::kLogPlusOne, &FloatMath::Log1p},
    {ElementwiseOp::kLogistic, &FloatMath::Logistic},
    {ElementwiseOp::kMaximum, nullptr, &FloatMath::Maximum},
    {ElementwiseOp::kMinimum, nullptr, &FloatMath::Minimum},
    {ElementwiseOp::kMultiply, nullptr, &FloatMath::Mul},
    {ElementwiseOp::kNegate, &FloatMath::Neg},
    {ElementwiseOp::kNot},
    {ElementwiseOp::kOr},
    {ElementwiseOp::kPopcnt},
    {ElementwiseOp::kPower, nullptr, &FloatMath::Pow},
    {ElementwiseOp::kReal},
    {ElementwiseOp::kReducePrecision},
    {ElementwiseOp::kRemainder, nullptr, &FloatMath::Remainder},
    {ElementwiseOp::kRoundNearestAfz, &FloatMath::RoundAwayFromZero},
    {ElementwiseOp::kRoundNearestEven, &FloatMath::RoundEven},
    {ElementwiseOp::kRsqrt, &FloatMath::Rsqrt},
    {ElementwiseOp::kSelect},
    {ElementwiseOp::kShiftLeft},
    {ElementwiseOp::kShiftRightArithmetic},
    {ElementwiseOp::kShiftRightLogical},
    {ElementwiseOp::kSign, &FloatMath::Sign},
    {ElementwiseOp::kSine, &FloatMath::Sin},
    {ElementwiseOp::kSqrt, &FloatMath::Sqrt},
    {ElementwiseOp::kSubtract, nullptr, &FloatMath::Sub},
    {ElementwiseOp::kTan, &FloatMath::Tan},
    {ElementwiseOp::kTanh, &FloatMath::Tanh},
    {ElementwiseOp::kXor},
    {ElementwiseOp::kErf, &FloatMath::Erf},
    {ElementwiseOp::kErfc, &FloatMath::Erfc},
    {ElementwiseOp::kErfInv, &FloatMath::ErfInv},
    {ElementwiseOp::kAcos, &FloatMath::Acos},
    {ElementwiseOp::kAcosh, &FloatMath::Acosh},
    {ElementwiseOp::kAsin, &FloatMath::Asin},
    {ElementwiseOp::kAsinh, &FloatMath::Asinh},
    {ElementwiseOp::kAtan, &FloatMath::Atan},
    {ElementwiseOp::kAtanh, &FloatMath::Atanh},
    {ElementwiseOp::kCosh, &FloatMath::Cosh},
    {ElementwiseOp::kSinh, &FloatMath::Sinh},
    {ElementwiseOp::kMulhi},
};

constexpr bool HasRowForEachOp() {
  size_t number = 0;
#define X(name, text, arity)                             \
  if (number == std::size(kFloatFunctions) ||            \
      kFloatFunctions[number].op != ElementwiseOp::name) \
    return false;                                        \
  ++number;
#include "tenon/compiler/analysis/elementwise_ops.inc"
#undef X
  return number == std::size(kFloatFunctions);
}
static_assert(HasRowForEachOp(), "kFloatFunctions has no row for an op");

// Emits `op` in f32 or f64 if it maps floats to a float, else returns null.
Value* EmitFunction(ElementwiseOp op, FloatMath& math, Value* a, Value* b) {
  const FloatFunction& function = kFloatFunctions[static_cast<size_t>(op)];
  if (function.unary) return (math.*function.unary)(a);
  if (function.binary) return (math.*function.binary)(a, b);
  return nullptr;
}

llvm::CmpInst::Predicate FloatPredicate(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return llvm::CmpInst::FCMP_OEQ;
    case ComparisonDirection::kNe:
      return llvm::CmpInst::FCMP_UNE;
    case ComparisonDirection::kGe:
      return llvm::CmpInst::FCMP_OGE;
    case ComparisonDirection::kGt:
      return llvm::CmpInst::FCMP_OGT;
    case ComparisonDirection::kLe:
      return llvm::CmpInst::FCMP_OLE;
    case ComparisonDirection::kLt:
      return llvm::CmpInst::FCMP_OLT;
  }
  llvm_unreachable("all directions return");
}

llvm::CmpInst::Predicate IntPredicate(ComparisonDirection direction, bool is_signed) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return llvm::CmpInst::ICMP_EQ;
    case ComparisonDirection::kNe:
      return llvm::CmpInst::ICMP_NE;
    case ComparisonDirection::kGe:
      return is_signed ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE;
    case ComparisonDirection::kGt:
      return is_signed ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT;
    case ComparisonDirection::kLe:
      return is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
    case ComparisonDirection::kLt:
      return is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  }
  llvm_unreachable("all directions return");
}

// Whether a difference below the last bit of an operand may change the result by more
// than rounding: then excess precision is not allowed.
bool IsDiscontinuous(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::kCeil:
    case ElementwiseOp::kFloor:
    case ElementwiseOp::kIsFinite:
    case ElementwiseOp::kReducePrecision:
    case ElementwiseOp::kRemainder:
    case ElementwiseOp::kRoundNearestAfz:
    case ElementwiseOp::kRoundNearestEven:
    case ElementwiseOp::kSign:
      return true;
    default:
      return false;
  }
}

// Whether every lane of `value` is the same power of two, of either sign.
bool IsPowerOfTwo(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant) return false;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return number && number->getValueAPF().getExactLog2Abs() != INT_MIN;
}

// Whether the result in f32 is exact in bf16, because the op only changes the exponent,
// and bf16 has the exponents of f32.
bool IsScaling(ElementType type, ElementwiseOp op, Value* a, Value* b) {
  if (type != ElementType::kBF16) return false;
  if (op == ElementwiseOp::kAdd) return a == b;
  return op == ElementwiseOp::kMultiply && (IsPowerOfTwo(a) || IsPowerOfTwo(b));
}

// Returns the exponent and mantissa bits of `type` above which reduce_precision changes
// nothing.
std::pair<int, int> FormatBits(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return {11, 52};
    case ElementType::kF32:
      return {8, 23};
    case ElementType::kBF16:
      return {8, 7};
    case ElementType::kF8E8M0FNU:
      return {8, 0};
    default: {
      FloatFormat format = GetFloatFormat(type);
      return {format.exponent_bits, format.mantissa_bits};
    }
  }
}

// Returns `rounded`, or `x` rounded to `mantissa_bits` bits below the smallest normal
// number of `type`, which f32 holds as a normal number, if it is a subnormal of `type`.
// Types of fewer exponent bits are rounded as f16 holds them, which is as f32 does.
Value* RoundSubnormal(FloatMath& math, ElementType type, Value* x, Value* rounded,
                      int mantissa_bits) {
  const int smallest = 1 - GetFloatFormat(type).bias;
  Value* magnitude = math.Abs(x);
  // Its last bit has the place to which the sum is rounded.
  Value* place = math.Const(std::ldexp(1.0, smallest - mantissa_bits + 23));
  Value* on_place = math.Sub(math.Add(magnitude, place), place);
  return math.Select(math.Lt(magnitude, math.Const(std::ldexp(1.0, smallest))),
                     math.CopySign(on_place, x), rounded);
}

// Whether reduce_precision may round up to a number beyond the largest of `type`, which
// f32 has.
bool MayExceed(ElementType type, const ElementwiseAttrs& attrs) {
  const auto [exponent, mantissa] = FormatBits(type);
  return exponent < 8 && attrs.exponent_bits >= exponent &&
         attrs.mantissa_bits < mantissa;
}

}  // namespace

llvm::Value* ElementwiseEmitter::Wide(const ElementValue& value) {
  if (value.wide) return value.wide;
  return Conversions(builder_, options_).Widen(value.type, value.re);
}

llvm::Value* ElementwiseEmitter::WideRounded(const ElementValue& value) {
  if (!options_.excess_precision) return Wide(value);
  return Conversions(builder_, options_).Widen(value.type, value.re);
}

ElementValue ElementwiseEmitter::Rounded(ElementType type, Value* computed,
                                         NarrowResult kind) {
  Conversions conversions(builder_, options_);
  if (type != ElementType::kF16 && type != ElementType::kBF16)
    return {type, conversions.Narrow(type, computed)};
  if (kind == NarrowResult::kRepresentable && !options_.excess_precision)
    return {type, conversions.NarrowRepresentable(type, computed), nullptr, computed};
  ElementValue result{type, conversions.Narrow(type, computed)};
  if (options_.excess_precision)
    result.wide = computed;
  else if (type == ElementType::kBF16 && kind == NarrowResult::kOfInstruction &&
           !options_.bf16)
    result.wide = conversions.RoundToBf16InPlace(computed);
  return result;
}

ElementValue ElementwiseEmitter::EmitSign(ElementwiseOp op, const ElementValue& value) {
  constexpr uint64_t kSign = 0x8000;
  bool negate = op == ElementwiseOp::kNegate;
  ElementValue result{value.type, negate ? builder_.CreateXor(value.re, kSign)
                                         : builder_.CreateAnd(value.re, kSign - 1)};
  if (value.wide) {
    FloatMath math(builder_, value.wide->getType(), options_);
    result.wide = negate ? math.Neg(value.wide) : math.Abs(value.wide);
  }
  return result;
}

Value* ElementwiseEmitter::EmitNativeBf16(ElementwiseOp op, Value* a, Value* b) {
  auto compute = [&](Bf16Op function) {
    return options_.bf16->compute(builder_, function, a, b);
  };
  switch (op) {
    case ElementwiseOp::kAbs:
      return compute(Bf16Op::kAbs);
    case ElementwiseOp::kAdd:
      return compute(Bf16Op::kAdd);
    case ElementwiseOp::kMaximum:
      return compute(Bf16Op::kMaximum);
    case ElementwiseOp::kMinimum:
      return compute(Bf16Op::kMinimum);
    case ElementwiseOp::kMultiply:
      return compute(Bf16Op::kMultiply);
    case ElementwiseOp::kNegate:
      return compute(Bf16Op::kNegate);
    case ElementwiseOp::kSubtract:
      return compute(Bf16Op::kSubtract);
    default:
      return nullptr;
  }
}

Value* ElementwiseEmitter::EmitNativeHalf(ElementwiseOp op, Value* a, Value* b) {
  llvm::Type* half = a->getType()->getWithNewType(builder_.getHalfTy());
  auto arithmetic = [&](llvm::Instruction::BinaryOps opcode) {
    return builder_.CreateBinOp(opcode, builder_.CreateBitCast(a, half),
                                builder_.CreateBitCast(b, half));
  };
  Value* result;
  switch (op) {
    case ElementwiseOp::kAdd:
      result = arithmetic(llvm::Instruction::FAdd);
      break;
    case ElementwiseOp::kDivide:
      result = arithmetic(llvm::Instruction::FDiv);
      break;
    case ElementwiseOp::kMultiply:
      result = arithmetic(llvm::Instruction::FMul);
      break;
    case ElementwiseOp::kSubtract:
      result = arithmetic(llvm::Instruction::FSub);
      break;
    default:
      return nullptr;
  }
  return builder_.CreateBitCast(result, a->getType());
}

StatusOr<ElementValue> ElementwiseEmitter::EmitFloat(
    ElementwiseOp op, llvm::ArrayRef<ElementValue> operands,
    const ElementwiseAttrs& attrs) {
  ElementType type = operands[0].type;
  bool is_half = type == ElementType::kF16 || type == ElementType::kBF16;
  if (type == ElementType::kBF16 && options_.bf16 && !options_.excess_precision) {
    Value* second = operands.size() > 1 ? operands[1].re : nullptr;
    if (Value* result = EmitNativeBf16(op, operands[0].re, second))
      return ElementValue{type, result};
  }
  if (is_half && (op == ElementwiseOp::kNegate || op == ElementwiseOp::kAbs))
    return EmitSign(op, operands[0]);
  if (type == ElementType::kF16 && options_.native_f16_arithmetic &&
      !options_.excess_precision && operands.size() == 2) {
    if (Value* result = EmitNativeHalf(op, operands[0].re, operands[1].re))
      return ElementValue{type, result};
  }
  bool is_discontinuous = IsDiscontinuous(op);
  auto read = [&](const ElementValue& operand) {
    return is_discontinuous ? WideRounded(operand) : Wide(operand);
  };
  Value* a = read(operands[0]);
  Value* b = operands.size() > 1 ? read(operands[1]) : nullptr;
  FloatMath math(builder_, a->getType(), options_);
  if (op == ElementwiseOp::kIsFinite)
    return ElementValue{ElementType::kPred, math.IsFinite(a)};
  if (type == ElementType::kBF16 && options_.approximations && !options_.excess_precision)
    if (Value* approximate = EmitBf16Function(op, math, *options_.approximations, a, b))
      return Rounded(type, approximate, NarrowResult::kOfFunction);
  Value* result = op == ElementwiseOp::kReducePrecision
                      ? ReducePrecision(type, a, attrs.exponent_bits, attrs.mantissa_bits)
                      : EmitFunction(op, math, a, b);
  if (!result) return Unsupported(op, type);
  if (op == ElementwiseOp::kReducePrecision && MayExceed(type, attrs))
    return Rounded(type, result, NarrowResult::kOfInstruction);
  return Rounded(
      type, result,
      IsScaling(type, op, a, b) ? NarrowResult::kRepresentable : NarrowResultOf(op));
}

llvm::Value* ElementwiseEmitter::ReducePrecision(ElementType type, Value* wide,
                                                 int exponent_bits, int mantissa_bits) {
  FloatMath math(builder_, wide->getType(), options_);
  auto [source_exponent, source_mantissa] = FormatBits(type);
  int width = math.is_f64() ? 52 : 23;
  uint64_t sign_mask = math.is_f64() ? uint64_t{1} << 63 : uint64_t{1} << 31;
  uint64_t exponent_mask = math.is_f64() ? uint64_t{0x7ff} << 52 : uint64_t{0xff} << 23;
  Value* bits = math.ToBits(wide);
  if (mantissa_bits < source_mantissa) {
    // Rounds to nearest even. A carry increments the exponent.
    int dropped = width - mantissa_bits;
    Value* odd =
        builder_.CreateAnd(builder_.CreateLShr(bits, math.Int(dropped)), math.Int(1));
    bits = builder_.CreateAdd(
        bits, builder_.CreateAdd(odd, math.Int((uint64_t{1} << (dropped - 1)) - 1)));
    bits = builder_.CreateAnd(bits, math.Int(~((uint64_t{1} << dropped) - 1)));
    if (source_exponent == 5 && exponent_bits >= source_exponent)
      bits = math.ToBits(
          RoundSubnormal(math, type, wide, math.FromBits(bits), mantissa_bits));
  }
  if (exponent_bits < source_exponent) {
    // Numbers above the largest exponent become infinite, numbers below the smallest
    // become zero.
    int bias = math.is_f64() ? 1023 : 127;
    int reduced_bias = (1 << (exponent_bits - 1)) - 1;
    Value* exponent = builder_.CreateAnd(bits, math.Int(exponent_mask));
    Value* sign = builder_.CreateAnd(bits, math.Int(sign_mask));
    Value* largest = math.Int(static_cast<uint64_t>(bias + reduced_bias) << width);
    Value* below = math.Int(static_cast<uint64_t>(bias - reduced_bias) << width);
    bits = math.Select(builder_.CreateICmpUGT(exponent, largest),
                       builder_.CreateOr(sign, math.Int(exponent_mask)), bits);
    bits = math.Select(builder_.CreateICmpULE(exponent, below), sign, bits);
  }
  return math.Select(math.Unordered(wide, wide), wide, math.FromBits(bits));
}

// Compares (real, imaginary) pairs in lexicographic order.
Value* ElementwiseEmitter::EmitComplexCompare(const ElementValue& a,
                                              const ElementValue& b,
                                              ComparisonDirection direction) {
  llvm::CmpInst::Predicate compare = FloatPredicate(direction);
  Value* im = builder_.CreateFCmp(compare, a.im, b.im);
  if (direction == ComparisonDirection::kNe)
    return builder_.CreateOr(builder_.CreateFCmp(compare, a.re, b.re), im);
  Value* tied = builder_.CreateAnd(builder_.CreateFCmpOEQ(a.re, b.re), im);
  if (direction == ComparisonDirection::kEq) return tied;
  Value* decided =
      builder_.CreateFCmp(llvm::CmpInst::getStrictPredicate(compare), a.re, b.re);
  return builder_.CreateOr(decided, tied);
}

StatusOr<ElementValue> ElementwiseEmitter::EmitCompare(ElementValue a, ElementValue b,
                                                       const ElementwiseAttrs& attrs) {
  ElementType type = a.type;
  ComparisonDirection direction = attrs.comparison_direction;
  auto predicate = [](Value* value) { return ElementValue{ElementType::kPred, value}; };
  if (IsComplex(type)) {
    return predicate(EmitComplexCompare(a, b, direction));
  }
  if (!IsFloat(type)) {
    llvm::CmpInst::Predicate compare = IntPredicate(direction, IsSignedInteger(type));
    return predicate(builder_.CreateICmp(compare, a.re, b.re));
  }
  Value* x = WideRounded(a);
  Value* y = WideRounded(b);
  if (attrs.comparison_type != ComparisonType::kTotalOrder)
    return predicate(builder_.CreateFCmp(FloatPredicate(direction), x, y));
  // Converts sign and magnitude to two's complement, so that -NaN < -inf < ... < -0 < +0
  // < ... < +NaN.
  FloatMath math(builder_, x->getType(), options_);
  auto ordered = [&](Value* value) {
    Value* bits = math.ToBits(value);
    int width = math.is_f64() ? 63 : 31;
    Value* all_but_sign = math.Int((uint64_t{1} << width) - 1);
    Value* is_negative = builder_.CreateAShr(bits, math.Int(width));
    return builder_.CreateXor(bits, builder_.CreateAnd(is_negative, all_but_sign));
  };
  llvm::CmpInst::Predicate compare = IntPredicate(direction, /*is_signed=*/true);
  return predicate(builder_.CreateICmp(compare, ordered(x), ordered(y)));
}

}  // namespace tenon::compiler
