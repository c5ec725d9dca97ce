// Describes custom calls for the executable image.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_

#include "tenon/base/status.h"
#include "tenon/compiler/targets/cost_model.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// Marks custom calls whose operand and result types are row-major in memory. Their
// layouts map those dimensions to the dimensions that the handler expects.
inline constexpr llvm::StringLiteral kTypesInMemoryOrder = "tenon.types_in_memory_order";

// UNIMPLEMENTED, naming target and location, unless it is a typed FFI call.
StatusOr<ImageFfiCall> DescribeFfiCall(stablehlo::CustomCallOp call);

// Estimates the nanoseconds of a LAPACK call, by order of magnitude.
double EstimateNs(stablehlo::CustomCallOp call, const CostModel& cost);

// The operand whose storage result `number` must take, if any.
std::optional<int64_t> FfiAlias(stablehlo::CustomCallOp call, int64_t number);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_
