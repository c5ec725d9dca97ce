// PJRT errors: the C form of a Status, and back. The one place where they are translated.
#ifndef TENON_PJRT_C_API_ERROR_H_
#define TENON_PJRT_C_API_ERROR_H_

#include <cstddef>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"

namespace tenon::pjrt::c_api {

// A new error that the receiver destroys; null if ok.
PJRT_Error* MakeError(const Status& status);

// Takes over an error that a framework's callback returned (made by MakeError through
// CallbackError, or by another library); ok if null.
Status TakeError(PJRT_Error* error);

// For frameworks' callbacks to make errors with.
PJRT_Error* CallbackError(PJRT_Error_Code code, const char* message, size_t message_size);

// A status from the parts in which C structs carry one. A code out of range is UNKNOWN.
Status StatusFromParts(PJRT_Error_Code code, const char* message, size_t message_size);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_ERROR_H_
