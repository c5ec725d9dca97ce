#include "tenon/compiler/codegen/elementwise/narrow_result.h"

namespace tenon::compiler {

NarrowResult NarrowResultOf(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::kAbs:
    case ElementwiseOp::kCeil:
    case ElementwiseOp::kClamp:
    case ElementwiseOp::kFloor:
    case ElementwiseOp::kMaximum:
    case ElementwiseOp::kMinimum:
    case ElementwiseOp::kNegate:
    case ElementwiseOp::kReal:
    case ElementwiseOp::kReducePrecision:
    case ElementwiseOp::kRoundNearestAfz:
    case ElementwiseOp::kRoundNearestEven:
    case ElementwiseOp::kSelect:
    case ElementwiseOp::kSign:
      return NarrowResult::kRepresentable;
    case ElementwiseOp::kAdd:
    case ElementwiseOp::kDivide:
    case ElementwiseOp::kMultiply:
    case ElementwiseOp::kSqrt:
    case ElementwiseOp::kSubtract:
      return NarrowResult::kOfInstruction;
    default:
      return NarrowResult::kOfFunction;
  }
}

}  // namespace tenon::compiler
