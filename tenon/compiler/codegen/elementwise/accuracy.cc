#include "tenon/compiler/codegen/elementwise/accuracy.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tenon/compiler/codegen/elementwise/element_value.h"

namespace tenon::compiler {

double MaxUlps(ElementwiseOp op, ElementType real_type) {
  double ulps;
  switch (op) {
    case ElementwiseOp::kAcos:
    case ElementwiseOp::kAcosh:
    case ElementwiseOp::kAsin:
    case ElementwiseOp::kAsinh:
    case ElementwiseOp::kAtan:
    case ElementwiseOp::kAtanh:
    case ElementwiseOp::kCbrt:
    case ElementwiseOp::kCosh:
    case ElementwiseOp::kCosine:
    case ElementwiseOp::kErf:
    case ElementwiseOp::kExponential:
    case ElementwiseOp::kExponentialMinusOne:
    case ElementwiseOp::kLog:
    case ElementwiseOp::kLogPlusOne:
    case ElementwiseOp::kLogistic:
    case ElementwiseOp::kRsqrt:
    case ElementwiseOp::kSine:
    case ElementwiseOp::kSinh:
    case ElementwiseOp::kTan:
    case ElementwiseOp::kTanh:
      ulps = 2;
      break;
    case ElementwiseOp::kAtan2:
    case ElementwiseOp::kErfInv:
    case ElementwiseOp::kPower:
      ulps = 4;
      break;
    case ElementwiseOp::kErfc:
      ulps = 5;
      break;
    default:
      return 0.5;
  }
  // For narrow floats the error of the f32 computation is far below their ulp. Only the
  // final rounding counts.
  bool is_wide = real_type == ElementType::kF32 || real_type == ElementType::kF64;
  return is_wide ? ulps : 0.51;
}

namespace {

// Whether all real results are within [-1, 1], so that an ulp is at most epsilon.
bool IsWithinOne(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::kCosine:
    case ElementwiseOp::kErf:
    case ElementwiseOp::kLogistic:
    case ElementwiseOp::kSine:
    case ElementwiseOp::kTanh:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status CheckResultAccuracy(ElementwiseOp op, ElementType type,
                           const ElementwiseAttrs& attrs) {
  const ResultAccuracy& wanted = attrs.result_accuracy;
  const ElementType real_type = RealType(type);
  if (wanted.mode != ResultAccuracy::Mode::kTolerance) return OkStatus();
  if (type != real_type)
    return Unimplemented(ElementwiseOpName(op).str() + " on " +
                         std::string(ElementTypeName(type)) +
                         ": result_accuracy has a tolerance, but there is no error bound "
                         "for complex numbers; leave it out");
  double bound = MaxUlps(op, real_type);
  // rtol allows at least this many ulps for any mantissa of the result.
  double epsilon = real_type == ElementType::kF64 ? 0x1p-52 : 0x1p-23;
  double allowed = static_cast<double>(wanted.ulps) + wanted.rtol / epsilon;
  if (IsWithinOne(op)) allowed += wanted.atol / epsilon;
  if (bound <= std::max(allowed, 0.5)) return OkStatus();
  return Unimplemented(ElementwiseOpName(op).str() + " on " +
                       std::string(ElementTypeName(real_type)) + ": result_accuracy of " +
                       std::to_string(allowed) + " ulp is below the error bound of " +
                       std::to_string(bound) + " ulp; allow at least that error");
}

}  // namespace tenon::compiler
