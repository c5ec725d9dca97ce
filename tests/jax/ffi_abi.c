// The sizes that XLA's FFI has in every version of jaxlib that Tenon serves, and that
// tenon/ffi/abi.h declares: handlers compare them for equality.
#include "xla/ffi/api/c_api.h"

#define CHECK_SIZE(name, size) _Static_assert(name##_STRUCT_SIZE == (size), #name)

CHECK_SIZE(XLA_FFI_CallFrame, 168);
CHECK_SIZE(XLA_FFI_Args, 40);
CHECK_SIZE(XLA_FFI_Rets, 40);
CHECK_SIZE(XLA_FFI_Attrs, 48);
CHECK_SIZE(XLA_FFI_Buffer, 48);
CHECK_SIZE(XLA_FFI_Api_Version, 24);
_Static_assert(XLA_FFI_API_MAJOR == 0 && XLA_FFI_API_MINOR <= 5, "version");
