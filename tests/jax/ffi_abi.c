// The struct sizes of XLA's FFI in all supported jaxlib versions, as tenon/ffi/abi.h
// declares them. Handlers require equal sizes.
#include "xla/ffi/api/c_api.h"

#define CHECK_SIZE(name, size) _Static_assert(name##_STRUCT_SIZE == (size), #name)

CHECK_SIZE(XLA_FFI_CallFrame, 168);
CHECK_SIZE(XLA_FFI_Args, 40);
CHECK_SIZE(XLA_FFI_Rets, 40);
CHECK_SIZE(XLA_FFI_Attrs, 48);
CHECK_SIZE(XLA_FFI_Buffer, 48);
CHECK_SIZE(XLA_FFI_Api_Version, 24);
_Static_assert(XLA_FFI_API_MAJOR == 0 && XLA_FFI_API_MINOR <= 5, "version");
