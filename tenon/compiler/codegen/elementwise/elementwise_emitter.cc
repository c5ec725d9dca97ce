#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/elementwise/accuracy.h"
#include "tenon/compiler/codegen/elementwise/complex_math.h"
#include "tenon/compiler/codegen/elementwise/conversions.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"
#include "tenon/compiler/codegen/elementwise/int_math.h"
#include "tenon/compiler/codegen/elementwise/unsupported.h"

namespace tenon::compiler {
namespace {

bool IsVector(const ElementValue& value) { return value.re->getType()->isVectorTy(); }

// Returns `value` in every lane if `like` is a vector.
ElementValue Broadcast(llvm::IRBuilderBase& builder, ElementValue value,
                       const ElementValue& like) {
  if (!IsVector(like) || IsVector(value)) return value;
  auto count = llvm::cast<llvm::VectorType>(like.re->getType())->getElementCount();
  value.re = builder.CreateVectorSplat(count, value.re);
  if (value.im) value.im = builder.CreateVectorSplat(count, value.im);
  if (value.wide) value.wide = builder.CreateVectorSplat(count, value.wide);
  return value;
}

}  // namespace

StatusOr<ElementValue> ElementwiseEmitter::Emit(ElementwiseOp op,
                                                llvm::ArrayRef<ElementValue> operands,
                                                ElementType result,
                                                const ElementwiseAttrs& attrs) {
  if (static_cast<int>(operands.size()) != ElementwiseOpArity(op))
    return InvalidArgument(ElementwiseOpName(op).str() + " takes " +
                           std::to_string(ElementwiseOpArity(op)) + " operands, not " +
                           std::to_string(operands.size()));
  TENON_RETURN_IF_ERROR(CheckResultAccuracy(op, operands[0].type, attrs));

  // The algorithms of the functions do not allow reassociation or contraction. Sums and
  // products of the program keep the caller's flags.
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder_);
  bool is_plain = op == ElementwiseOp::kAdd || op == ElementwiseOp::kSubtract ||
                  op == ElementwiseOp::kMultiply;
  if (!is_plain || IsComplex(operands[0].type)) builder_.clearFastMathFlags();

  switch (op) {
    case ElementwiseOp::kSelect:
      return EmitSelect(operands);
    case ElementwiseOp::kClamp:
      return EmitClamp(operands, attrs);
    case ElementwiseOp::kCompare:
      return EmitCompare(operands[0], operands[1], attrs);
    case ElementwiseOp::kConvert:
      return EmitConvert(operands[0], result);
    case ElementwiseOp::kBitcast:
      return EmitBitcast(operands[0], result);
    case ElementwiseOp::kComplex:
      return ElementValue{result, operands[0].re, operands[1].re};
    case ElementwiseOp::kReal:
      return ElementValue{result, operands[0].re};
    case ElementwiseOp::kImag:
      if (operands[0].im) return ElementValue{result, operands[0].im};
      return ElementValue{result,
                          llvm::Constant::getNullValue(operands[0].re->getType())};
    default:
      break;
  }
  ElementType type = operands[0].type;
  if (type == ElementType::kPred) return EmitPredicate(op, operands);
  if (IsInteger(type)) return EmitInteger(op, operands);
  if (IsFloat(type)) return EmitFloat(op, operands, attrs);
  if (IsComplex(type)) return EmitComplex(op, operands);
  return Unsupported(op, type);
}

ElementValue ElementwiseEmitter::EmitSelect(llvm::ArrayRef<ElementValue> operands) {
  const ElementValue& predicate = operands[0];
  ElementValue on_true = Broadcast(builder_, operands[1], predicate);
  ElementValue on_false = Broadcast(builder_, operands[2], predicate);
  on_true = Broadcast(builder_, on_true, on_false);
  on_false = Broadcast(builder_, on_false, on_true);
  // Rounds the selected value once, instead of both operands.
  if (on_true.wide && on_false.wide)
    return Rounded(on_true.type,
                   builder_.CreateSelect(predicate.re, on_true.wide, on_false.wide),
                   NarrowResult::kRepresentable);
  ElementValue result{on_true.type};
  if (on_true.wide || on_false.wide)
    result.wide = builder_.CreateSelect(predicate.re, Wide(on_true), Wide(on_false));
  result.re = builder_.CreateSelect(predicate.re, on_true.re, on_false.re);
  if (on_true.im)
    result.im = builder_.CreateSelect(predicate.re, on_true.im, on_false.im);
  return result;
}

