#include "tenon/executable/build_fingerprint.h"

namespace tenon {

std::string_view BuildVersion() { return TENON_VERSION; }
std::string_view BuildFingerprint() { return TENON_BUILD_FINGERPRINT; }

}  // namespace tenon
