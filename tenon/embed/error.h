// Errors of the C library.
#ifndef TENON_EMBED_ERROR_H_
#define TENON_EMBED_ERROR_H_

#include <cstdint>

#include "tenon/runtime.h"

namespace tenon::embed {

// Writes the message, if `error` is not null. Returns `code`.
[[gnu::format(printf, 3, 4)]] int Fail(tenon_error* error, int32_t code,
                                       const char* format, ...);

}  // namespace tenon::embed

#endif  // TENON_EMBED_ERROR_H_