StatusOr<ElementValue> ElementwiseEmitter::EmitClamp(
    llvm::ArrayRef<ElementValue> operands, const ElementwiseAttrs& attrs) {
  const ElementValue& operand = operands[1];
  ElementValue low = Broadcast(builder_, operands[0], operand);
  ElementValue high = Broadcast(builder_, operands[2], operand);
  ElementType type = operand.type;
  TENON_ASSIGN_OR_RETURN(ElementValue raised,
                         Emit(ElementwiseOp::kMaximum, {operand, low}, type, attrs));
  return Emit(ElementwiseOp::kMinimum, {raised, high}, type, attrs);
}

StatusOr<ElementValue> ElementwiseEmitter::EmitConvert(ElementValue operand,
                                                       ElementType result) {
  ElementType from = RealType(operand.type);
  ElementType to = RealType(result);
  if (!ElementLlvmType(builder_.getContext(), from) ||
      !ElementLlvmType(builder_.getContext(), to))
    return Unsupported(ElementwiseOp::kConvert, result);
  Conversions conversions(builder_, options_);
  if (operand.type == result) return operand;
  // `wide` is the rounded number in f32.
  if (operand.wide && !options_.excess_precision && !IsComplex(result))
    return ElementValue{result, conversions.Convert(ElementType::kF32, to, operand.wide)};
  ElementValue converted{result, conversions.Convert(from, to, operand.re)};
  if (!IsComplex(result)) return converted;
  converted.im = operand.im ? conversions.Convert(from, to, operand.im)
                            : llvm::Constant::getNullValue(converted.re->getType());
  return converted;
}

StatusOr<ElementValue> ElementwiseEmitter::EmitBitcast(ElementValue operand,
                                                       ElementType result) {
  if (operand.type == result) return ElementValue{result, operand.re, operand.im};
  if (ElementBits(operand.type) != ElementBits(result) || IsComplex(operand.type) ||
      IsComplex(result))
    return Unimplemented(
        "bitcast_convert of " + std::string(ElementTypeName(operand.type)) + " to " +
        std::string(ElementTypeName(result)) + " is not elementwise: the widths differ");
  llvm::Type* type = operand.re->getType()->getWithNewType(
      ElementLlvmType(builder_.getContext(), result));
  // Narrow floats are in byte registers, integers in registers of their own width.
  llvm::Value* bits = operand.re;
  if (type->isIntOrIntVectorTy() && bits->getType()->isIntOrIntVectorTy())
    return ElementValue{result, builder_.CreateZExtOrTrunc(bits, type)};
  return ElementValue{result, builder_.CreateBitCast(bits, type)};
}

StatusOr<ElementValue> ElementwiseEmitter::EmitPredicate(
    ElementwiseOp op, llvm::ArrayRef<ElementValue> operands) {
  llvm::Value* a = operands[0].re;
  llvm::Value* b = operands.size() > 1 ? operands[1].re : nullptr;
  auto predicate = [](llvm::Value* value) {
    return ElementValue{ElementType::kPred, value};
  };
  switch (op) {
    case ElementwiseOp::kAdd:
    case ElementwiseOp::kOr:
    case ElementwiseOp::kMaximum:
      return predicate(builder_.CreateOr(a, b));
    case ElementwiseOp::kMultiply:
    case ElementwiseOp::kAnd:
    case ElementwiseOp::kMinimum:
      return predicate(builder_.CreateAnd(a, b));
    case ElementwiseOp::kXor:
      return predicate(builder_.CreateXor(a, b));
    case ElementwiseOp::kNot:
      return predicate(builder_.CreateNot(a));
    default:
      return Unsupported(op, ElementType::kPred);
  }
}

