// The error bounds of the elementary functions, and whether they meet a result_accuracy.
// Free functions, any thread.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_ACCURACY_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_ACCURACY_H_

#include "tenon/base/status.h"
#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// The bound in ulps for normal operands and results; 0.5 where the result is correctly
// rounded.
double MaxUlps(ElementwiseOp op, ElementType real_type);
// UNIMPLEMENTED, naming op and bound, where the requested tolerance is tighter than the
// bound.
Status CheckResultAccuracy(ElementwiseOp op, ElementType real_type,
                           const ElementwiseAttrs& attrs);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_ACCURACY_H_
