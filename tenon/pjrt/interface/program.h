// The input of a compilation, and the mapping from logical to physical devices.
#ifndef TENON_PJRT_INTERFACE_PROGRAM_H_
#define TENON_PJRT_INTERFACE_PROGRAM_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::pjrt {

// A program to compile. The views live only for the call.
struct Program {
  std::string_view format;  // "mlir" or "hlo"; INVALID_ARGUMENT for any other
  std::string_view code;
};

// The program of an executable, e.g. "mlir" text or bytecode.
struct ProgramText {
  std::string format;
  std::string code;
};

struct LogicalDeviceId {
  int replica = 0;
  int partition = 0;
};

// Global device ids, row-major [replica][partition]. Both counts are 0 for a portable
// executable, which has no assignment.
struct DeviceAssignment {
  int num_replicas = 0;
  int num_partitions = 0;
  std::vector<int> device_ids;
};

// Hints for loading. The views live only for the call.
struct LoadOptions {
  std::span<const int32_t> computation_origin;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_PROGRAM_H_
