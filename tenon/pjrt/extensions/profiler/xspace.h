// Serializes traces for profile viewers, as an XSpace
// (tsl/profiler/protobuf/xplane.proto). A pure function.
#ifndef TENON_PJRT_EXTENSIONS_PROFILER_XSPACE_H_
#define TENON_PJRT_EXTENSIONS_PROFILER_XSPACE_H_

#include <span>
#include <string>

#include "tenon/pjrt/interface/profiler.h"

namespace tenon::pjrt::c_api {

std::string WriteXSpace(std::span<const TracePlane> planes);

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_PROFILER_XSPACE_H_
