// The error bounds of the elementary functions, and whether they meet a result_accuracy.
// Free functions, any thread.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_ACCURACY_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_ACCURACY_H_

#include "tenon/base/status.h"
#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// Returns the error bound in ulps for normal operands and results. It is 0.5 if the
// result is correctly rounded.
double MaxUlps(ElementwiseOp op, ElementType real_type);
// Returns UNIMPLEMENTED, naming op and bound, if the requested tolerance is below the
// bound.
Status CheckResultAccuracy(ElementwiseOp op, ElementType type,
                           const ElementwiseAttrs& attrs);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_ACCURACY_H_