StatusOr<ElementValue> ElementwiseEmitter::EmitInteger(
    ElementwiseOp op, llvm::ArrayRef<ElementValue> operands) {
  ElementType type = operands[0].type;
  llvm::Value* a = operands[0].re;
  llvm::Value* b = operands.size() > 1 ? operands[1].re : nullptr;
  IntMath math(builder_, a->getType(), IsSignedInteger(type));
  auto integer = [&](llvm::Value* value) { return ElementValue{type, value}; };
  switch (op) {
    case ElementwiseOp::kAbs:
      return integer(math.Abs(a));
    case ElementwiseOp::kAdd:
      return integer(builder_.CreateAdd(a, b));
    case ElementwiseOp::kAnd:
      return integer(builder_.CreateAnd(a, b));
    case ElementwiseOp::kCountLeadingZeros:
      return integer(math.CountLeadingZeros(a));
    case ElementwiseOp::kDivide:
      return integer(math.Divide(a, b));
    case ElementwiseOp::kMaximum:
      return integer(math.Maximum(a, b));
    case ElementwiseOp::kMinimum:
      return integer(math.Minimum(a, b));
    case ElementwiseOp::kMulhi: {
      // Takes the upper half of a product in twice the width.
      unsigned bits = a->getType()->getScalarSizeInBits();
      llvm::Type* wide = a->getType()->getWithNewType(builder_.getIntNTy(2 * bits));
      bool is_signed = IsSignedInteger(type);
      llvm::Value* product =
          builder_.CreateMul(builder_.CreateIntCast(a, wide, is_signed),
                             builder_.CreateIntCast(b, wide, is_signed));
      return integer(
          builder_.CreateTrunc(builder_.CreateLShr(product, bits), a->getType()));
    }
    case ElementwiseOp::kMultiply:
      return integer(builder_.CreateMul(a, b));
    case ElementwiseOp::kNegate:
      return integer(builder_.CreateNeg(a));
    case ElementwiseOp::kNot:
      return integer(builder_.CreateNot(a));
    case ElementwiseOp::kOr:
      return integer(builder_.CreateOr(a, b));
    case ElementwiseOp::kPopcnt:
      return integer(math.PopulationCount(a));
    case ElementwiseOp::kPower:
      return integer(math.Power(a, b));
    case ElementwiseOp::kRemainder:
      return integer(math.Remainder(a, b));
    case ElementwiseOp::kShiftLeft:
      return integer(math.ShiftLeft(a, b));
    case ElementwiseOp::kShiftRightArithmetic:
      return integer(math.ShiftRightArithmetic(a, b));
    case ElementwiseOp::kShiftRightLogical:
      return integer(math.ShiftRightLogical(a, b));
    case ElementwiseOp::kSign:
      return integer(math.Sign(a));
    case ElementwiseOp::kSubtract:
      return integer(builder_.CreateSub(a, b));
    case ElementwiseOp::kXor:
      return integer(builder_.CreateXor(a, b));
    default:
      return Unsupported(op, type);
  }
}

StatusOr<ElementValue> ElementwiseEmitter::EmitComplex(
    ElementwiseOp op, llvm::ArrayRef<ElementValue> operands) {
  ElementType type = operands[0].type;
  FloatMath parts(builder_, operands[0].re->getType(), options_);
  ComplexMath math(parts);
  ComplexValue a{operands[0].re, operands[0].im};
  ComplexValue b{};
  if (operands.size() > 1) b = {operands[1].re, operands[1].im};
  auto complex = [&](ComplexValue value) {
    return ElementValue{type, value.re, value.im};
  };
  switch (op) {
    case ElementwiseOp::kAbs:
      return ElementValue{RealType(type), math.Abs(a)};
    case ElementwiseOp::kAdd:
      return complex(math.Add(a, b));
    case ElementwiseOp::kAtan2:
      return complex(math.Atan2(a, b));
    case ElementwiseOp::kCbrt:
      return complex(math.Cbrt(a));
    case ElementwiseOp::kCosine:
      return complex(math.Cos(a));
    case ElementwiseOp::kDivide:
      return complex(math.Div(a, b));
    case ElementwiseOp::kExponential:
      return complex(math.Exp(a));
    case ElementwiseOp::kExponentialMinusOne:
      return complex(math.Expm1(a));
    case ElementwiseOp::kLog:
      return complex(math.Log(a));
    case ElementwiseOp::kLogPlusOne:
      return complex(math.Log1p(a));
    case ElementwiseOp::kLogistic:
      return complex(math.Logistic(a));
    case ElementwiseOp::kMaximum:
    case ElementwiseOp::kMinimum: {
      // Returns the lexicographically larger or smaller operand, or the first NaN if
      // there is one.
      auto is_nan = [&](ComplexValue value) {
        return builder_.CreateFCmpUNO(value.re, value.im);
      };
      llvm::Value* first =
          EmitComplexCompare(operands[0], operands[1],
                             op == ElementwiseOp::kMaximum ? ComparisonDirection::kGe
                                                           : ComparisonDirection::kLe);
      first = builder_.CreateAnd(first, builder_.CreateNot(is_nan(b)));
      first = builder_.CreateOr(first, is_nan(a));
      return complex({builder_.CreateSelect(first, a.re, b.re),
                      builder_.CreateSelect(first, a.im, b.im)});
    }
    case ElementwiseOp::kMultiply:
      return complex(math.Mul(a, b));
    case ElementwiseOp::kNegate:
      return complex(math.Neg(a));
    case ElementwiseOp::kPower:
      return complex(math.Pow(a, b));
    case ElementwiseOp::kRsqrt:
      return complex(math.Rsqrt(a));
    case ElementwiseOp::kSign:
      return complex(math.Sign(a));
    case ElementwiseOp::kSine:
      return complex(math.Sin(a));
    case ElementwiseOp::kSqrt:
      return complex(math.Sqrt(a));
    case ElementwiseOp::kSubtract:
      return complex(math.Sub(a, b));
    case ElementwiseOp::kTan:
      return complex(math.Tan(a));
    case ElementwiseOp::kTanh:
      return complex(math.Tanh(a));
    default:
      return Unsupported(op, type);
  }
}

}  // namespace tenon::compiler
