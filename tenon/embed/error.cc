#include "tenon/embed/error.h"

#include <cstdarg>
#include <cstdio>

namespace tenon::embed {

int Fail(tenon_error* error, int32_t code, const char* format, ...) {
  if (!error) return code;
  error->code = code;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return code;
}

}  // namespace tenon::embed
