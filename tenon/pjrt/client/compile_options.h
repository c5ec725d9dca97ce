// What a client itself needs of a CompileOptionsProto; the compiler reads the rest.
//
// A pure function; any thread.
#ifndef TENON_PJRT_CLIENT_COMPILE_OPTIONS_H_
#define TENON_PJRT_CLIENT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/interface/program.h"

namespace tenon::pjrt {

struct PlacementOptions {
  bool portable = false;  // runs on whichever device each execution names
  int64_t device_ordinal = -1;
  // 1 if the options do not say.
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::optional<DeviceAssignment> device_assignment;
};

// INVALID_ARGUMENT if `options` is no such message. Empty: the defaults.
StatusOr<PlacementOptions> ReadPlacementOptions(std::string_view options);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_COMPILE_OPTIONS_H_
