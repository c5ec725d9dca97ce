// Conversion between Status and PJRT_Error. All conversions are here.
#ifndef TENON_PJRT_C_API_ERROR_H_
#define TENON_PJRT_C_API_ERROR_H_

#include <cstddef>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"

namespace tenon::pjrt::c_api {

// Creates an error that the receiver must destroy. Null if `status` is ok.
PJRT_Error* MakeError(const Status& status);

// Converts and destroys an error that a framework's callback returned. The error was
// created by CallbackError or by another library. Ok if it is null.
Status TakeError(PJRT_Error* error);

// The function with which frameworks' callbacks create errors.
PJRT_Error* CallbackError(PJRT_Error_Code code, const char* message, size_t message_size);

// A status from a code and a message in a C struct. UNKNOWN if the code is out of range.
Status StatusFromParts(PJRT_Error_Code code, const char* message, size_t message_size);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_ERROR_H_
