// The bytes of a code object of kind kDeviceCode: kernels for a device, and what the
// host needs to know to launch them. Value types.
#ifndef TENON_EXECUTABLE_DEVICE_CODE_H_
#define TENON_EXECUTABLE_DEVICE_CODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon {

// The launcher names kernels by their position in DeviceCode::kernels.
struct DeviceKernel {
  std::string name;         // of the function in the module
  uint32_t group_size = 1;  // work items of a group, in one dimension
  // If not 0, the size of the subgroups that the kernel was generated for.
  uint32_t subgroup_size = 0;
  // Local memory that the launch adds to what the kernel declares.
  uint32_t dynamic_local_bytes = 0;
  // For each argument, 0 for an address, or the size of a scalar in bytes: 1, 2, 4 or 8.
  std::vector<uint8_t> arguments;
  // The number of the tenon.kernel that it is a phase of, in CodeObject::kernels of the
  // launcher.
  uint32_t source_kernel = 0;
};

struct DeviceCode {
  std::string format;  // of `module`: "spirv" or "ptx"
  std::string module;
  std::vector<DeviceKernel> kernels;

  std::vector<uint8_t> Serialize() const;
  // DATA_LOSS for bytes that Serialize does not write.
  static StatusOr<DeviceCode> Deserialize(const std::vector<uint8_t>& bytes);
};

}  // namespace tenon

#endif  // TENON_EXECUTABLE_DEVICE_CODE_H_
