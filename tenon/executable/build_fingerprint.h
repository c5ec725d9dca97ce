// What identifies this build: part of image files and of platform versions.
#ifndef TENON_EXECUTABLE_BUILD_FINGERPRINT_H_
#define TENON_EXECUTABLE_BUILD_FINGERPRINT_H_

#include <string_view>

namespace tenon {

// The project's version, e.g. "0.1.0".
std::string_view BuildVersion();
// 32 hexadecimal digits: equal for builds whose images may be exchanged.
std::string_view BuildFingerprint();
// Hexadecimal digits that are another for every other content of the binary that this is
// linked into: the linker's build id, or BuildFingerprint() where it left none.
std::string_view BuildId();

}  // namespace tenon

#endif  // TENON_EXECUTABLE_BUILD_FINGERPRINT_H_
