// What goes into a compile, and how logical devices map to physical ones.
#ifndef TENON_PJRT_INTERFACE_PROGRAM_H_
#define TENON_PJRT_INTERFACE_PROGRAM_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::pjrt {

// A program to compile; both views live for the call only.
struct Program {
  std::string_view format;  // "mlir" or "hlo"; an unknown one is INVALID_ARGUMENT
  std::string_view code;
};

// A program as an executable gives it back: "mlir" text or bytecode.
struct ProgramText {
  std::string format;
  std::string code;
};

struct LogicalDeviceId {
  int replica = 0;
  int partition = 0;
};

// Global device ids, row-major [replica][partition]. Both counts 0: portable, no
// assignment.
struct DeviceAssignment {
  int num_replicas = 0;
  int num_partitions = 0;
  std::vector<int> device_ids;
};

// Hints for loading. Views live for the call only.
struct LoadOptions {
  std::span<const int32_t> computation_origin;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_PROGRAM_H_
