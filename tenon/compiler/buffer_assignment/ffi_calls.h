// Custom calls as the executable image describes them.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_

#include "tenon/base/status.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// UNIMPLEMENTED for what is no typed FFI call, naming target and location.
StatusOr<ImageFfiCall> DescribeFfiCall(stablehlo::CustomCallOp call);

// The operand whose storage result `number` must take, if any.
std::optional<int64_t> FfiAlias(stablehlo::CustomCallOp call, int64_t number);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_FFI_CALLS_H_
