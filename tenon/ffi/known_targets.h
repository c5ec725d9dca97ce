// What is known of handlers by their names. No state.
#ifndef TENON_FFI_KNOWN_TARGETS_H_
#define TENON_FFI_KNOWN_TARGETS_H_

#include <string_view>

namespace tenon::ffi {

// Whether the handler computes and waits for nothing outside of the process: jaxlib's
// LAPACK kernels. Other handlers may run Python or wait for other programs.
inline bool OnlyComputes(std::string_view target) {
  return target.starts_with("lapack_");
}

}  // namespace tenon::ffi

#endif  // TENON_FFI_KNOWN_TARGETS_H_
