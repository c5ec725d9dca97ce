// The fields of a CompileOptionsProto that place a program on devices. The compiler reads
// the other fields.
//
// A pure function; callable from any thread.
#ifndef TENON_PJRT_CLIENT_COMPILE_OPTIONS_H_
#define TENON_PJRT_CLIENT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/interface/program.h"

namespace tenon::pjrt {

struct PlacementOptions {
  bool portable = false;  // each execution names its device
  int64_t device_ordinal = -1;
  // 1 if the options do not set it.
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::optional<DeviceAssignment> device_assignment;
};

// INVALID_ARGUMENT if `options` is malformed. An empty string means the defaults.
StatusOr<PlacementOptions> ReadPlacementOptions(std::string_view options);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_COMPILE_OPTIONS_H_
