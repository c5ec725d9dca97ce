// The identity of this build, for cache keys and platform versions. Image files do not
// depend on it.
#ifndef TENON_EXECUTABLE_BUILD_FINGERPRINT_H_
#define TENON_EXECUTABLE_BUILD_FINGERPRINT_H_

#include <string_view>

namespace tenon {

// The project's version, e.g. "0.1.0".
std::string_view BuildVersion();
// 32 hexadecimal digits: a hash of the sources of the image format.
std::string_view BuildFingerprint();
// Hexadecimal digits that differ between any two different binaries: the linker's build
// id of the binary that contains this function, or BuildFingerprint() if it has none.
std::string_view BuildId();

}  // namespace tenon

#endif  // TENON_EXECUTABLE_BUILD_FINGERPRINT_H_
