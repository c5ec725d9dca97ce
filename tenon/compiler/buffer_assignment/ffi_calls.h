// Custom calls as the executable image describes them.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_

#include "tenon/base/status.h"
#include "tenon/compiler/targets/cost_model.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// An attribute of custom calls whose operands and results have the row-major types of
// their memory; their layouts tell which dimensions those are for the handler.
inline constexpr llvm::StringLiteral kLiesAsInMemory = "tenon.lies_as_in_memory";

// UNIMPLEMENTED for what is no typed FFI call, naming target and location.
StatusOr<ImageFfiCall> DescribeFfiCall(stablehlo::CustomCallOp call);

// Nanoseconds that a call of LAPACK takes, by order of magnitude.
double EstimateNs(stablehlo::CustomCallOp call, const CostModel& cost);

// The operand whose storage result `number` must take, if any.
std::optional<int64_t> FfiAlias(stablehlo::CustomCallOp call, int64_t number);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_
