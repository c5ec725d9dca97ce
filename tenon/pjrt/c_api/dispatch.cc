#include "tenon/pjrt/c_api/dispatch.h"

namespace tenon::pjrt::c_api {

PJRT_Error* ArgsTooShort(std::string_view function, const size_t* struct_size,
                         size_t required) {
  std::string name(function);
  if (struct_size == nullptr) return MakeError(InvalidArgument(name + ": args is null"));
  return MakeError(InvalidArgument(name + ": args.struct_size is " +
                                   std::to_string(*struct_size) + ", at least " +
                                   std::to_string(required) + " is needed"));
}

PJRT_Error* NotImplemented(std::string_view function) {
  return MakeError(Unimplemented(std::string(function) + " is not implemented"));
}

}  // namespace tenon::pjrt::c_api
