// Properties of well-known handlers. Pure functions.
#ifndef TENON_FFI_KNOWN_TARGETS_H_
#define TENON_FFI_KNOWN_TARGETS_H_

#include <string_view>

namespace tenon::ffi {

// Whether the handler is known to compute only, and never to wait for something outside
// of it. True for jaxlib's LAPACK kernels. Other handlers may run Python or wait for
// other programs.
inline bool OnlyComputes(std::string_view target) {
  return target.starts_with("lapack_");
}

}  // namespace tenon::ffi

#endif  // TENON_FFI_KNOWN_TARGETS_H_
